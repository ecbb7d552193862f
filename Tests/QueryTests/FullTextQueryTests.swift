import RoostFile
import RoostPages
import RoostQuery
import RoostRecords
import RoostTestSupport
import RoostText
import Testing

/// Conditions that search a full text index, compared with a test of every row.
@Suite struct FullTextQueryTests {
  private struct Note {
    var texts: [String: String]
    var year: Int64
    var author: UInt64?
  }

  private let store: RecordStore
  private let notes: [UInt64: Note]
  private let words: IndexID

  init() throws {
    store = try RecordStore(inMemory: StoreOptions())
    var generator = SplitMix64(seed: 7)
    var notes: [UInt64: Note] = [:]
    words = try store.write { writer in
      try writer.change { catalog in
        let author = try catalog.add(entity: "Author") { (entity) throws(RecordFault) in
          try entity.add("name", .string)
        }
        try catalog.add(entity: "Note") { (entity) throws(RecordFault) in
          try entity.add("title", .string)
          try entity.add("body", .string, isOptional: true)
          try entity.add("year", .int64)
          try entity.add("author", .reference(author), isOptional: true)
          try entity.add("next", .reference(EntityID(2)), isOptional: true)
        }
        try catalog.add(index: "byYear", of: "Note", on: ["year"])
        try catalog.add(index: "byAuthor", of: "Note", on: ["author"])
        try catalog.add(index: "byNext", of: "Note", on: ["next"])
        try catalog.add(textIndex: "words", of: "Note", on: ["title", "body"], analyzer: TextAnalyzer())
      }
      for number in 0..<10 { try writer.table("Author").insert(["name": .string("author \(number)")]) }
      return writer.catalog.textIndex("words", of: "Note")!.id
    }
    for portion in 0..<5 {
      try store.write { writer in
        for number in 0..<60 {
          let title = PlainQuestion.text(&generator, most: 3)
          let body = generator.chance(1, in: 5) ? nil : PlainQuestion.text(&generator, most: 20)
          let author = generator.chance(1, in: 5) ? nil : UInt64(1 + generator.below(10))
          let year = Int64(generator.below(20))
          let next = portion * 60 + number
          let row = try writer.table("Note").insert([
            "title": .string(title), "body": body.map { .string($0) } ?? .null, "year": .int(year),
            "author": author.map { .reference(RowID($0)) } ?? .null,
            "next": next == 0 ? .null : .reference(RowID(UInt64(next))),
          ])
          var texts = ["title": title]
          texts["body"] = body
          notes[row.number] = Note(texts: texts, year: year, author: author)
        }
      }
    }
    self.notes = notes
  }

  // MARK: Conditions

  private func field(_ name: String, _ base: Expression = .row) -> Expression {
    .field(base, try! store.read { $0.catalog.entity("Note")!.field(name)!.id })
  }

  private func search(_ question: String, _ row: Expression = .row) -> Expression {
    .search(RowSearch(words), row, .constant(.string(question), .string))
  }

  private func rank(_ question: String, _ weights: [Double] = []) -> Order {
    Order(.rank(RowSearch(words, weights: weights), .row, .constant(.string(question), .string)))
  }

  private func year(_ comparison: Expression.Comparison, _ year: Int64) -> Expression {
    .compare(comparison, field("year"), .constant(.int(year), .int))
  }

  /// The numbers of the rows that pass a test.
  private func rows(_ isIn: (UInt64, Note) -> Bool) -> [UInt64] { notes.filter { isIn($0, $1) }.keys.sorted() }

