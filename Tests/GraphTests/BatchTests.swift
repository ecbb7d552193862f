import RoostQuery
import RoostRecords
import RoostTestSupport
import SwiftData
import Testing

@testable import RoostGraph

/// A read of one object of a fetch reads the others too.
@Suite struct BatchTests {
  /// Schools with pupils and heads, in a context that has not loaded any.
  private func makeContext(schools: Int, pupils: Int) throws -> GraphContext {
    let store = try SchoolStore.make()
    let writer = GraphContext(store)
    for number in 0..<schools {
      let school = School("school \(number)")
      for at in 0..<pupils { school.pupils.append(Pupil("pupil \(number) \(at)")) }
      school.head = Teacher("head \(number)")
      try writer.insert(school)
    }
    try writer.save()
    writer.close()
    return GraphContext(store)
  }

  private func all<Model: PersistentModel>(_ context: GraphContext, _ model: Model.Type) throws -> [Model] {
    try context.fetchStored(Query(Model._$type.name), as: model)
  }

  /// A user's `deinit` must not run while a list of batches changes, so objects that leave one are
  /// returned.
  @Test func `objects that leave a batch are released by the caller`() {
    let batch = Batch(0, [1, 2])
    weak var first: School?
    do {
      let school = School("first")
      first = school
      #expect(batch.keep(school).isEmpty)
    }
    let others = [School](repeating: School("others"), count: Batch.mostKept)
    var dropped = batch.keep(others)
    let (isAlive, isDropped) = (first != nil, dropped.contains { $0 === first })
    #expect(isAlive && isDropped && batch.kept.count == Batch.mostKept / 2)
    dropped = []
    let hasEnded = first == nil
    #expect(hasEnded)
  }

  @Test func `objects that leave a ring of batches are released by the caller`() {
    var ring = BatchRing()
    weak var first: Batch?
    weak var school: School?
    var (dropped, count): ([Any], Int) = ([], 0)
    repeat {
      let batch = Batch(0, [1, 2])
      if count == 0 {
        let kept = School("kept")
        (first, school) = (batch, kept)
        _ = batch.keep(kept)
      }
      dropped += ring.add(batch)
      count += 1
      // The three newest batches keep their objects.
      let (isKept, isAlive) = (first?.kept.isEmpty == false, school != nil)
      #expect(isKept == (count <= 3) && isAlive)
    } while count < 20 && ring.batch(0) === first
    let isAlive = first != nil
    #expect(isAlive && count < 20)
    dropped = []
    let haveEnded = first == nil && school == nil
    #expect(haveEnded)
  }

  @Test func `the objects of emptied slots are returned`() {
    let school = School("a")
    school.head = Teacher("head")
    school.pupils = [Pupil("pupil")]
    #expect(school.pupils.count == 1)
    #expect(school._$forget().count == 2)
  }

  /// A value whose deinit runs a closure.
  private final class Last {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    deinit { body() }
  }

  @Test func `the deinit of a value that leaves a box may read the box`() {
    let box = _Box()
    var read: [String?] = []
    box.set(\School.name, Last { read.append(box.value(\School.name) as? String) })
    box.set(\School.name, "next")
    box.set(\School.name, Last { read.append(box.value(\School.name) as? String) })
    box.remove(\School.name)
    #expect(read == ["next", nil])
  }

