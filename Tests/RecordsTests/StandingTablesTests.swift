import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Tables that stay open for the next transaction.
@Suite struct StandingTablesTests {
  private let fileSystem = SimulatedFileSystem()
  private let store: RecordStore

  init() throws {
    store = try RecordStore("/a.roost", fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        for name in ["Cat", "Dog"] {
          try catalog.add(entity: name) { (entity) throws(RecordFault) in try entity.add("name", .string) }
          try catalog.add(index: name, of: name, on: ["name"], isUnique: true)
        }
      }
    }
    try insert("first")
  }

  /// Returns the tables that the transaction used.
  @discardableResult
  private func insert(
    _ name: String, into entity: String = "Cat", _ store: RecordStore? = nil,
    _ more: (RecordWriter) throws -> Void = { _ in }
  ) throws -> ObjectIdentifier {
    try (store ?? self.store).write { writer in
      try writer.table(entity).insert(["name": .string(name)])
      try more(writer)
      return ObjectIdentifier(writer.tables)
    }
  }

  private func names(_ entity: String = "Cat") throws -> [String] {
    try store.read { reader in
      let table = try reader.table(entity)
      return try (1...table.count).compactMap { number in
        guard case .string(let name)? = try table.values(RowID(UInt64(number)))?["name"] else { return nil }
        return name
      }
    }
  }

  @Test func `the next transaction uses the tables of the last one`() throws {
    let first = try insert("second")
    #expect(try insert("third") == first)
    #expect(try insert("Rex", into: "Dog") == first)
    #expect(try insert("fourth") == first)
    #expect(try names() == ["first", "second", "third", "fourth"])
    #expect(try names("Dog") == ["Rex"])
    #expect(try store.complaints() == [])
    #expect(throws: RecordFault.self) { try insert("third") }
  }

  @Test func `another store object of the same file commits in between`() throws {
    let other = try RecordStore("/a.roost", fileSystem: fileSystem)
    defer { try? other.close() }
    let (mine, theirs) = (try insert("second"), try insert("third", other))
    #expect(mine != theirs)
    try insert("fourth")
    try insert("fifth", other)
    #expect(try names() == ["first", "second", "third", "fourth", "fifth"])
    #expect(throws: RecordFault.self) { try insert("fifth") }
    #expect(try store.complaints() == [])
  }

  struct Stop: Error {}

  @Test func `an abandoned transaction leaves no tables`() throws {
    try insert("second")
    #expect(throws: Stop.self) { try insert("lost") { _ in throw Stop() } }
    try insert("third")
    try insert("fourth") { writer in
      try? writer.savepoint {
        try writer.table("Cat").insert(["name": .string("lost")])
        throw Stop()
      }
    }
    try insert("lost") { writer in
      try writer.table("Cat").delete(RowID(5))
      try writer.change { catalog in try catalog.add(index: "again", of: "Cat", on: ["name"]) }
    }
    try insert("fifth")
    #expect(try store.read { try $0.table("Cat").values(RowID(6)) } == ["name": .string("fifth")])
    #expect(try store.read { try $0.table("Cat").values(RowID(5)) } == nil)
    #expect(try store.complaints() == [])
  }

  @Test func `a table cannot be used after its transaction, and a new one notes only its own rows`() throws {
    var kept: TableWriter?
    try store.write { writer in
      kept = try writer.table("Dog")
      try kept?.insert(["name": .string("Rex")])
    }
    #expect(throws: StoreError.self) { try kept?.insert(["name": .string("Ben")]) }
    try insert("second")
    #expect(throws: StoreError.self) { try kept?.delete(RowID(1)) }
    let entities = try store.read { reader in
      let cursor = try reader.history()
      var told: [[EntityID]] = []
      while let commit = try cursor.move() { told.append(commit.entry.entities) }
      return told
    }
    #expect(entities.suffix(2) == [[EntityID(2)], [EntityID(1)]])
  }

  @Test func `a large transaction keeps nothing`() throws {
    let first = try insert("second")
    let large = try store.write { writer in
      for number in 0..<20_000 { try writer.table("Cat").insert(["name": .string("\(number) of many cats")]) }
      return ObjectIdentifier(writer.tables)
    }
    #expect(large == first)
    let isNew = try store.write { writer in
      defer { _ = try? writer.table("Cat") }
      return !writer.tables.isStanding
    }
    #expect(isNew)
    try insert("another")
    #expect(try store.complaints() == [])
  }
}
