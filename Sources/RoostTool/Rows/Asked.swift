import RoostQuery
import RoostRecords
import RoostTransfer

/// A question about an entity's rows, from the command line.
///
/// The typed text becomes an expression with constants. The text itself never reaches the engine.
struct Asked {
  var entity: String
  var condition: String?
  var sort: String?
  var limit: Int?
  var offset: Int
  var columns: [String]?
  /// The question about groups; nil for a question about rows.
  var grouping: Grouping?

  struct Grouping {
    var keys: [String]
    var columns: [String]
    var having: String?
  }

  static let operands = [
    Syntax.Operand(name: "path", help: "The store. It may be open in another process."),
    Syntax.Operand(name: "entity", help: "Whose rows."),
    Syntax.Operand(
      name: "condition",
      help: "A condition for the rows, as in 'genre == \"jazz\" && duration > 180'. All rows if left out.",
      isOptional: true),
  ]

  static let options = [
    Syntax.Option(
      name: "sort", value: "keys", help: "The sort keys: 'year,-title'; '-' reverses a key's order."),
    Syntax.Option(name: "limit", value: "n", help: "The largest number of rows."),
    Syntax.Option(name: "offset", value: "n", help: "The number of rows to leave out at the beginning."),
    AsOf.option,
  ]

  static let groupOptions = [
    Syntax.Option(
      name: "count", help: "Print the number of rows only; with '--group-by' or a sum, the number of each group."),
    Syntax.Option(
      name: "group-by", value: "values",
      help: "Print a line for each group of rows that have these values in common: 'genre,album.year'."),
    Syntax.Option(name: "sum", value: "values", help: "Print sums: 'plays,total = plays * length'."),
    Syntax.Option(name: "average", value: "values", help: "Print averages; nil is left out."),
    Syntax.Option(name: "min", value: "values", help: "Print the least values."),
    Syntax.Option(name: "max", value: "values", help: "Print the greatest values."),
    Syntax.Option(
      name: "having", value: "condition", help: "A condition for groups, as in 'count > 3 && sum(plays) > 100'."),
  ]

  static let columnsOptions = [
    Syntax.Option(
      name: "columns", value: "values",
      help: "The columns, in order: '#,title,album.title,minutes = seconds / 60'; '#' is the row's number."),
    Syntax.Option(name: "select", value: "values", help: "Another name of '--columns'."),
  ]

  init(_ entity: String, where condition: String?) {
    self.entity = entity
    self.condition = condition
    offset = 0
  }

  init(_ arguments: Arguments) throws(UsageError) {
    entity = arguments.operands[1]
    condition = arguments.operand(2)
    sort = arguments.text("sort")
    limit = try arguments.number("limit", in: 0...Int.max)
    offset = try arguments.number("offset", in: 0...Int.max) ?? 0
    if arguments.text("columns") != nil, arguments.text("select") != nil {
      throw UsageError(sentence: "'--columns' and '--select' mean the same: leave one out")
    }
    columns = (arguments.text("columns") ?? arguments.text("select")).map(QuestionParts.split)
    if columns?.isEmpty == true { throw UsageError(sentence: "'--columns' names no column") }
    grouping = try Self.grouping(arguments, columns)
  }

  private static func grouping(_ arguments: Arguments, _ columns: [String]?) throws(UsageError) -> Grouping? {
    let keys = arguments.text("group-by").map(QuestionParts.split)
    if keys?.isEmpty == true { throw UsageError(sentence: "'--group-by' names no value") }
    var measures: [String] = []
    for way in GroupMeasure.Way.allCases where way != .count {
      for part in arguments.text(way.rawValue).map(QuestionParts.split) ?? [] {
        let (name, value) = QuestionParts.named(part)
        measures.append((name.map { "\($0) = " } ?? "") + "\(way)(\(value))")
      }
    }
    let having = arguments.text("having")
    if keys == nil, measures.isEmpty {
      if having != nil { throw UsageError(sentence: "'--having' is about groups: add '--group-by' or '--sum'") }
      return nil
    }
    let names = (keys ?? []).map { QuestionParts.named($0).name ?? $0 }
    let counts = arguments.has("count") || measures.isEmpty && columns == nil
    return Grouping(
      keys: keys ?? [], columns: (columns ?? names) + (counts ? ["count"] : []) + measures, having: having)
  }

  /// The class whose rows are queried.
  func rows(_ catalog: Catalog) throws -> RowClass { try Looking.rowClass(entity, catalog) }

  /// The query of the rows. For groups it has no order, because the order applies to groups.
  func query(_ catalog: Catalog) throws -> Query {
    let rows = try rows(catalog)
    let order = try grouping == nil ? sort.map { try TypedQuestion.order($0, of: rows, catalog) } : nil
    return rows.query(where: try condition(of: rows, catalog), by: order ?? [], offset: offset, limit: limit)
  }

  private func condition(of rows: RowClass, _ catalog: Catalog) throws -> RoostQuery.Expression? {
    guard let condition else { return nil }
    do { return try TypedQuestion.condition(condition, of: rows, catalog) } catch {
      // The words of '--sort year desc' are a key and a condition.
      guard let key = sort.flatMap({ QuestionParts.keys($0).last?.word }),
        let isDescending = ["desc": true, "descending": true, "asc": false, "ascending": false][condition.lowercased()]
      else { throw error }
      throw UsageError(
        sentence: isDescending
          ? "'\(condition)' is no condition: write '--sort -\(key)' for the descending order"
          : "'\(condition)' is no condition: leave it out, because '--sort \(key)' is the ascending order",
        showsUsage: false)
    }
  }

  /// The question about groups, if this is one.
  func groups(_ catalog: Catalog) throws -> GroupQuestion? {
    guard let grouping else { return nil }
    return try GroupQuestion(
      by: grouping.keys, columns: grouping.columns, having: grouping.having, sort: sort,
      of: try rows(catalog), catalog)
  }
}
