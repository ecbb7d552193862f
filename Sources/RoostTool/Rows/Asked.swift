import RoostQuery
import RoostRecords
import RoostTransfer

/// What somebody asks of an entity's rows on the command line.
///
/// What is typed becomes an expression with constants in it; no text reaches the engine.
struct Asked {
  var entity: String
  var condition: String?
  var sort: String?
  var limit: Int?
  var offset: Int
  var columns: [String]?

  static let operands = [
    Syntax.Operand(name: "path", help: "The store. It may be open in another process."),
    Syntax.Operand(name: "entity", help: "Whose rows."),
    Syntax.Operand(
      name: "condition", help: "Which rows, as in 'genre == \"jazz\" && duration > 180'. All of them if left out.",
      isOptional: true),
  ]

  static let options = [
    Syntax.Option(
      name: "sort", value: "keys", help: "By what they are sorted: 'year,-title'; '-' turns a key's direction."),
    Syntax.Option(name: "limit", value: "n", help: "At most so many rows."),
    Syntax.Option(name: "offset", value: "n", help: "Leave so many rows out at the beginning."),
    AsOf.option,
  ]

  static let columnsOption = Syntax.Option(
    name: "columns", value: "names", help: "Which columns, in which order: '#,title,album'; '#' is the row's number.")

  init(_ entity: String, where condition: String?) {
    self.entity = entity
    self.condition = condition
    offset = 0
  }

  init(_ arguments: Arguments) throws {
    entity = arguments.operands[1]
    condition = arguments.operand(2)
    sort = arguments.text("sort")
    limit = try arguments.number("limit", in: 0...Int.max)
    offset = try arguments.number("offset", in: 0...Int.max) ?? 0
    columns = arguments.list("columns")
    if columns?.isEmpty == true { throw UsageError(sentence: "'--columns' names no column") }
  }

  func query(_ catalog: Catalog) throws -> Query {
    let id = try Looking.entity(entity, catalog).id
    return Query(
      entity, where: try condition.map { try TypedQuestion.condition($0, of: id, catalog) },
      by: try sort.map { try TypedQuestion.order($0, of: id, catalog) } ?? [], offset: offset, limit: limit)
  }
}
