import Roost
import RoostFile
import RoostPages
import RoostQuery
import RoostRecords
import RoostTransfer

/// Commands that change rows.
extension Command {
  static var set: Command {
    Command(
      name: "set", summary: "Change fields of the rows that match a condition.",
      discussion: [
        "Changes are written as in 'plays = plays + 1, rating = nil, album = #12'; a value may name fields of the row as it",
        "was before. The store does not have the rules of '@Validate', so they are not checked. "
          + RowWriting.discussion,
      ],
      syntax: Syntax(
        operands: RowWriting.operands + [
          Syntax.Operand(name: "changes", help: "Assignments, separated by commas."),
          RowWriting.condition,
        ], options: [RowWriting.allOption] + RowWriting.options),
      changedStore: { $0.operands[0] }
    ) { arguments, console in
      let writing = try RowWriting(arguments, console, condition: arguments.operand(3), way: .set)
      let changes = try TypedQuestion.changes(arguments.operands[2], of: writing.rows, writing.catalog)
      if changes.isEmpty { throw UsageError(sentence: "There is no assignment: write 'plays = 3'") }
      return try writing.run { writer in
        let count = try writer.update(writing.query, set: changes)
        return RowWriting.Done(
          entity: writing.rows.name, changed: count,
          sentence: "Change \(ReadableNumber.count(count, "row")) of \(writing.rows.name)")
      }
    }
  }

  static var insert: Command {
    Command(
      name: "insert", summary: "Insert one row into an entity.",
      discussion: [
        "Values are written as in 'title = \"Low\", year = 1977'. Fields without a value get their default, or nil. The",
        "store does not have the rules of '@Validate', so they are not checked.",
        RowWriting.discussion,
      ],
      syntax: Syntax(
        operands: RowWriting.operands + [
          Syntax.Operand(name: "values", help: "Assignments, separated by commas. '' if all fields have defaults.")
        ],
        options: RowWriting.options),
      changedStore: { $0.operands[0] }
    ) { arguments, console in
      let writing = try RowWriting(arguments, console, condition: nil, way: .insert)
      let entity = writing.rows.entity
      let values = try writing.newRow(TypedQuestion.changes(arguments.operands[2], of: writing.rows, writing.catalog))
      return try writing.run { writer in
        let row = try writer.table(entity.id).insert(fields: values)
        return RowWriting.Done(
          entity: entity.name, inserted: row.number, sentence: "Insert #\(row.number) into \(entity.name)")
      }
    }
  }

  static var delete: Command {
    Command(
      name: "delete", summary: "Delete the rows that match a condition, and follow the delete rules.",
      discussion: [
        "Rows that a rule deletes with them are deleted, references to deleted rows become nil, and a rule that denies the",
        "deletion ends the command. " + RowWriting.discussion,
      ],
      syntax: Syntax(
        operands: RowWriting.operands + [RowWriting.condition], options: [RowWriting.allOption] + RowWriting.options),
      changedStore: { $0.operands[0] }
    ) { arguments, console in
      let writing = try RowWriting(arguments, console, condition: arguments.operand(2), way: .delete)
      return try writing.run { writer in
        let gone = try writer.delete(writing.query)
        try writing.check(gone)
        let counts = Dictionary(grouping: gone.rows) { writing.catalog.name(of: $0.entity) ?? "?" }.mapValues(\.count)
        let parts = counts.sorted { $0.key < $1.key }.map { "\(ReadableNumber.count($0.value, "row")) of \($0.key)" }
        return RowWriting.Done(
          entity: writing.rows.name, deleted: gone.asked, deletedByEntity: counts, setToNil: gone.loose.count,
          sentence: "Delete " + (parts.isEmpty ? "0 rows of \(writing.rows.name)" : parts.joined(separator: ", "))
            + (gone.loose.isEmpty ? "" : "; \(ReadableNumber.count(gone.loose.count, "reference")) become nil"))
      }
    }
  }
}

/// One transaction of the command line that changes a store's rows.
struct RowWriting {
  /// The result of a transaction, or of a dry run.
  struct Done: Encodable {
    var entity: String
    var changed: Int?
    var inserted: UInt64?
    var deleted: Int?
    /// Includes the rows that delete rules remove.
    var deletedByEntity: [String: Int]?
    var setToNil: Int?
    var isDone = true
    /// The question to the user, as a clause.
    var sentence: String

    private enum CodingKeys: CodingKey {
      case entity, changed, inserted, deleted, deletedByEntity, setToNil, isDone
    }
  }

  /// Thrown to roll the transaction back if the answer is no, and for a dry run.
  private struct Declined: Error {
    var done: Done
  }

