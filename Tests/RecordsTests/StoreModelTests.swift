import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Random changes of rows, compared with plain dictionaries, with reopening after a crash,
/// savepoints and a changing catalog.
@Suite struct StoreModelTests {
  private struct Model: Equatable {
    var rows: [RowID: [String: Value]] = [:]
    var next: UInt64 = 1
  }

  private static func options() -> StoreOptions {
    var options = StoreOptions()
    options.checkpointing = .inline
    options.segmentBytes = 32768
    options.logBytes = 120_000
    options.draftBytes = 100 * 4096
    options.fanoutLimit = 8
    return options
  }

  private static func value(_ name: String, _ generator: inout SplitMix64) -> Value {
    switch name {
    case "id": .string("id \(generator.below(300))")
    case "title": .string(String(repeating: "t\(generator.below(9))", count: generator.below(6)))
    case "genre": generator.chance(1, in: 4) ? .null : .string("genre \(generator.below(5))")
    case "rating": generator.chance(1, in: 3) ? .null : .int(Int64(generator.below(6)))
    case "album": generator.chance(1, in: 3) ? .null : .reference(RowID(UInt64(generator.below(50))))
    case "text":
      .string(String(repeating: "x", count: [10, 300, 1500, 9000][generator.below(4)]) + "\(generator.below(9))")
    case "notes":
      .array(
        (0..<generator.below(3)).map { number in
          .structure([.date(Double(number)), generator.chance(1, in: 2) ? .null : .string("n")])
        })
    default: .null
    }
  }

  private static func catalog() throws -> RoostRecords.Catalog {
    var catalog = try CatalogTests.library()
    try catalog.change(entity: "Track") { (entity) throws(RecordFault) in try entity.add("text", .string) }
    try catalog.add(index: "text", of: "Track", on: ["text", "rating"], descending: ["rating"])
    try catalog.add(index: "album", of: "Track", on: ["album"])
    return catalog
  }

  private static let names = ["id", "title", "album", "genre", "rating", "notes", "text"]

  /// The index's keys, computed only from the values.
  private func check(_ store: RecordStore, _ model: Model, _ context: String) throws {
    #expect(try store.complaints() == [], "\(context)")
    try store.read { reader in
      let table = try reader.table("Track")
      #expect(table.count == model.rows.count, "\(context)")
      for (id, expected) in model.rows {
        let found = try table.values(id)
        #expect(found == expected, "\(context) row \(id.number)")
      }
      for reader in table.indexes {
        let (index, tree) = (reader.index, reader.tree)
        var wanted = Set<[UInt8]>()
        for (id, values) in model.rows {
          var key = ByteBuffer()
          var isShared = !index.isUnique
          var isIn = true
          for test in index.tests {
            switch test {
            case .isNull(let field): isIn = isIn && values[table.entity.field(field)!.name] == .null
            case .isNotNull(let field): isIn = isIn && values[table.entity.field(field)!.name] != .null
            case .equals(let field, let value): isIn = isIn && values[table.entity.field(field)!.name] == value
            case .compares, .any: Issue.record("the catalog of this play has no such test")
            }
          }
          if !isIn { continue }
          for part in index.parts {
            let field = table.entity.field(part.field)!
            let value = values[field.name]!
            let start = key.count
            if field.isOptional { key.append(value.isNull ? 0 : 1) }
            if value.isNull {
              isShared = true
            } else {
              try KeyCoding.append(value, as: field.type, to: &key, cutBehind: index.textBytes)
            }
            if part.isDescending { key.complement(from: start) }
          }
          if isShared { KeyCoding.append(row: id, to: &key) }
          wanted.insert([UInt8](key.bytes))
        }
        var cursor = ByteCursor(tree)
        var found = Set<[UInt8]>()
        var isThere = try cursor.first()
        while isThere {
          found.insert([UInt8](cursor.key.bytes))
          let row = IndexEntry.row(cursor.key.bytes, cursor.value.bytes)?.row
          #expect(row.map { model.rows[$0] != nil } == true, "\(context)")
          isThere = try cursor.next()
        }
        #expect(found == wanted, "\(context) index \(index.name)")
      }
    }
  }

