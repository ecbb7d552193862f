package import RoostQuery
internal import RoostRecords

/// Counts the operations in generated expressions, so that tests notice if one never occurs.
package struct ConditionCensus: Sendable {
  package private(set) var counts: [String: Int] = [:]

  package init() {}

  package static let names: Set<String> = {
    var names: Set<String> = [
      "constant", "variable", "field", "part", "many", "not", "and", "or", "conditional", "coalesce", "unwrap", "ifLet",
      "negate", "within", "matches", "contains", "count", "isEmpty", "first", "last", "minimum", "maximum", "element",
      "lookup", "filter",
    ]
    for one in Expression.Comparison.allCases { names.insert("compare \(one)") }
    for one in Expression.Arithmetic.allCases { names.insert("arithmetic \(one)") }
    for one in Expression.TextTest.allCases { names.insert("text \(one)") }
    for one in Expression.TextOrder.allCases { names.insert("order \(one)") }
    for one in Expression.TextChange.allCases { names.insert("changed \(one)") }
    for one in DatePart.allCases { names.insert("part \(one)") }
    for one in Expression.Quantifier.allCases { names.insert("quantified \(one)") }
    for one in Expression.Aggregation.allCases { names.insert("aggregate \(one)") }
    return names
  }()

  package var missing: [String] { Self.names.filter { counts[$0] == nil }.sorted() }

  package mutating func count(_ expression: Expression) {
    counts[Self.name(expression), default: 0] += 1
    for operand in expression.operands { count(operand) }
  }

  package static func name(_ expression: Expression) -> String {
    switch expression {
    case .constant: "constant"
    case .parameter: "parameter"
    case .variable: "variable"
    case .field: "field"
    case .part: "part"
    case .many: "many"
    case .not: "not"
    case .and: "and"
    case .or: "or"
    case .compare(let one, _, _): "compare \(one)"
    case .conditional: "conditional"
    case .coalesce: "coalesce"
    case .unwrap: "unwrap"
    case .ifLet: "ifLet"
    case .arithmetic(let one, _, _): "arithmetic \(one)"
    case .negate: "negate"
    case .within: "within"
    case .text(let one, _, _): "text \(one)"
    case .textOrder(let one, _, _): "order \(one)"
    case .changed(let one, _): "changed \(one)"
    case .datePart(let one, _): "part \(one)"
    case .matches: "matches"
    case .contains: "contains"
    case .count: "count"
    case .isEmpty: "isEmpty"
    case .first: "first"
    case .last: "last"
    case .minimum: "minimum"
    case .maximum: "maximum"
    case .element: "element"
    case .lookup: "lookup"
    case .quantified(let one, _, _, _): "quantified \(one)"
    case .filter: "filter"
    case .aggregate(let one, _, _, _): "aggregate \(one)"
    case .search: "search"
    case .rank: "rank"
    }
  }
}