  /// Checks that every plan and the interpreter find these rows.
  private func check(_ condition: Expression, _ wanted: [UInt64], context: String) throws {
    try store.read { reader in
      let ground = Ground(reader)
      for order in [[], [Order(.row)], [Order(.row, isDescending: true)], [Order(field("year"))]] {
        let query = Query("Note", where: condition, by: order)
        for plan in try Planner(ground).plans(query) {
          let found = try plan.rows().map(\.number)
          #expect(found.sorted() == wanted, "\(context)\n\(plan.explanation)")
          if order.first?.key == .row {
            #expect(found == (order[0].isDescending ? wanted.reversed() : wanted), "\(context)\n\(plan.explanation)")
          } else if !order.isEmpty {
            let years = found.map { notes[$0]!.year }
            #expect(years == years.sorted(), "\(context)\n\(plan.explanation)")
          }
          #expect(try plan.count() == wanted.count, "\(context)\n\(plan.explanation)")
        }
      }
      #expect(try Planner(ground).count(Query("Note", where: condition)) == wanted.count, "\(context)")
      let few = try Planner(ground).plan(Query("Note", where: condition, by: [Order(.row)], offset: 2, limit: 5))
      #expect(try few.rows().map(\.number) == Array(wanted.dropFirst(2).prefix(5)), "\(context)")
      var interpreter = Interpreter(ground, reader.catalog.id(of: "Note")!)
      let term = try Checker.condition(condition, reader.catalog, entity: reader.catalog.id(of: "Note")!)
      let interpreted = try notes.keys.sorted().filter { try interpreter.test(term, RowID($0)) }
      #expect(interpreted == wanted, "\(context), interpreted")
    }
  }

