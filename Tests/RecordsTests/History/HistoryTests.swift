import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Synchronization
import Testing

@testable import RoostRecords

/// The history of a store, one guarantee after the other.
@Suite struct HistoryTests {
  private struct Stop: Error {}

  private static func library(_ mode: HistoryMode = .changes) throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.setHistory(mode)
      try writer.change { $0 = try CatalogTests.library() }
    }
    return store
  }

  private func all(
    _ store: RecordStore, after token: HistoryPlace? = nil, of entities: Set<EntityID>? = nil, by author: String? = nil,
    crossesGaps: Bool = false
  ) throws -> [HistoryCommit] {
    try store.read { reader in
      let cursor = try reader.history(after: token, of: entities, by: author, crossesGaps: crossesGaps)
      var found: [HistoryCommit] = []
      while let next = try cursor.move() { found.append(next) }
      return found
    }
  }

  private func latest(_ store: RecordStore) throws -> HistoryPlace { try store.read { try $0.latestToken } }

  private func artist(_ store: RecordStore, _ name: String, author: String = "") throws {
    try store.write(author: author) { try $0.table("Artist").insert(["name": .string(name)]) }
  }

  private func expectExpired(_ store: RecordStore, _ token: HistoryPlace) {
    let fault = #expect(throws: RecordFault.self) { _ = try all(store, after: token) }
    #expect(fault?.code == .expired)
  }

  // MARK: Entries

  @Test func `a deleted row leaves its identifying values from before the transaction`() throws {
    let store = try Self.library()
    try store.write { writer in
      let table = try writer.table("Track")
      try table.insert(["id": .string("first"), "title": .string("a")])
      try table.insert(["id": .string(String(repeating: "y", count: 4096))])
      try table.insert(["id": .string(String(repeating: "z", count: 4097))])
    }
    let token = try latest(store)
    try store.write(author: "me") { writer in
      let table = try writer.table("Track")
      try table.update(RowID(1), ["id": .string("changed"), "title": .string("b")])
      for row in 1...3 { try table.delete(RowID(UInt64(row))) }
      let new = try table.insert(["id": .string("new")])
      try table.delete(new)
    }
    let found = try all(store, after: token)
    #expect(found.count == 1 && found[0].author == "me")
    let changes = try found[0].entry.changes()
    #expect(changes.map(\.kind) == [.delete, .delete, .delete])
    let field = try store.read { try #require($0.catalog.entity("Track")?.field("id")?.id) }
    #expect(changes.map(\.values.count) == [1, 1, 1] && changes.allSatisfy { $0.values[0].field == field })
    #expect(changes[0].values[0].content == .value(.string("first")))
    #expect(changes[1].values[0].content == .value(.string(String(repeating: "y", count: 4096))))
    #expect(changes[2].values[0].content == .tooLarge(4097))
  }

  @Test func `changes that cancel each other leave no entry, and a changed link does`() throws {
    let store = try Self.library()
    try artist(store, "one")
    let token = try latest(store)
    try store.write { writer in
      let table = try writer.table("Artist")
      try table.delete(try table.insert(["name": .string("gone")]))
    }
    try store.write { try $0.table("Artist").update(RowID(1), ["name": .string("one")]) }
    try store.write { _ = try $0.table("Artist") }
    #expect(try all(store, after: token).isEmpty)
    let entity = try store.read { try #require($0.catalog.entity("Artist")?.id) }
    try store.write { writer in
      let table = try writer.table("Artist")
      try table.insert(["name": .string("two")])
      // Row 3 is new: its links add nothing to its insertion.
      writer.tables.history.note(update: entity, RowID(3), relationship: 9)
      writer.tables.history.note(update: entity, RowID(1), relationship: 9)
      writer.tables.history.note(update: entity, RowID(1), relationship: 4)
      try table.update(RowID(1), ["name": .string("changed")])
    }
    let changes = try #require(try all(store, after: token).first).entry.changes()
    #expect(changes.count == 2 && changes[0].rows == 3...3)
    #expect(changes[1].rows == 1...1 && changes[1].relationships == [4, 9] && changes[1].fields.count == 1)
  }

  @Test func `a hundred thousand rows make a short entry`() throws {
    let store = try Self.library()
    let token = try latest(store)
    try store.write { writer in
      let table = try writer.table("Artist")
      var builder = table.makeBuilder()
      for _ in 0..<100_000 { _ = try table.insert(&builder) }
      for row in [7, 8, 20_000] { try table.delete(RowID(UInt64(row))) }
    }
    let found = try all(store, after: token)
    let changes = try #require(found.first).entry.changes()
    #expect(changes.map(\.rows) == [1...6, 9...19_999, 20_001...100_000])
    try store.write { writer in
      let reading = try writer.tables.historyReading()
      let key = try #require(try reading.lastHead()).key
      let bytes = try #require(try reading.tree?.value(of: key)).count
      #expect(bytes < 100, "\(bytes) bytes")
    }
  }

  @Test func `rows of an entity that changed are in the entry by number`() throws {
    let store = try Self.library(.full)
    try artist(store, "one")
    let token = try latest(store)
    try store.write { writer in
      try writer.table("Artist").insert(["name": .string("two")])
      try writer.table("Track").insert(["id": .string("t")])
      try writer.change { catalog in
        try catalog.change(entity: "Artist") { (entity) throws(RecordFault) in entity.name = "Band" }
      }
      try writer.table("Band").insert(["name": .string("three")])
    }
    let found = try all(store, after: token)
    #expect(found.count == 1 && found[0].entry.isCatalogChanged && found[0].entry.isFull)
    let changes = try found[0].entry.changes()
    #expect(changes.map(\.rows) == [2...2, 3...3, 1...1])
    #expect(changes[1].values.map(\.content) == [.value(.string("three"))])
  }

  @Test func `notes of one row are merged while a savepoint can be undone`() throws {
    let notes = HistoryNotes(isOn: true, leastToJoin: 8)
    let entity = EntityID(1)
    let members = (0..<8).map { Layout.Member(FieldID(UInt16($0)), .int64, isOptional: false) }
    let layout = Layout(version: 0, members)
    func fields(_ place: Int) -> FieldSet {
      var fields = FieldSet()
      fields.insert(place)
      return fields
    }
    #expect(notes.begin(entity, next: 100) == 100)
    for round in 0..<100 { notes.note(update: RowID(5), of: entity, fields(round % 3 + 1), layout) }
    #expect(notes.notes.count < 20)
    let mark = notes.mark()
    let before = notes.notes.count
    for row in 0..<100 { notes.note(update: RowID(UInt64(row % 4)), of: entity, fields(7), layout) }
    notes.note(delete: RowID(5), of: entity)
    #expect(notes.notes.count < before + 20)
    notes.goBack(to: mark)
    notes.join()
    #expect(notes.notes.map(\.row) == [5])
    #expect(notes.sets[Int(notes.notes[0].what - 1)].fields == [FieldID(1), FieldID(2), FieldID(3)])
  }

  // MARK: Times and authors

  @Test func `time never goes back, and a too long author is refused`() throws {
    let now = Atomic<UInt64>(1_000_000)
    let store = try RecordStore(inMemory: StoreOptions(), clock: { now.load(ordering: .relaxed) })
    try store.write { try $0.change { $0 = try CatalogTests.library() } }
    for step in [1_000_500, 1_000_500, 900_000, 0, UInt64.max, 5] {
      now.store(step, ordering: .relaxed)
      try artist(store, "a", author: "me")
    }
    let stamps = try all(store).map(\.stamp)
    #expect(stamps.count == 7)
    #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 })
    #expect(stamps[1] == HybridTime(milliseconds: 1_000_500) && stamps[4].bits == stamps[1].bits + 3)
    #expect(stamps[5].milliseconds == 1 << 48 - 1)
    #expect(HybridTime(bits: .max).next(0) == HybridTime(bits: .max))
    let fault = #expect(throws: RecordFault.self) {
      try store.write(author: String(repeating: "é", count: 513)) { _ in Issue.record("the body ran") }
    }
    #expect(fault?.code == .tooLarge)
    try artist(store, "a", author: String(repeating: "é", count: 512))
    #expect(try all(store).last?.author.utf8.count == 1024)
  }

  @Test func `readers filter by entities and authors`() throws {
    let store = try Self.library()
    for number in 0..<200 {
      let author = number % 3 == 0 ? "app" : "sync"
      if number % 2 == 0 {
        try artist(store, "\(number)", author: author)
      } else {
        try store.write(author: author) { try $0.table("Track").insert(["id": .string("\(number)")]) }
      }
    }
    let track = try store.read { try #require($0.catalog.entity("Track")?.id) }
    #expect(try all(store).count == 201)
    #expect(try all(store, by: "app").count == 67)
    #expect(try all(store, of: [track]).count == 100)
    #expect(try all(store, of: [track], by: "sync").count == 67)
    let numbers = try all(store).map(\.number)
    #expect(numbers == numbers.sorted())
  }

  // MARK: Tokens

  @Test func `a token of another store is refused`() throws {
    let (store, other) = (try Self.library(), try Self.library())
    let token = try latest(other)
    #expect(HistoryPlace(decoding: token.encoded) == token)
    #expect(HistoryPlace(decoding: [1, 2, 3]) == nil)
    let fault = #expect(throws: RecordFault.self) { _ = try all(store, after: token) }
    #expect(fault?.code == .unknown)
    #expect(throws: RecordFault.self) { try store.write { try $0.setConsumer("c", token) } }
    #expect(throws: RecordFault.self) { try store.write { try $0.pruneHistory(through: token) } }
  }

  /// A relaxed commit is seen before it is synced. A reader takes a token, the machine stops, and
  /// other commits get the same numbers. Before the fix, the reader skipped their changes without
  /// an error.
  @Test func `a token of a commit that a crash undid has expired`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", fileSystem: fileSystem)
    try store.write { try $0.change { $0 = try CatalogTests.library() } }
    let kept = try latest(store)
    let image = fileSystem.crashPoint()
    try store.write(.relaxed) { try $0.table("Artist").insert(["name": .string("lost")]) }
    let lost = try latest(store)
    #expect(try all(store, after: lost).isEmpty)
    let again = try RecordStore("/a.roost", fileSystem: image.image(.none))
    expectExpired(again, lost)
    try artist(again, "other")
    expectExpired(again, lost)
    try artist(again, "more")
    expectExpired(again, lost)
    #expect(try all(again, after: kept).count == 2)
    try store.close()
    try again.close()
  }

  // MARK: Off and on

  @Test func `a reader gets an error at a gap`() throws {
    let store = try Self.library()
    try artist(store, "seen")
    let before = try latest(store)
    try store.write { writer in
      try writer.setHistory(.off)
      try writer.table("Artist").insert(["name": .string("still seen")])
    }
    let atGap = try latest(store)
    // Nothing is missing yet.
    #expect(try all(store, after: before).count == 1)
    #expect(try all(store, after: atGap).isEmpty)
    try artist(store, "unseen")
    let inGap = try latest(store)
    #expect(try all(store, after: inGap).isEmpty)
    expectExpired(store, before)
    expectExpired(store, atGap)
    try artist(store, "unseen too")
    expectExpired(store, inGap)
    try store.write { writer in
      try writer.table("Artist").insert(["name": .string("the last unseen")])
      try writer.setHistory(.changes)
    }
    let behind = try latest(store)
    #expect(try all(store, after: behind).isEmpty)
    try artist(store, "seen again")
    #expect(try all(store, after: behind).count == 1)
    for token in [before, atGap, inGap] { expectExpired(store, token) }
    #expect(throws: RecordFault.self) { try all(store) }
    #expect(try all(store, crossesGaps: true).count == 4)
    // Removed transactions have no consumers to wait for.
    try store.write { try $0.pruneHistory(through: behind) }
    #expect(try all(store).count == 1)
    for token in [before, atGap, inGap] { expectExpired(store, token) }
    #expect(try all(store, after: behind).count == 1)
    // Off and on within one transaction, or a change that is undone, has no effect.
    try store.write { writer in
      try writer.setHistory(.off)
      try writer.setHistory(.full)
      do {
        try writer.savepoint {
          try writer.setHistory(.off)
          throw Stop()
        }
      } catch is Stop {}
      #expect(try writer.historyMode == .full)
    }
    try artist(store, "full")
    #expect(try all(store, after: behind).map(\.entry.isFull) == [false, true])
    try store.write { try $0.setHistory(.off) }
    let end = try latest(store)
    try artist(store, "x")
    #expect(try store.write { try $0.pruneHistory(through: try $0.latestToken) }.floor == end.transaction)
    expectExpired(store, end)
    #expect(try store.read { try $0.historyMode } == .off)
  }

  // MARK: Consumers and pruning

  @Test func `pruning waits for the slowest consumer`() throws {
    let store = try Self.library()
    var tokens: [HistoryPlace] = []
    for number in 0..<300 {
      try artist(store, "\(number)")
      tokens.append(try latest(store))
    }
    try store.write { writer in
      try writer.setConsumer("slow", tokens[100])
      try writer.setConsumer("fast", tokens[250])
    }
    #expect(try store.read { try $0.consumers.map(\.name) } == ["fast", "slow"])
    #expect(try store.read { try $0.consumers.map(\.token) } == [tokens[250], tokens[100]])
    let first = try store.write { try $0.pruneHistory(through: tokens[200]) }
    #expect(first == HistoryPruning(floor: tokens[100].transaction, heldBy: "slow"))
    #expect(try all(store, after: tokens[100]).count == 199)
    #expect(try all(store).count == 199)
    expectExpired(store, tokens[99])
    #expect(throws: RecordFault.self) { try store.write { try $0.setConsumer("late", tokens[50]) } }
    try store.write { try $0.setConsumer("slow", tokens[270]) }
    let second = try store.write { try $0.pruneHistory(through: tokens[200]) }
    #expect(second == HistoryPruning(floor: tokens[200].transaction, heldBy: nil))
    // A smaller limit removes nothing.
    #expect(try store.write { try $0.pruneHistory(through: tokens[10]) }.floor == tokens[200].transaction)
    let third = try store.write { try $0.pruneHistory(before: tokens[290].stamp) }
    #expect(third == HistoryPruning(floor: tokens[250].transaction, heldBy: "fast"))
    #expect(try store.write { try $0.removeConsumer("fast") })
    #expect(try store.write { try !$0.removeConsumer("fast") })
    try store.write { try $0.removeConsumer("slow") }
    for number in [255, 289, 290] {
      let floor = try store.write { try $0.pruneHistory(before: tokens[number].stamp).floor }
      #expect(floor == tokens[number - 1].transaction)
      #expect(try all(store, after: tokens[number - 1]).count == 300 - number)
    }
    let end = try latest(store)
    try store.write { try $0.pruneHistory(through: end) }
    #expect(try all(store).isEmpty)
    // Time and order continue after the removed transactions.
    try artist(store, "after")
    let rest = try all(store, after: end)
    #expect(rest.count == 1 && rest[0].stamp > tokens[299].stamp)
    for name in ["", String(repeating: "n", count: 257)] {
      #expect(throws: RecordFault.self) { try store.write { try $0.setConsumer(name, try $0.latestToken) } }
    }
  }

  /// An entry of megabytes must not name places in the record: replay makes the entry again, and
  /// those places would have no owner.
  @Test func `an entry of megabytes is read back from the log, and no place is lost`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", fileSystem: fileSystem)
    try store.write { writer in
      try writer.setHistory(.full)
      try writer.change { $0 = try CatalogTests.library() }
    }
    var generator = SplitMix64(seed: 5)
    try store.write { writer in
      let table = try writer.table("Artist")
      for _ in 0..<20_000 {
        let letters = generator.bytes(150).map { UnicodeScalar(33 + $0 % 90) }
        try table.insert(["name": .string(String(String.UnicodeScalarView(letters)))])
      }
    }
    func look(_ store: RecordStore) throws {
      let changes = try all(store)[1].entry.changes()
      #expect(changes.count == 20_000)
      try store.read { reader in
        let table = try reader.table("Artist")
        for change in changes where change.row.number % 500 == 0 {
          #expect(try table.values(change.row)?.values.first.map { .value($0) } == change.values.first?.content)
        }
      }
    }
    /// The pages in use after everything is in the file.
    func pages(_ fileSystem: SimulatedFileSystem) throws -> Int {
      try RecordStore("/a.roost", fileSystem: fileSystem).close()
      let store = try RecordStore("/a.roost", fileSystem: fileSystem)
      try look(store)
      let found = try store.store.statistics()
      try store.close()
      return found.pageCount - found.freePages
    }
    let crashed = fileSystem.crashPoint().image(.none)
    crashed.recordsSteps = false
    try look(store)
    try store.close()
    let (one, other) = (try pages(fileSystem), try pages(crashed))
    #expect(one > 1000 && abs(one - other) < 50, "\(one) and \(other) pages are in use")
  }
}
