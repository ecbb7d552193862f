import Foundation
import RoostTestSupport
import SwiftData
import Testing

@Model final class Ledger {
  @Relationship(inverse: \Posting.ledger) var postings: [Posting] = []

  init() {}
}

@Model final class Posting {
  var number: Int
  var ledger: Ledger?

  init(_ number: Int, _ ledger: Ledger? = nil) {
    self.number = number
    self.ledger = ledger
  }
}

@Model final class Bead {
  var number: Int
  var others: [Bead] = []

  init(_ number: Int) { self.number = number }
}

/// Models of one import that reference each other, in one chunk or several.
@Suite struct ImportSharingTests {
  private let container: ModelContainer

  init() throws { container = try ImportTests.container() }

  private static func ledgers() throws -> ModelContainer {
    try ModelContainer(for: Ledger.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func store(_ code: Int) throws {
    let context = ModelContext(container)
    context.insert(Item(code, title: "stored"))
    try context.save()
  }

  // MARK: Left out

  @Test func `a model that came with a left-out model is not taken for stored`() throws {
    try store(1)
    var importer = try container.importer(for: Item.self)
    (importer.options.conflict, importer.options.badRecords) = (.insert, .skip(upTo: 9))
    let (rack, bad, good) = (Rack("s"), Item(1), Item(2))
    bad.shelf = rack
    rack.items = [bad, good]
    let report = try importer.run(models: [bad, good])
    #expect(report.progress.inserted == 1 && report.progress.bad == 1)
    #expect(try ImportTests.items(container).mapValues(\.title) == [1: "stored", 2: ""])
    // Without it the rack comes with the next one.
    let (other, worse, better) = (Rack("t"), Item(1), Item(3))
    (worse.shelf, better.shelf) = (other, other)
    let mended = try importer.run(models: [worse, better])
    #expect(mended.progress.inserted == 1 && mended.progress.bad == 1)
    #expect(try ImportTests.items(container)[3]?.shelf?.name == "t")
  }

  /// Models that bring each other along, some of which cannot be stored. The chunk size must not
  /// matter.
  @Test(arguments: 0..<60) func `by seed, each element is stored with its references, or not`(_ seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    for code in 100..<103 { try store(code) }
    let racks = (0..<4).map { Rack("r\($0)") }
    // Some have a stored code, and some the code of another one.
    let items = (0..<12).map { place in
      Item(random.chance(1, in: 6) ? 100 + random.below(3) : random.chance(1, in: 8) ? 0 : place)
    }
    var homes: [ObjectIdentifier: Rack] = [:]
    for item in items.shuffled(using: &random) where random.chance(2, in: 3) {
      let rack = racks[random.below(4)]
      homes[ObjectIdentifier(item)] = rack
      let side = random.below(3)
      if side != 0 { rack.items.append(item) }
      if side != 1 { item.shelf = rack }
    }
    var given = items.filter { _ in random.chance(3, in: 4) }.shuffled(using: &random)
    if let first = given.first, random.chance(1, in: 3) { given.append(first) }
    // The expected result.
    var (codes, isIn): (Set<Int>, Set<ObjectIdentifier>) = ([100, 101, 102], [])
    var (inserted, bad) = (0, 0)
    for item in given {
      if isIn.contains(ObjectIdentifier(item)) {
        inserted += 1
        continue
      }
      var (found, waiting): ([AnyObject], [AnyObject]) = ([], [item])
      while let next = waiting.popLast() {
        if isIn.contains(ObjectIdentifier(next)) || found.contains(where: { $0 === next }) { continue }
        found.append(next)
        if let item = next as? Item, let shelf = item.shelf { waiting.append(shelf) }
        if let rack = next as? Rack { waiting += rack.items }
      }
      let new = found.compactMap { ($0 as? Item)?.code }
      if Set(new).count < new.count || !codes.isDisjoint(with: new) {
        bad += 1
        continue
      }
      codes.formUnion(new)
      isIn.formUnion(found.map { ObjectIdentifier($0) })
      inserted += 1
    }
    var wanted: [Int: String] = [:]
    for item in items where isIn.contains(ObjectIdentifier(item)) {
      wanted[item.code] = homes[ObjectIdentifier(item)].flatMap { isIn.contains(ObjectIdentifier($0)) ? $0.name : nil }
    }
    var importer = try container.importer(for: Item.self)
    (importer.options.conflict, importer.options.badRecords) = (.insert, .skip(upTo: 99))
    importer.options.chunk = 1 + random.below(15)
    let report = try importer.run(models: given)
    #expect((report.progress.inserted, report.progress.bad) == (inserted, bad), "seed \(seed)")
    let stored = try ImportTests.items(container)
    #expect(Set(stored.keys) == codes, "seed \(seed)")
    for (code, item) in stored { #expect(item.shelf?.name == wanted[code], "seed \(seed), item \(code)") }
    #expect(items.allSatisfy { $0.modelContext == nil && $0.persistentModelID.storeIdentifier == nil })
  }

  // MARK: Several chunks

  /// Regression: it was examined endlessly, once each time that it was found.
  @Test func `a model that references itself and others`() throws {
    let container = try Self.beads()
    let (one, other) = (Bead(1), Bead(2))
    one.others = [one, other]
    #expect(try container.importer(for: Bead.self).run(models: [one, other]).progress.inserted == 2)
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Bead>(sortBy: [SortDescriptor(\.number)]))
    try #require(found.count == 2)
    #expect(found[0].others.map(\.number) == [1, 2] && found[1].others.isEmpty)
  }

  private static func beads() throws -> ModelContainer {
    try ModelContainer(for: Bead.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  @Test(arguments: [1, 2, 5000]) func `a model of several owners is inserted once, in any chunks`(_ chunk: Int) throws {
    let container = try Self.ledgers()
    var importer = try container.importer(for: Posting.self)
    importer.options.chunk = chunk
    let ledger = Ledger()
    try importer.run(models: (0..<5).map { Posting($0, ledger) })
    let found = try ModelContext(container).fetch(FetchDescriptor<Ledger>())
    #expect(found.map { $0.postings.map(\.number) } == [[0, 1, 2, 3, 4]])
    // A model that is given again is already stored.
    let twice = Posting(7)
    #expect(try importer.run(models: [twice, Posting(8), twice]).progress.inserted == 3)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Posting>()) == 7)
  }

  /// Each run makes its models anew, as a restarted program does: objects have no names that
  /// outlive the program.
  @Test(arguments: 1...6, [1, 2, 3]) func `a continued import knows what came before the interruption`(
    _ breaks: Int, _ chunk: Int
  ) throws {
    struct Stop: Error {}
    let container = try Self.ledgers()
    var importer = try container.importer(for: Posting.self)
    (importer.options.chunk, importer.options.name) = (chunk, "postings")
    func run(_ end: Int) throws {
      let ledgers = [Ledger(), Ledger()]
      try importer.run(0..<7) { number in
        if number == end { throw Stop() }
        // No other model references the ledger of the fourth.
        return Posting(number, number == 3 ? Ledger() : ledgers[number % 2])
      }
    }
    #expect(throws: Stop.self) { try run(breaks) }
    // Interrupted again in the middle of the rest.
    #expect(throws: Stop.self) { try run(6) }
    try run(99)
    let found = try ModelContext(container).fetch(FetchDescriptor<Ledger>())
    let numbers = found.map { $0.postings.map(\.number).sorted() }.sorted { $0[0] < $1[0] }
    #expect(numbers == [[0, 2, 4, 6], [1, 5], [3]], "\(numbers)")
  }

  /// The first model that an element references is released and unknown when its import continues;
  /// the second is known.
  @Test func `known models are found by the links to them, even if others are unknown`() throws {
    struct Stop: Error {}
    let container = try Self.beads()
    var importer = try container.importer(for: Bead.self)
    (importer.options.chunk, importer.options.name) = (3, "beads")
    func run(_ end: Int) throws {
      let lasting = [Bead(100), Bead(101)]
      var passing = Bead(200)
      try importer.run(0..<8) { number in
        if number == end { throw Stop() }
        if number % 3 == 2 { passing = Bead(200 + number) }
        let bead = Bead(number)
        bead.others = [passing, lasting[number % 2]]
        return bead
      }
    }
    #expect(throws: Stop.self) { try run(4) }
    try run(99)
    let beads = try ModelContext(container).fetch(FetchDescriptor<Bead>(sortBy: [SortDescriptor(\.number)]))
    #expect(beads.count { $0.number >= 100 && $0.number < 200 } == 2, "\(beads.map(\.number))")
    for bead in beads where bead.number < 100 {
      #expect(bead.others.last?.number == 100 + bead.number % 2 && bead.others.first?.number ?? 0 >= 200)
    }
  }

  @Test func `an import that continues with other references is refused`() throws {
    struct Stop: Error {}
    let container = try Self.beads()
    var importer = try container.importer(for: Bead.self)
    (importer.options.chunk, importer.options.name) = (1, "beads")
    let lasting = Bead(100)
    func bead(_ number: Int, _ others: [Bead]) -> Bead {
      let bead = Bead(number)
      bead.others = others
      return bead
    }
    #expect(throws: Stop.self) {
      try importer.run(0..<4) { number in
        if number == 2 { throw Stop() }
        return bead(number, [lasting])
      }
    }
    let error = #expect(throws: RoostError.self) { try importer.run(0..<4) { bead($0, []) } }
    #expect(error?.detail.contains("element 1 referenced other models then") == true, "\(error as Any)")
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Bead>()) == 3)
  }

  /// Each bead gets its references as soon as it is made. A continued run makes all of them anew.
  @Test(arguments: 0..<40) func `by seed, a graph is stored once, however often its import is interrupted`(
    _ seed: Int
  ) throws {
    struct Stop: Error {}
    var random = SplitMix64(seed: UInt64(seed))
    let container = try Self.beads()
    let count = 4 + random.below(12)
    let others = (0..<count).map { _ in Array((0..<count).shuffled(using: &random).prefix(random.below(3))) }
    let order = Array(0..<count).shuffled(using: &random)
    var importer = try container.importer(for: Bead.self)
    (importer.options.chunk, importer.options.name) = (1 + random.below(4), "beads")
    func run(_ end: Int) throws {
      var made: [Int: Bead] = [:]
      func bead(_ number: Int) -> Bead {
        if let known = made[number] { return known }
        let new = Bead(number)
        made[number] = new
        new.others = others[number].map { bead($0) }
        return new
      }
      try importer.run(order.enumerated()) { place, number in
        if place == end { throw Stop() }
        return bead(number)
      }
    }
    for end in 1..<count where random.chance(1, in: 2) { #expect(throws: Stop.self) { try run(end) } }
    try run(count)
    let context = ModelContext(container)
    let found = try context.fetch(FetchDescriptor<Bead>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map(\.number) == Array(0..<count), "seed \(seed)")
    for bead in found {
      #expect(bead.others.map(\.number) == others[bead.number], "seed \(seed), bead \(bead.number)")
    }
  }

  @Test(arguments: [1, 2]) func `a continued import inserts models again that were deleted`(_ chunk: Int) async throws {
    struct Stop: Error {}
    let container = try Self.ledgers()
    var importer = try container.importer(for: Posting.self)
    (importer.options.chunk, importer.options.name) = (chunk, "postings")
    let models = (0..<5).map { Posting($0) }
    let ledger = Ledger()
    for model in models { model.ledger = ledger }
    #expect(throws: Stop.self) {
      try importer.run(0..<5) { number in
        if number == 3 { throw Stop() }
        return models[number]
      }
    }
    let context = ModelContext(container)
    for ledger in try context.fetch(FetchDescriptor<Ledger>()) { context.delete(ledger) }
    try context.save()
    let numbers = AsyncStream<Int> { told in
      for number in 0..<5 { told.yield(number) }
      told.finish()
    }
    let given = models.map { Held(model: $0) }
    let report = try await importer.run(numbers) { given[$0].model }
    #expect(report.progress.inserted == 5)
    let found = try ModelContext(container).fetch(FetchDescriptor<Ledger>())
    #expect(found.count == 1 && found[0].postings.count == 5 - report.progress.resumed)
  }

  /// One thread at a time uses it.
  private struct Held: @unchecked Sendable { let model: Posting }

  @Test(arguments: ImportOptions.Conflict.allCases)
  func `a unique value of an earlier chunk's model is its own`(_ conflict: ImportOptions.Conflict) throws {
    var importer = try container.importer(for: Item.self)
    (importer.options.chunk, importer.options.conflict) = (1, conflict)
    let rack = Rack("s")
    let report = try importer.run(0..<3) { number in
      let item = Item(number)
      item.shelf = rack
      return item
    }
    #expect(report.progress.inserted == 3 && report.progress.updated == 0 && report.progress.kept == 0)
    let found = try ModelContext(container).fetch(FetchDescriptor<Rack>())
    #expect(found.map { $0.items.map(\.code) } == [[0, 1, 2]])
  }

  @Test func `an element is counted by its own outcome`() throws {
    let context = ModelContext(container)
    context.insert(Rack("s"))
    context.insert(Item(1))
    try context.save()
    let items = [Item(1), Item(2)]
    for item in items { item.shelf = Rack("s") }
    for (conflict, wanted) in [(ImportOptions.Conflict.skip, [1, 0, 1]), (.update, [0, 2, 0])] {
      var importer = try container.importer(for: Item.self)
      importer.options.conflict = conflict
      let progress = try importer.run(models: items).progress
      #expect([progress.inserted, progress.updated, progress.kept] == wanted)
    }
  }

  @Test func `models that others delete between chunks are inserted again with their owners`() throws {
    let container = try Self.ledgers()
    var importer = try container.importer(for: Posting.self)
    importer.options.chunk = 1
    let ledger = Ledger()
    let report = try importer.run(models: (0..<4).map { Posting($0, ledger) }) { progress in
      guard progress.records == 2 else { return }
      let context = ModelContext(container)
      try? context.delete(model: Ledger.self)
      try? context.save()
    }
    #expect(report.progress.inserted == 4 && report.progress.bad == 0)
    let found = try ModelContext(container).fetch(FetchDescriptor<Posting>(sortBy: [SortDescriptor(\.number)]))
    #expect(found.map { $0.ledger == nil } == [true, true, false, false])
    #expect(found[2].ledger?.persistentModelID == found[3].ledger?.persistentModelID)
  }

  @Test func `between two chunks a model may be inserted into a context`() throws {
    var importer = try container.importer(for: Item.self)
    importer.options.chunk = 1
    let context = ModelContext(container)
    let items = (0..<3).map { Item($0, title: "a") }
    var isFirst = true
    try importer.run(models: items) { _ in
      guard isFirst else { return }
      isFirst = false
      // It is not taken for the stored one.
      items[0].title = "b"
      let other = Rack("t")
      context.insert(other)
      other.items = (try? context.fetch(FetchDescriptor<Item>())) ?? []
      try? context.save()
      other.items = [items[0]]
      items[0].shelf = other
      try? context.save()
    }
    let found = try ImportTests.items(container)
    #expect(found.count == 3 && found[0]?.title == "b" && found[0]?.shelf?.name == "t")
  }
}
