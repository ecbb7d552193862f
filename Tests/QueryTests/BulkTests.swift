import RoostQuery
import RoostRecords
import Testing

@Suite("Updates and deletions by query") struct BulkTests {
  let library: Library

  init() throws { library = try Library() }

  private var rock: Expression { .compare(.equal, library.track("genre"), .constant(.string("rock"), .string)) }

  private func count(_ condition: Expression) throws -> Int {
    try library.store.read { try Planner(Ground($0)).plan(Query("Track", where: condition)).count() }
  }

  @Test func valuesAreComputedFromEachRow() throws {
    let before = try library.expected(Query("Track", where: rock))
    let plays = try values(before)
    let changed = try library.store.write { writer in
      try writer.update(
        Query("Track", where: rock),
        set: ["plays": .arithmetic(.add, library.track("plays"), .constant(.int(100), .int))])
    }
    #expect(changed == before.count)
    for (old, new) in zip(plays, try values(before)) { #expect(new == old + 100) }
  }

  private func values(_ rows: [RowID]) throws -> [Int64] {
    try library.store.read { reader in
      let table = try reader.table("Track")
      return try rows.map { row in
        guard case .int(let number)? = try table.values(row)?["plays"] else {
          throw RecordFault(.unknown, "a test's row")
        }
        return number
      }
    }
  }

  @Test func anUpdateOfTheTestedFieldEnds() throws {
    // Rows that are changed while an index is read may move ahead of the reader.
    let all = try count(rock)
    let changed = try library.store.write { writer in
      try writer.update(Query("Track", where: rock), set: ["genre": .constant(.string("zouk"), .string)])
    }
    #expect(changed == all)
    #expect(try count(rock) == 0)
  }

  @Test func anErrorUndoesAllChanges() throws {
    let before = try library.store.read { reader in try reader.table("Track").values(RowID(1)) }
    #expect(throws: ConditionFault.self) {
      try library.store.write { writer in
        try writer.update(
          Query("Track"),
          set: ["plays": .arithmetic(.divide, .constant(.int(100), .int), library.track("plays"))])
      }
    }
    #expect(throws: RecordFault.self) {
      try library.store.write { writer in
        let table = try writer.table("Track")
        var number = 0
        do {
          try writer.update(Query("Track")) { builder in
            number += 1
            try builder.set(table.slot("title"), .string("changed"))
            if number == 100 { throw RecordFault(.denied, "enough") }
          }
        } catch {
          #expect(try writer.reading("Track").values(RowID(1)) == before)
          throw error
        }
      }
    }
    #expect(try library.store.read { reader in try reader.table("Track").values(RowID(1)) } == before)
  }

  @Test func aValueOfAnotherKindIsRefused() throws {
    #expect(throws: ConditionFault.self) {
      try library.store.write { writer in
        try writer.update(Query("Track", where: rock), set: ["plays": .constant(.string("many"), .string)])
      }
    }
  }

  @Test func rowsAreDeleted() throws {
    let (all, left) = (try count(rock), try count(.not(rock)))
    let deleted = try library.store.write { writer in try writer.delete(Query("Track", where: rock)) }
    #expect(deleted.asked == all)
    #expect(try count(rock) == 0)
    #expect(try count(.not(rock)) == left)
  }
}
