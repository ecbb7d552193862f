import RoostPages
import RoostQuery
import RoostRecords
import Testing

/// Conditions on the rows of relationships, which a program computes without the interpreter.
@Suite("Rows of a relationship") struct RowLoopTests {
  let store: RecordStore
  let catalog: Catalog

  /// Folder n has n notes, 10 n + 1 and so on. Every folder links to all folders with a smaller
  /// number, in descending order.
  init() throws {
    store = try RecordStore(inMemory: StoreOptions())
    var found: Catalog?
    try store.write { writer in
      try writer.change { catalog in
        let folder = try catalog.add(entity: "Folder") { (entity) throws(RecordFault) in
          try entity.add("name", .string)
        }
        try catalog.change(entity: "Folder") { (entity) throws(RecordFault) in
          try entity.add("parent", .reference(folder), isOptional: true)
        }
        try catalog.add(entity: "Note") { (entity) throws(RecordFault) in
          try entity.add("number", .int64)
          try entity.add("text", .string)
          try entity.add("folder", .reference(folder), isOptional: true)
        }
        try catalog.add(reference: "parent", of: "Folder", inverse: .init("children"), isChecked: false)
        try catalog.add(reference: "folder", of: "Note", inverse: .init("notes", isOrdered: true))
        try catalog.add(
          links: .init("links", isOrdered: true), of: "Folder", to: "Folder", inverse: .init("linked"))
      }
      for number in 1...4 {
        try writer.table("Folder").insert([
          "name": .string("folder \(number)"), "parent": number == 1 ? .null : .reference(RowID(UInt64(number - 1))),
        ])
      }
      for number in 1...4 {
        for note in 0..<number {
          // The last text is stored outside its row.
          let text = note == 3 ? String(repeating: "long ", count: 2000) : "note \(note)"
          try writer.table("Note").insert([
            "number": .int(Int64(10 * number + note)), "text": .string(text),
            "folder": .reference(RowID(UInt64(number))),
          ])
        }
        let links = try writer.links("links", of: "Folder")
        for other in (1..<number).reversed() { try links.append(RowID(UInt64(other)), to: RowID(UInt64(number))) }
      }
      found = writer.catalog
    }
    catalog = try #require(found)
  }

  // MARK: Writing

  private func field(_ entity: String, _ name: String, of base: Expression = .row) -> Expression {
    .field(base, catalog.entity(entity)?.field(name)?.id ?? FieldID(999))
  }

  private func many(_ name: String, of base: Expression = .row) -> Expression {
    .many(base, catalog.relationships.first { $0.name == name }?.id ?? RelationshipID(999))
  }

  private func number(of variable: Int) -> Expression { field("Note", "number", of: .variable(variable)) }

  private func above(_ least: Int64, _ variable: Int = 1) -> Expression {
    .compare(.greater, number(of: variable), int(least))
  }

  /// The folders for which a condition is true. The program must compute it alone, and the
  /// interpreter must agree.
  private func folders(_ condition: Expression, escapes: Int = 0) throws -> [UInt64] {
    try store.read { reader in
      let ground = Ground(reader)
      let folder = try #require(reader.catalog.entity("Folder")).id
      let term = try Checker.condition(condition, reader.catalog, entity: folder)
      #expect(try Program(condition: term, ground, folder).escapes == escapes)
      let rows = try Planner(ground).plan(Query("Folder", where: condition)).rows().map(\.number)
      var interpreter = Interpreter(ground, folder)
      let plain = try (1...4).filter { try interpreter.test(term, RowID($0)) }
      #expect(rows == plain)
      let others = try Planner(ground).plan(Query("Folder", where: .not(condition))).rows().map(\.number)
      #expect((rows + others).sorted() == [1, 2, 3, 4])
      return rows
    }
  }

  // MARK: Tests

  @Test func `some and all`() throws {
    #expect(try folders(.quantified(.some, 1, many("notes"), above(31))) == [3, 4])
    #expect(try folders(.quantified(.all, 1, many("notes"), above(20))) == [3, 4])
    #expect(try folders(.quantified(.some, 1, many("links"), .compare(.equal, .variable(1), .row))) == [])
    let long = Expression.text(.hasSuffix, field("Note", "text", of: .variable(1)), text("long "))
    #expect(try folders(.quantified(.some, 1, many("notes"), long)) == [4])
    #expect(try folders(.quantified(.all, 1, many("children"), bool(false))) == [4])
  }

  @Test func `counts and emptiness`() throws {
    #expect(try folders(.compare(.equal, .count(many("notes")), int(2))) == [2])
    #expect(try folders(.isEmpty(many("links"))) == [1])
    #expect(try folders(.compare(.equal, .isEmpty(many("links")), bool(false))) == [2, 3, 4])
    let filtered = Expression.filter(1, many("notes"), above(31))
    #expect(try folders(.compare(.equal, .count(filtered), int(1))) == [3])
    #expect(try folders(.isEmpty(filtered)) == [1, 2])
    let twice = Expression.filter(2, filtered, .compare(.less, number(of: 2), int(42)))
    #expect(try folders(.compare(.equal, .count(twice), int(2))) == [4])
    #expect(try folders(.quantified(.some, 2, filtered, above(42, 2))) == [4])
  }