  static let discussion =
    "It is one transaction, which is recorded in the history, if that is on. It asks before it commits, and blocks other "
    + "writers until it has an answer; without a terminal '--yes' is needed."
  static let operands = [
    Syntax.Operand(name: "path", help: "The store. No other process may have it open for writing."),
    Syntax.Operand(name: "entity", help: "The entity that is changed."),
  ]
  static let condition = Syntax.Operand(
    name: "condition", help: "A condition for the rows, as in 'genre == \"jazz\" && duration > 180'.", isOptional: true)
  static let allOption = Syntax.Option(name: "all", help: "All rows, if no condition is given.")
  static let options = [
    Syntax.Option(name: "yes", help: "Do not ask."),
    Syntax.Option(name: "dry-run", help: "Print what would be done, and do nothing."),
    Syntax.Option(name: "author", value: "name", help: "The author for the history (roost)."),
    Waiting.option,
    Syntax.Option(name: "json", help: "Print JSON. It does not ask."),
  ]

  enum Way { case set, insert, delete }

  /// The class whose rows are changed.
  let rows: RowClass
  let catalog: Catalog
  let query: Query
  private let arguments: Arguments
  private let console: Console

  init(_ arguments: Arguments, _ console: Console, condition: String?, way: Way) throws {
    (self.arguments, self.console) = (arguments, console)
    if way != .insert, (condition != nil) == arguments.has("all") {
      throw UsageError(
        sentence: condition == nil
          ? "Give a condition, or '--all' for all rows" : "'--all' and a condition contradict each other: leave one out"
      )
    }
    // A reader checks the arguments before the store is opened for writing.
    catalog = try Waiting.whileInUse(arguments) { try Looking.rows(arguments.operands[0]).read { $0.catalog } }
    rows = try Looking.rowClass(arguments.operands[1], catalog)
    query = try Asked(rows.name, where: condition).query(catalog)
    if way != .delete, let computed = catalog.derivations(of: rows.entity.id).first(where: { !$0.isKept }) {
      throw CheckFailure(
        sentence:
          "\(rows.entity.name).\(rows.entity.field(computed.field)?.name ?? "") is computed by the program that declares it, and would be wrong "
          + "after a change of other fields: change the rows in that program")
    }
    if way == .insert, !FieldChange.isAlone(rows.entity, catalog) || rows.isSubclass {
      throw CheckFailure(
        sentence:
          "\(rows.name) is a class with subclasses, or a subclass: insert its rows in a program, or by an import into "
          + "\(rows.entity.name) with a column '@class'")
    }
  }

  private var entity: Entity { rows.entity }

  /// Throws if an object of a subclass would lose a required reference. The field itself is
  /// optional because of other classes.
  func check(_ gone: Deleted) throws {
    for loose in gone.loose {
      guard let entity = catalog.entity(loose.row.entity), let field = entity.field(loose.field), field.isNeeded else {
        continue
      }
      throw CheckFailure(
        sentence: "\(field.name) of \(entity.name) #\(loose.row.row.number) must have a value, and would become nil: "
          + "delete that row first, or give it another one")
    }
  }

  /// The values of a new row: the given ones, and defaults.
  func newRow(
    _ changes: [(field: Field, value: RoostQuery.Expression)]
  ) throws -> [(field: Field, value: Value)] {
    var values: [(field: Field, value: Value)] = []
    for (field, value) in changes {
      guard case .constant(let constant, _) = value else {
        throw UsageError(sentence: "The value of '\(field.name)' is computed, and a new row needs a plain one")
      }
      values.append((field, constant))
    }
    for field in entity.fields where !values.contains(where: { $0.field.id == field.id }) {
      if let initial = field.initial {
        values.append((field, initial))
      } else if FieldChange.isNeeded(field, of: entity) {
        throw UsageError(sentence: "'\(field.name)' has no default: give it a value")
      }
    }
    return values
  }

  func run(_ body: (RecordWriter) throws -> Done) throws -> Ending {
    var opening = StoreOptions()
    opening.createIfMissing = false
    opening.lockTimeoutNanoseconds = try Waiting.nanoseconds(arguments)
    let store = try RecordStore(arguments.operands[0], options: opening, writer: HistoryWriter.ofThisProgram)
    var done: Done
    do {
      done = try store.write(author: arguments.text("author") ?? "roost") { writer in
        // The arguments were parsed with this catalog.
        guard writer.catalog == catalog else {
          throw CheckFailure(sentence: "another program changed the models of the store meanwhile: try again")
        }
        let done = try body(writer)
        // No question after a cancellation.
        try CallInterrupt.look()
        if try !isWanted(done) { throw Declined(done: done) }
        return done
      }
    } catch let error as Declined {
      done = error.done
      done.isDone = false
    } catch {
      try? store.close()
      throw error
    }
    try store.close()
    if arguments.has("json") {
      try console.json(done)
    } else {
      console.line(text: (done.isDone ? "Done: " : "Not done: ") + done.sentence)
    }
    return done.isDone || arguments.has("dry-run") ? .good : .failed
  }

  private func isWanted(_ done: Done) throws -> Bool {
    if arguments.has("dry-run") { return false }
    if arguments.has("yes") { return true }
    guard !arguments.has("json"), let isWanted = console.confirms(done.sentence + "?") else {
      throw UsageError(
        sentence: "This needs an answer: add '--yes', or '--dry-run' to see what would be done", showsUsage: false)
    }
    return isWanted
  }
}
