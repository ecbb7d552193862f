import RoostFile
import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@testable import RoostRecords

/// Rows that are added or changed by their unique values, and texts that are longer than keys.
@Suite struct UpsertTests {
  private func filled() throws -> RecordStore {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "User") { (entity) throws(RecordFault) in
          try entity.add("mail", .string, isOptional: true)
          try entity.add("nick", .string, isOptional: true)
          try entity.add("age", .int64, isOptional: true)
          try entity.add("text", .string, isOptional: true)
        }
        try catalog.add(index: "mail", of: "User", on: ["mail"], isUnique: true)
        try catalog.add(index: "nick", of: "User", on: ["nick"], isUnique: true)
      }
      let table = try writer.table("User")
      try table.insert(["mail": .string("a"), "nick": .string("A"), "age": .int(1), "text": .string("one")])
      try table.insert(["mail": .string("b"), "nick": .string("B"), "age": .int(2)])
    }
    return store
  }

  private func upsert(
    _ table: TableWriter, _ values: KeyValuePairs<String, Value>, on index: String? = "mail", _ policy: UpsertPolicy
  ) throws -> (id: RowID, outcome: UpsertOutcome) {
    var row = table.makeBuilder()
    for (name, value) in values { try row.set(table.slot(name), value) }
    return try table.upsert(&row, on: index, policy)
  }

  @Test func `each policy has its effect, and the row keeps its number`() throws {
    let store = try filled()
    let long = String(repeating: "long ", count: 1000)
    try store.write { writer in
      let table = try writer.table("User")
      func row(_ number: UInt64) throws -> [String: Value] { try writer.reading("User").values(RowID(number)) ?? [:] }
      let new = try upsert(table, ["mail": .string("c"), "age": .int(3)], .replace)
      #expect(new.id == RowID(3) && new.outcome == .inserted)
      let replaced = try upsert(table, ["mail": .string("a"), "age": .int(9), "text": .string(long)], .replace)
      #expect(replaced.id == RowID(1) && replaced.outcome == .updated)
      #expect(try row(1) == ["mail": .string("a"), "nick": .null, "age": .int(9), "text": .string(long)])
      let kept = try upsert(table, ["mail": .string("b"), "age": .int(9)], .keepExisting)
      #expect(kept.id == RowID(2) && kept.outcome == .kept)
      #expect(try row(2)["age"] == .int(2))
      let merged = try upsert(table, ["mail": .string("b"), "text": .string("two")], .mergeNonNil)
      #expect(merged.outcome == .updated)
      #expect(try row(2) == ["mail": .string("b"), "nick": .string("B"), "age": .int(2), "text": .string("two")])
      let age = try table.slot("age")
      let own = try upsert(
        table, ["mail": .string("b"), "age": .int(40)],
        .merge { existing, new in
          existing.set(age, word: new.start.loadUnaligned(fromByteOffset: age.position, as: UInt64.self) + 2)
        })
      #expect(own.outcome == .updated)
      #expect(try row(2)["age"] == .int(42))
      let fault = #expect(throws: RecordFault.self) { try upsert(table, ["mail": .string("a")], .throw) }
      #expect(fault?.code == .notUnique && fault?.rows == [RowName(EntityID(1), RowID(1))])
      // Nil conflicts with nothing.
      #expect(try upsert(table, ["nick": .string("N")], .replace).outcome == .inserted)
      #expect(try upsert(table, ["nick": .string("M")], .replace).outcome == .inserted)
    }
  }

  @Test func `two conflicting rows are an error that names them, and nothing has changed`() throws {
    let store = try filled()
    try store.write { writer in
      let table = try writer.table("User")
      let both: KeyValuePairs<String, Value> = ["mail": .string("a"), "nick": .string("B"), "age": .int(7)]
      let first = #expect(throws: RecordFault.self) { try upsert(table, both, on: nil, .replace) }
      #expect(first?.code == .notUnique && first?.rows == [1, 2].map { RowName(EntityID(1), RowID($0)) })
      let second = #expect(throws: RecordFault.self) { try upsert(table, both, on: "mail", .replace) }
      #expect(second?.code == .notUnique && second?.rows == [RowName(EntityID(1), RowID(2))])
      #expect(throws: RecordFault.self) { try upsert(table, both, on: "nobody", .replace) }
      let one = try upsert(table, ["nick": .string("B"), "age": .int(8)], on: nil, .mergeNonNil)
      #expect(one.id == RowID(2))
      let reading = try writer.reading("User")
      #expect(try reading.count == 2 && reading.values(RowID(1))?["age"] == .int(1))
      #expect(try reading.values(RowID(2))?["age"] == .int(8))
      let ages = try table.update(many: (1...5).map { RowID($0) }) { try $0.set(table.slot("age"), .int(5)) }
      #expect(ages == 2)
      #expect(try table.delete(many: [RowID(2), RowID(7)]) == 1)
    }
  }

  @Test func `a long text is unique as a whole, in any normal form`() throws {
    let store = try filled()
    let long = String(repeating: "x", count: 2000)
    try store.write { writer in
      let table = try writer.table("User")
      let first = try table.insert(["mail": .string(long + "\u{E9}")])
      let second = try table.insert(["mail": .string(long + "b")])
      // This writes the letter in two scalars.
      let fault = #expect(throws: RecordFault.self) { try table.insert(["mail": .string(long + "e\u{301}")]) }
      #expect(fault?.code == .notUnique && fault?.rows == [RowName(EntityID(1), first)])
      #expect(throws: RecordFault.self) { try table.update(second, ["mail": .string(long + "\u{E9}")]) }
      #expect(try table.update(second, ["mail": .string(long + "b")]))
      #expect(try upsert(table, ["mail": .string(long + "b"), "age": .int(3)], .replace).id == second)
      #expect(try table.insert(["mail": .string(long)]) == RowID(5))
      // A new index over them finds the same conflicts.
      try table.insert(["text": .string(long + "1")])
      let same = try table.insert(["text": .string(long + "1")])
      let late = #expect(throws: RecordFault.self) {
        try writer.change { try $0.add(index: "text", of: "User", on: ["text"], isUnique: true) }
      }
      #expect(late?.code == .notUnique && late?.rows.count == 2)
      try writer.table("User").update(same, ["text": .string(long + "2")])
      try writer.change { try $0.add(index: "text", of: "User", on: ["text"], isUnique: true) }
    }
    try store.read { reader in
      let table = try reader.table("User")
      #expect(try table.row(unique: "mail", [.string(long + "b")]) == RowID(4))
      #expect(try table.row(unique: "mail", [.string(long + "e\u{301}")]) == RowID(3))
      #expect(try table.row(unique: "mail", [.string(long + "c")]) == nil)
      #expect(try table.row(unique: "mail", [.string("a")]) == RowID(1))
    }
  }

  @Test func `keys of many long parts fit, and keep their order`() throws {
    let store = try RecordStore(inMemory: StoreOptions())
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Wide") { (entity) throws(RecordFault) in
          for number in 0..<30 { try entity.add("f\(number)", number < 4 ? .string : .decimal, isOptional: true) }
        }
        try catalog.add(index: "texts", of: "Wide", on: ["f0", "f1", "f2", "f3"], isUnique: true)
        try catalog.add(index: "zeros", of: "Wide", on: ["f0"])
        try catalog.add(index: "all", of: "Wide", on: (4..<30).map { "f\($0)" })
      }
      let table = try writer.table("Wide")
      let (zeros, long) = (String(repeating: "\0", count: 700), String(repeating: "a", count: 700))
      for last in ["a", "b"] {
        try table.insert(["f0": .string(zeros), "f1": .string(long), "f2": .string(zeros), "f3": .string(long + last)])
      }
      let same = #expect(throws: RecordFault.self) {
        try table.insert(["f0": .string(zeros), "f1": .string(long), "f2": .string(zeros), "f3": .string(long + "a")])
      }
      #expect(same?.code == .notUnique)
      // A key that does not fit is an error, and the transaction continues.
      var row = table.makeBuilder()
      let large = DecimalNumber(mantissa: UInt128.max / 3, exponent: 1)
      for number in 4..<30 { try row.set(table.slot("f\(number)"), .decimal(large)) }
      let fault = #expect(throws: RecordFault.self) { try table.insert(&row) }
      #expect(fault?.code == .tooLarge && fault?.entity == "Wide")
      try table.insert(["f0": .string("last")])
    }
    try store.read { reader in
      let table = try reader.table("Wide")
      #expect(table.count == 3)
      for index in table.indexes { #expect(index.count == 3) }
    }
  }
}