  @Test func `references of a fetch are read together, each row once`() throws {
    let context = try makeContext(schools: 100, pupils: 5)
    for pupil in try all(context, Pupil.self) { #expect(pupil.school?.name.isEmpty == false) }
    #expect(context.session.statistics.faultsFilled == 0)
    #expect(context.session.statistics.faultsFilledTogether == 100)
    #expect(context.session.statistics.coarseReads == 1)
    context.close()
  }

  @Test func `lists of a fetch are loaded together, and their members too`() throws {
    let context = try makeContext(schools: 100, pupils: 5)
    let schools = try all(context, School.self)
    for school in schools { #expect(school.pupils.count == 5) }
    #expect(context.session.statistics.listsLoaded == 0 && context.session.statistics.listsLoadedTogether == 100)
    #expect(context.session.statistics.coarseReads == 1)
    for (number, school) in schools.enumerated() {
      #expect(school.pupils.map(\.name) == (0..<5).map { "pupil \(number) \($0)" })
    }
    #expect(context.session.statistics.faultsFilled == 0 && context.session.statistics.faultsFilledTogether == 500)
    context.close()
  }

  @Test func `references that the other side holds are found together`() throws {
    let context = try makeContext(schools: 50, pupils: 0)
    for (number, school) in try all(context, School.self).enumerated() {
      #expect(school.head?.name == "head \(number)" && school.head?.leads === school)
    }
    #expect(context.session.statistics.faultsFilled == 0 && context.session.statistics.faultsFilledTogether == 50)
    context.close()
  }

  @Test(arguments: [false, true]) func `a loop over a large fetch needs few reads, in both directions`(
    isReversed: Bool
  ) throws {
    let context = try makeContext(schools: 3000, pupils: 1)
    var schools = try all(context, School.self)
    if isReversed { schools.reverse() }
    for school in schools { #expect(school.pupils.first?.name.hasPrefix("pupil") == true) }
    #expect(context.session.statistics.faultsFilled == 0 && context.session.statistics.listsLoaded == 0)
    #expect(
      context.session.statistics.faultsFilledTogether == 3000 && context.session.statistics.listsLoadedTogether == 3000)
    #expect(context.session.statistics.coarseReads <= 8)
    context.close()
  }

  @Test func `loops within loops are read together on every level`() throws {
    let store = try SchoolStore.make()
    let writer = GraphContext(store)
    for number in 0..<20 {
      let school = School("\(number)")
      for at in 0..<5 {
        let pupil = Pupil("\(number) \(at)")
        pupil.clubs = [Club("\(number) \(at) a"), Club("\(number) \(at) b")]
        school.pupils.append(pupil)
      }
      try writer.insert(school)
    }
    try writer.save()
    writer.close()
    let context = GraphContext(store)
    var titles = 0
    for school in try all(context, School.self) {
      for pupil in school.pupils { for club in pupil.clubs { titles += club.title.isEmpty ? 0 : 1 } }
    }
    #expect(titles == 200)
    #expect(context.session.statistics.faultsFilled == 0 && context.session.statistics.listsLoaded == 0)
    #expect(context.session.statistics.coarseReads == 4)
    context.close()
  }

  @Test func `objects that others changed are reread together`() throws {
    let context = try makeContext(schools: 100, pupils: 0)
    let schools = try all(context, School.self)
    let other = GraphContext(context.store)
    for school in try all(other, School.self) { school.name += "!" }
    try other.save()
    context.processPendingChanges()
    for school in schools { #expect(school.name.hasSuffix("!")) }
    #expect(context.session.statistics.faultsFilled == 0 && context.session.statistics.faultsFilledTogether == 100)
    context.close()
    other.close()
  }

  @Test func `objects that were read ahead are released with the fetch`() throws {
    let context = try makeContext(schools: 50, pupils: 2)
    let map = try #require(context.store.map(of: School.self))
    do {
      let pupils = try all(context, Pupil.self)
      #expect(pupils[0].school?.name == "school 0")
      withExtendedLifetime(pupils) { #expect(context.objects.origin(map).objects.count == 50) }
    }
    _ = try all(context, Club.self)
    _ = try all(context, Pupil.self)
    #expect(context.objects.origin(map).objects.count == 0)
    context.close()
  }

  @Test func `an unreadable row does not prevent reading others ahead`() throws {
    let context = try makeContext(schools: 10, pupils: 1)
    let pupils = try all(context, Pupil.self)
    // A row that is in no store, among the rows that will be read together.
    context.objects.noteBatch(try #require(context.store.map(of: School.self)), [1, 2, 77, 3])
    let map = try #require(context.store.map(of: School.self))
    let missing = context.objects.origin(map).object(77) as? School
    let first = context.objects.origin(map).object(1) as? School
    #expect(first?.name == "school 0")
    #expect(context.objects.failure == nil)
    #expect(missing?.name == "" && context.objects.failure != nil)
    #expect(pupils.count == 10)
    context.close()
  }

  /// Batches compared with a plain list, for any order of rows and of look-ups.
  @Test(arguments: UInt64(1)...20) func `a batch finds its rows`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var rows = (0..<random.below(60) + 2).map { _ in UInt64(random.below(200)) + 1 }
    if random.below(2) == 0 { rows = Set(rows).sorted() }
    let batch = Batch(0, rows)
    for _ in 0..<300 {
      let row = UInt64(random.below(210))
      let found = batch.place(of: row)
      #expect(found.map { rows[$0] } == (rows.contains(row) ? row : nil), "seed \(seed)")
      guard let found else { continue }
      var seen: [UInt64] = []
      batch.around(found) { row in
        seen.append(row)
        return true
      }
      #expect(seen.sorted() == rows.sorted(), "seed \(seed)")
    }
  }
}