  @Test(arguments: UInt64(1)...12) func `searches are combined with other conditions`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<6 {
      let (one, two) = (
        PlainQuestion.random(&generator, fields: ["title", "body"]), PlainQuestion.random(&generator, fields: ["title"])
      )
      let limit = Int64(generator.below(20))
      let context = "seed \(seed): \(one.text) | \(two.text) | \(limit)"
      let (first, second) = (search(one.text), search(two.text))
      try check(first, rows { _, note in one.matches(note.texts) }, context: context)
      try check(
        first && year(.less, limit), rows { _, note in one.matches(note.texts) && note.year < limit },
        context: context + " and year")
      try check(
        first || year(.equal, limit), rows { _, note in one.matches(note.texts) || note.year == limit },
        context: context + " or year")
      try check(
        first && second, rows { _, note in one.matches(note.texts) && two.matches(note.texts) },
        context: context + " and search")
      try check(
        first || second, rows { _, note in one.matches(note.texts) || two.matches(note.texts) },
        context: context + " or search")
      try check(
        .not(first) && year(.greater, limit), rows { _, note in !one.matches(note.texts) && note.year > limit },
        context: context + " not")
      try check(
        search(one.text, field("next")), rows { row, _ in row > 1 && one.matches(notes[row - 1]!.texts) },
        context: context + " next")
    }
  }

  // MARK: Ranks

  @Test(arguments: UInt64(1)...12) func `rows are ordered by their rank`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<6 {
      let plain = PlainQuestion.random(&generator, fields: ["title", "body"])
      let weights: [Double] = generator.chance(1, in: 2) ? [] : [3, 0.5]
      let limit = Int64(generator.below(20))
      let condition = search(plain.text) && year(.less, limit)
      let order = rank(plain.text, weights)
      let context = "seed \(seed): \(plain.text)"
      try store.read { reader in
        let planner = Planner(Ground(reader))
        let sorted = try planner.plan(Query("Note", where: condition && .constant(.bool(true), .bool), by: [order]))
        let ranks = try planner.values(Query("Note", where: condition, by: [order]), [order.key])
        for plan in try planner.plans(Query("Note", where: condition, by: [order])) {
          let found = try plan.rows()
          #expect(
            found.map(\.number).sorted() == rows { _, note in plain.matches(note.texts) && note.year < limit },
            "\(context)")
          #expect(try found == sorted.rows(), "\(context)\n\(plan.explanation)")
        }
        for case (.double(let one), .double(let next)) in zip(ranks, ranks.dropFirst()) {
          #expect(one <= next && next < 0, "\(context)")
        }
        for (offset, most) in [(0, 1), (0, 3), (2, 4), (5, 100)] {
          let all = try sorted.rows()
          for plan in try planner.plans(
            Query("Note", where: condition, by: [order], offset: offset, limit: most))
          {
            #expect(
              try plan.rows() == Array(all.dropFirst(offset).prefix(most)),
              "\(context) from \(offset), \(most)\n\(plan.explanation)")
          }
        }
        // Ranks can be used in other orders, and on rows that do not match.
        let all = try planner.plan(Query("Note", where: year(.less, limit), by: [order])).rows()
        #expect(all.count == rows { _, note in note.year < limit }.count, "\(context)")
        let worst = try planner.plan(
          Query("Note", where: condition, by: [Order(order.key, isDescending: true), Order(field("year"))]))
        #expect(try Set(worst.rows()) == Set(sorted.rows()), "\(context)")
      }
    }
  }

  @Test func `a plan reads the index, and its explanation shows it`() throws {
    try store.read { reader in
      let planner = Planner(Ground(reader))
      let plan = try planner.plan(Query("Note", where: search("\"life of the\"")))
      #expect(plan.explanation.contains("full text index words (\"\"life of the\"\")"), "\(plan.explanation)")
      #expect(plan.facts.indexes == ["words"] && plan.facts.test == nil)
      let behind = try planner.plans(Query("Note", where: search("\"life of the\"", field("next"))))
      #expect(behind.contains { $0.facts.indexes == ["byNext", "words"] })
      let best = try planner.plan(Query("Note", where: search("berlin"), by: [rank("berlin")], limit: 3))
      #expect(try best.rows().count == 3)
      #expect(best.explanation.contains("the best first"), "\(best.explanation)")
      #expect(best.rowsRead == 3)
    }
  }

  @Test func `an invalid question is an error that names the place`() throws {
    try store.read { reader in
      let planner = Planner(Ground(reader))
      for question in ["\"berlin", "(wall", "AND", "nofield:x", ""] {
        do {
          _ = try planner.plan(Query("Note", where: search(question)))
          Issue.record("\(question) is no question")
        } catch let fault as ConditionFault {
          #expect(fault.code == .badPattern && fault.detail.contains("byte"), "\(fault)")
        }
      }
      let unknown = Expression.search(RowSearch(IndexID(99)), .row, .constant(.string("a"), .string))
      #expect(throws: ConditionFault.self) { try planner.plan(Query("Note", where: unknown)) }
      #expect(throws: ConditionFault.self) { try planner.plan(Query("Author", where: search("a"))) }
    }
  }

  @Test func `a question may be a parameter`() throws {
    try store.read { reader in
      let ground = Ground(reader)
      let condition = Expression.search(RowSearch(words), .row, .parameter(0, .string))
      let question = try Question(Query("Note", where: condition), ground)
      let planner = Planner(ground, Routes())
      for word in ["berlin", "wall", "berlin", "hero*", "low"] {
        let plain = word.hasSuffix("*") ? PlainQuestion.prefix("hero") : .word(word)
        let plan = try planner.plan(question, [.string(word)], offset: 0, limit: nil)
        #expect(try plan?.rows().map(\.number).sorted() == rows { _, note in plain.matches(note.texts) }, "\(word)")
        #expect(
          try planner.count(question, [.string(word)]) == rows { _, note in plain.matches(note.texts) }.count, "\(word)"
        )
      }
    }
  }

  @Test func `an update searches rows, and a transaction finds its own texts`() throws {
    try store.write { writer in
      let query = Query("Note", where: search("heroes"))
      let wanted = rows { _, note in PlainQuestion.word("heroes").matches(note.texts) }.count
      #expect(wanted > 0)
      let count = try writer.update(query) { builder in
        let place = builder.layout.members.firstIndex { $0.id == writer.catalog.entity("Note")!.field("title")!.id }!
        builder.set(builder.layout.slots[place], string: "sonderling")
      }
      #expect(count == wanted)
      #expect(try Planner(Ground(writer)).count(Query("Note", where: search("sonderling"))) == wanted)
    }
  }
}
