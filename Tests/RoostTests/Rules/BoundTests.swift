import Foundation
import RoostImport
import SwiftData
import Testing

/// The bounds of lists whose members were moved by another way than a setter of this context.
@Suite struct BoundTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Gallery.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    context = ModelContext(container)
    context.insert(Gallery("one", [Exhibit("p1")]))
    context.insert(Gallery("two", [Exhibit("p2")]))
    context.insert(Gallery("three", [Exhibit("p3"), Exhibit("p4"), Exhibit("p5")]))
    try context.save()
  }

  private func gallery(_ code: String, _ context: ModelContext) throws -> Gallery {
    try #require(try context.fetch(FetchDescriptor<Gallery>(predicate: #Predicate { $0.code == code })).first)
  }

  private func exhibit(_ name: String, _ context: ModelContext) throws -> Exhibit {
    try #require(try context.fetch(FetchDescriptor<Exhibit>(predicate: #Predicate { $0.name == name })).first)
  }

  /// The names in each gallery, as stored.
  private func stored() throws -> [String: [String]] {
    let all = try ModelContext(container).fetch(FetchDescriptor<Gallery>())
    return Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0.exhibits.map(\.name).sorted()) })
  }

  private let before = ["one": ["p1"], "two": ["p2"], "three": ["p3", "p4", "p5"]]

  /// Expects that a write is refused because a gallery has too few or too many exhibits.
  private func expectCount(_ code: String, _ text: String, _ write: () throws -> Void) throws {
    let error = #expect(throws: RoostError.self) { try write() }
    let fault = try #require(error?.faults.first)
    #expect(error?.code == .count && fault.property == "exhibits" && fault.detail.contains(text), "\(fault)")
    #expect(fault.model == (try gallery(code, context)).persistentModelID, "\(fault)")
    #expect(try stored() == before)
  }

  @Test(arguments: ["reference", "list", "new owner", "fields", "newest"])
  func `a merged model does not leave a list with too few`(way: String) throws {
    let other = ModelContext(container)
    let new = Exhibit("p1")
    new.price = 1
    switch way {
    case "reference": new.gallery = try gallery("two", other)
    case "list": try gallery("two", other).exhibits.append(new)
    case "new owner": other.insert(Gallery("two", [new]))
    case "fields":
      try other.setUniquePolicy(.fields(\.gallery), for: Exhibit.self)
      new.gallery = try gallery("two", other)
    default:
      try other.setUniquePolicy(.newest(by: \.price), for: Exhibit.self)
      new.gallery = try gallery("two", other)
    }
    other.insert(new)
    try expectCount("one", "it has 0") { try other.save() }
    other.rollback()
    // One that keeps what it has leaves nothing.
    try other.setUniquePolicy(.keepExisting, for: Exhibit.self)
    other.insert(Exhibit("p1", try gallery("two", other)))
    try other.save()
    #expect(try stored() == before)
  }

  @Test func `a merged model does not make a list too long`() throws {
    let other = ModelContext(container)
    other.insert(Exhibit("p1", try gallery("three", other)))
    let error = #expect(throws: RoostError.self) { try other.save() }
    #expect(error?.faults.map(\.detail).sorted().first?.contains("it has 0") == true && error?.faults.count == 2)
    #expect(try stored() == before)
  }

  @Test func `a batch and an import of models leave no list with too few`() throws {
    let two = Gallery("two", [Exhibit("p1")])
    try expectCount("one", "it has 0") { try context.insert(batch: [two]) }
    try expectCount("one", "it has 0") { try context.insert(batch: [Exhibit("p1", Gallery("two", [Exhibit("p2")]))]) }
    #expect(throws: RoostError.self) {
      try container.importer(for: Exhibit.self).run(models: [Exhibit("p1", Gallery("two"))])
    }
    #expect(try stored() == before)
    var importer = try container.importer(for: Exhibit.self)
    importer.options.badRecords = .skip(upTo: 9)
    let report = try importer.run(models: [Exhibit("p1", Gallery("two")), Exhibit("p4", Gallery("two"))])
    #expect(report.faults.map(\.reason) == [.invalid] && report.progress.bad == 1)
    #expect(report.faults.first?.detail.contains("Gallery") == true && report.faults.first?.field == nil)
    #expect(try stored() == ["one": ["p1"], "two": ["p2", "p4"], "three": ["p3", "p5"]])
  }

  @Test func `a merge that moves nothing is stored`() throws {
    let new = Exhibit("p1", try gallery("one", context))
    new.price = 7
    context.insert(new)
    try context.save()
    try context.insert(batch: [Exhibit("p2"), Exhibit("p1", Gallery("one", [Exhibit("p1")]))])
    #expect(try stored() == before)
  }

  // MARK: Other contexts

  /// Another context leaves "two" with "p3" alone, while this one moves "p3" to "one".
  private func moveTwice(_ other: ModelContext, isBefore: Bool) throws -> Exhibit {
    if isBefore { other.automaticallyMergesChanges = false }
    let stale = try exhibit("p3", other)
    _ = (stale.gallery, try gallery("two", other).exhibits)
    if !isBefore { stale.gallery = try gallery("one", other) }
    try exhibit("p3", context).gallery = gallery("two", context)
    try exhibit("p2", context).gallery = gallery("one", context)
    try context.save()
    if isBefore { stale.gallery = try gallery("one", other) }
    return stale
  }

  private let moved = ["one": ["p1", "p2"], "two": ["p3"], "three": ["p4", "p5"]]

  @Test(arguments: [false, true]) func `the list that another context moved the member to is counted`(isBefore: Bool)
    throws
  {
    let other = ModelContext(container)
    _ = try moveTwice(other, isBefore: isBefore)
    let error = #expect(throws: RoostError.self) { try other.save() }
    #expect(error?.code == .count && error?.faults.first?.detail.contains("it has 0") == true)
    #expect(try stored() == moved)
  }

  @Test(arguments: [false, true]) func `storeWins counts what is stored`(isBefore: Bool) throws {
    let other = ModelContext(container)
    other.mergePolicy = .storeWins
    let stale = try moveTwice(other, isBefore: isBefore)
    try other.save()
    #expect(try stored() == moved)
    #expect(other.lastSave.conflicts.count == 1 && stale.gallery?.code == "two")
  }
}