  /// Changes the table and the model in the same way.
  private func change(
    _ table: TableWriter, _ model: inout Model, _ generator: inout SplitMix64
  ) throws {
    let some = model.rows.keys.sorted()
    switch generator.below(6) {
    case 5:
      let values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Self.value($0, &generator)) })
      let taken = model.rows.first { $0.value["id"] == values["id"] }
      var builder = table.makeBuilder()
      for (name, value) in values { try builder.set(table.slot(name), value) }
      let done = try table.upsert(&builder, on: "id")
      #expect(done.id == taken?.key ?? RowID(model.next) && done.outcome == (taken == nil ? .inserted : .updated))
      if taken == nil { model.next += 1 }
      model.rows[taken?.key ?? RowID(model.next - 1)] = values
    case 0...2:
      var values = Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Self.value($0, &generator)) })
      let taken = model.rows.first { $0.value["id"] == values["id"] }
      do {
        var builder = table.makeBuilder()
        for (name, value) in values { try builder.set(table.slot(name), value) }
        let id = try table.insert(&builder)
        #expect(taken == nil)
        #expect(id == RowID(model.next))
        model.next += 1
        values["unused"] = nil
        model.rows[id] = values
      } catch let fault as RecordFault {
        #expect(fault.code == .notUnique && taken != nil, "\(fault)")
      }
    case 3:
      guard let id = some.isEmpty ? nil : some[generator.below(some.count)] else { return }
      let names = Self.names.filter { _ in generator.chance(1, in: 3) }
      let values = names.map { ($0, Self.value($0, &generator)) }
      let taken = model.rows.first { row in row.key != id && values.contains { $0.0 == "id" && row.value["id"] == $0.1 }
      }
      do {
        let found = try table.update(id) { builder in
          for (name, value) in values { try builder.set(table.slot(name), value) }
        }
        #expect(found && taken == nil)
        for (name, value) in values { model.rows[id]![name] = value }
      } catch let fault as RecordFault {
        #expect(fault.code == .notUnique && taken != nil, "\(fault)")
      }
    default:
      guard let id = some.isEmpty ? nil : some[generator.below(some.count)] else { return }
      #expect(try table.delete(id))
      #expect(try !table.delete(id))
      model.rows[id] = nil
    }
  }

  struct Stop: Error {}

  @Test(arguments: UInt64(1)...8) func `rows and indexes agree with a dictionary, through crashes`(seed: UInt64) throws
  {
    var generator = SplitMix64(seed: seed)
    var fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    try store.write { try $0.change { $0 = try Self.catalog() } }
    // A second store object of the same file sometimes writes.
    var other = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
    var model = Model()
    for round in 0..<60 {
      var next = model
      do {
        try (generator.chance(1, in: 4) ? other : store).write { writer in
          for _ in 0..<generator.below(12) { try change(writer.table("Track"), &next, &generator) }
          if generator.chance(1, in: 4) {
            var inner = next
            let keeps = generator.chance(1, in: 2)
            do {
              try writer.savepoint {
                for _ in 0..<generator.below(6) { try change(writer.table("Track"), &inner, &generator) }
                if !keeps { throw Stop() }
              }
              next = inner
            } catch is Stop {}
            for _ in 0..<generator.below(3) { try change(writer.table("Track"), &next, &generator) }
          }
          if generator.chance(1, in: 6) { throw Stop() }
        }
        model = next
      } catch is Stop {}
      if generator.chance(1, in: 5) {
        if generator.chance(1, in: 2) {
          try other.close()
          try store.close()
        } else {
          // All unsynced data is lost.
          fileSystem = fileSystem.crashPoint().image(CrashChoice.none)
          fileSystem.recordsSteps = false
        }
        store = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
        other = try RecordStore("/a.roost", options: Self.options(), fileSystem: fileSystem)
      }
      if round % 10 == 9 { try check(store, model, "seed \(seed), round \(round)") }
    }
    try other.close()
    try store.close()
  }

  @Test func `a table of an ended transaction is refused, and changes nothing`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    var kept: TableWriter?
    try store.write { writer in
      try writer.change { $0 = try CatalogTests.library() }
      let before = try writer.table("Artist")
      do {
        try writer.savepoint {
          try before.insert(["name": .string("undone")])
          throw Stop()
        }
      } catch is Stop {}
      #expect(throws: StoreError.self) { try before.insert(["name": .string("lost")]) }
      #expect(throws: StoreError.self) { try before.delete(RowID(1)) }
      kept = try writer.table("Artist")
      try kept?.insert(["name": .string("kept")])
    }
    let table = try #require(kept)
    #expect(throws: StoreError.self) { try table.insert(["name": .string("late")]) }
    #expect(throws: StoreError.self) { try table.update(RowID(1), ["name": .string("late")]) }
    try store.read { reader in
      let table = try reader.table("Artist")
      #expect(table.count == 1)
      #expect(try table.values(RowID(1)) == ["name": .string("kept")])
    }
  }

  /// Before the fix, values of a megabyte were written to places that the record named beside their
  /// bytes. Replay put the bytes elsewhere, and the places that it had reserved for them had no
  /// owner.
  @Test func `a value of megabytes loses no place in replay`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try RecordStore("/a.roost", fileSystem: fileSystem)
    try store.write { try $0.change { $0 = try CatalogTests.library() } }
    var generator = SplitMix64(seed: 5)
    let letters = generator.bytes(3 << 20).map { UnicodeScalar(33 + $0 % 90) }
    let name = Value.string(String(String.UnicodeScalarView(letters)))
    try store.write { try $0.table("Artist").insert(["name": name]) }
    let crashed = fileSystem.crashPoint().image(.none)
    crashed.recordsSteps = false
    try store.close()
    func pages(_ fileSystem: SimulatedFileSystem) throws -> Int {
      try RecordStore("/a.roost", fileSystem: fileSystem).close()
      let store = try RecordStore("/a.roost", fileSystem: fileSystem)
      #expect(try store.read { try $0.table("Artist").values(RowID(1)) } == ["name": name])
      let found = try store.store.statistics()
      try store.close()
      return found.pageCount - found.freePages
    }
    let (one, other) = (try pages(fileSystem), try pages(crashed))
    #expect(one > 500 && abs(one - other) < 50, "\(one) and \(other) pages are in use")
  }

  @Test func `a list that was never set is empty`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { $0 = try CatalogTests.library() }
      try writer.table("Track").insert(["id": .string("a")])
    }
    try store.read { reader in
      let values = try #require(try reader.table("Track").values(RowID(1)))
      #expect(values["notes"] == .array([]) && values["genre"] == .null)
    }
  }

  @Test func `fields are added and removed, and the rows do not change`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { $0 = try CatalogTests.library() }
      for number in 0..<20 { try writer.table("Track").insert(["id": .string("\(number)"), "title": .string("t")]) }
    }
    try store.write { writer in
      try writer.change { catalog in
        try catalog.change(entity: "Track") { (entity) throws(RecordFault) in
          try entity.remove("notes")
          try entity.rename("title", to: "name")
          try entity.add("stars", .int32, initial: .int(4))
          try entity.add("comment", .string, isOptional: true)
        }
        try catalog.add(index: "stars", of: "Track", on: ["stars", "name"])
      }
      try writer.table("Track").update(RowID(3), ["comment": .string("good")])
      try writer.table("Track").insert(["id": .string("new"), "name": .string("n"), "stars": .int(1)])
    }
    try store.read { reader in
      let table = try reader.table("Track")
      let old = try #require(try table.values(RowID(1)))
      #expect(old["name"] == .string("t") && old["stars"] == .int(4) && old["comment"] == .null && old["notes"] == nil)
      let changed = try #require(try table.values(RowID(3)))
      #expect(changed["stars"] == .int(4) && changed["comment"] == .string("good"))
      #expect(try table.row(unique: "id", [.string("new")]) == RowID(21))
      #expect(try table.row(unique: "id", [.string("nobody")]) == nil)
      #expect(table.index("stars")?.count == 21)
    }
    // A field that cannot be unique is refused with the row, and nothing has changed.
    let fault = #expect(throws: RecordFault.self) {
      try store.write { writer in
        try writer.change { try $0.add(index: "one", of: "Track", on: ["name"], isUnique: true) }
      }
    }
    #expect(fault?.code == .notUnique && fault?.entity == "Track")
    try store.read { #expect($0.catalog.indexes.count == 4) }
  }
}