  @Test func `which rows`() throws {
    let second = Expression.constant(.reference(RowID(2)), .plain(.reference(EntityID(1))))
    #expect(try folders(.contains(many("links"), second)) == [3, 4])
    #expect(try folders(.contains(many("children"), second)) == [1])
    #expect(try folders(.contains(many("links"), field("Folder", "parent"))) == [2, 3, 4])
    #expect(try folders(.compare(.equal, .first(many("links")), second)) == [3])
    #expect(try folders(.compare(.equal, .last(many("links")), second)) == [])
    #expect(try folders(.compare(.equal, field("Note", "number", of: .last(many("notes"))), int(32))) == [3])
    let late = Expression.filter(1, many("notes"), above(21))
    #expect(try folders(.compare(.equal, field("Note", "number", of: .first(late)), int(30))) == [3])
    let one = Expression.filter(1, many("links"), .compare(.notEqual, .variable(1), second))
    #expect(try folders(.contains(one, second)) == [])
    #expect(try folders(.compare(.equal, .last(one), null(.plain(.reference(EntityID(1)))))) == [1])
  }

  @Test func `loops in loops`() throws {
    // A folder that links to one with a note that has a greater number than every note of another
    // linked folder.
    let greater = Expression.compare(.greater, number(of: 2), number(of: 4))
    let all = Expression.quantified(.all, 4, many("notes", of: .variable(3)), greater)
    let other = Expression.quantified(.some, 3, many("links"), all)
    let some = Expression.quantified(.some, 2, many("notes", of: .variable(1)), other)
    #expect(try folders(.quantified(.some, 1, many("links"), some)) == [3, 4])
    // Both loops go over the same rows.
    let pair = Expression.compare(.equal, number(of: 2), .arithmetic(.add, number(of: 1), int(2)))
    let twice = Expression.quantified(.some, 1, many("notes"), .quantified(.some, 2, many("notes"), pair))
    #expect(try folders(twice) == [3, 4])
  }

  @Test func `loops over references that may be nil`() throws {
    let parent = field("Folder", "parent")
    let rows = many("notes", of: parent)
    let count = Expression.ifLet(1, rows, .count(.variable(1)), null(.int))
    #expect(try folders(.compare(.equal, count, int(2))) == [3])
    #expect(try folders(.compare(.equal, count, null(.int))) == [1])
    let orEmpty = Expression.coalesce(rows, .constant(.array([]), .rows(EntityID(2))))
    #expect(try folders(.isEmpty(orEmpty)) == [1])
    // It was once taken for nil, because its kind is optional.
    let perhaps = Expression.coalesce(rows, .constant(.array([]), .optional(.rows(EntityID(2)))))
    #expect(try folders(.ifLet(1, perhaps, .isEmpty(.variable(1)), bool(false))) == [1])
    let within = Expression.ifLet(1, rows, .quantified(.some, 2, .variable(1), above(30, 2)), bool(true))
    #expect(try folders(within) == [1, 4])
    let isChild = Expression.compare(.notEqual, parent, null(.plain(.reference(EntityID(1)))))
    #expect(try folders(.and([isChild, .compare(.greater, .count(.unwrap(rows)), int(1))])) == [3, 4])
    let fault = #expect(throws: ConditionFault.self) { try folders(.isEmpty(.unwrap(rows))) }
    #expect(fault?.code == .nilUnwrapped)
  }

  @Test func `the interpreter knows the variables of a loop`() throws {
    let lower = Expression.changed(.lowercased, field("Note", "text", of: .variable(1)))
    let note = Expression.quantified(.some, 1, many("notes"), .compare(.equal, lower, text("note 1")))
    #expect(try folders(note, escapes: 1) == [2, 3, 4])
    let conditional = Expression.conditional(bool(true), .variable(1), .variable(1))
    let named = Expression.ifLet(1, many("notes"), .compare(.equal, .count(conditional), int(3)), bool(false))
    #expect(try folders(named, escapes: 1) == [3])
  }

  @Test func `a plan closes its cursors`() throws {
    var kept: Plan?
    try store.read { reader in
      let plan = try Planner(Ground(reader)).plan(
        Query("Folder", where: .quantified(.some, 1, many("notes"), above(31))))
      #expect(try plan.count() == 2)
      #expect(try plan.rows().map(\.number) == [3, 4])
      #expect(!plan.explanation.contains("interpreted"))
      kept = plan
    }
    #expect(throws: (any Error).self) { try kept?.rows() }
    try store.close()
  }

  @Test func `changes of the transaction are visible`() throws {
    try store.write { writer in
      try writer.table("Note").update(RowID(1), ["number": .int(99)])
      let condition = Expression.quantified(.some, 1, many("notes"), above(90))
      #expect(try Planner(Ground(writer)).plan(Query("Folder", where: condition)).rows().map(\.number) == [1])
    }
  }
}
