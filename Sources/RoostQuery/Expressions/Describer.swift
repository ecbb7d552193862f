package import RoostRecords

/// Writes expressions as Swift code, for explanations and errors.
package struct Describer {
  let catalog: Catalog
  /// The entities of the bound variables, if known.
  var entities: [Int: EntityID] = [:]
  private let root: EntityID

  package init(_ catalog: Catalog, _ entity: EntityID) {
    self.catalog = catalog
    root = entity
  }

  package func text(_ expression: Expression) -> String { text(expression, 0) }

  private static let longest = 60

  /// A subtree deeper than 24 is written as dots, so that a hostile depth costs nothing.
  private func text(_ expression: Expression, _ depth: Int) -> String {
    if depth > 24 { return "…" }
    func part(_ inner: Expression) -> String { text(inner, depth + 1) }
    func bound(_ variable: Int, _ collection: Expression) -> Describer {
      var inner = self
      inner.entities[variable] = entity(of: collection)
      return inner
    }
    switch expression {
    case .constant(let value, _): return Self.text(value)
    case .parameter(let number, _): return "?\(number)"
    case .variable(let number): return "$\(number)"
    case .field(let base, let id):
      let name = entity(of: base).flatMap { catalog.entity($0)?.field(id)?.name } ?? "field\(id.number)"
      return "\(part(base)).\(name)"
    case .part(let base, let index): return "\(part(base)).\(index)"
    case .many(let base, let id):
      return "\(part(base)).\(catalog.relationships.first { $0.id == id }?.name ?? "relationship\(id.number)")"
    case .not(let inner): return "!\(part(inner))"
    case .and(let all): return "(" + all.map(part).joined(separator: " && ") + ")"
    case .or(let all): return "(" + all.map(part).joined(separator: " || ") + ")"
    case .compare(let comparison, let one, let two): return "\(part(one)) \(comparison.sign) \(part(two))"
    case .conditional(let test, let one, let two): return "(\(part(test)) ? \(part(one)) : \(part(two)))"
    case .coalesce(let one, let two): return "(\(part(one)) ?? \(part(two)))"
    case .unwrap(let inner): return "\(part(inner))!"
    case .ifLet(let variable, let value, let one, let two):
      let inner = bound(variable, value)
      return "(if let $\(variable) = \(part(value)) { \(inner.text(one, depth + 1)) } else { \(part(two)) })"
    case .arithmetic(let operation, let one, let two): return "(\(part(one)) \(operation.sign) \(part(two)))"
    case .negate(let inner): return "-\(part(inner))"
    case .within(let low, let high, let isClosed, let value):
      return "(\(part(low))\(isClosed ? "..." : "..<")\(part(high))).contains(\(part(value)))"
    case .text(let test, let one, let two): return "\(part(one)).\(test.name)(\(part(two)))"
    case .textOrder(let order, let one, let two): return "\(part(one)).\(order.name)(\(part(two)))"
    case .changed(.folded, let inner): return "\(part(inner)).folded"
    case .datePart(let wanted, let inner): return "\(part(inner)).utc.\(wanted)"
    case .changed(let change, let inner): return "\(part(inner)).\(change)()"
    case .matches(let inner, let pattern): return "\(part(inner)).contains(/\(pattern.prefix(Self.longest))/)"
    case .contains(let collection, let element): return "\(part(collection)).contains(\(part(element)))"
    case .count(let inner): return "\(part(inner)).count"
    case .isEmpty(let inner): return "\(part(inner)).isEmpty"
    case .first(let inner): return "\(part(inner)).first"
    case .last(let inner): return "\(part(inner)).last"
    case .minimum(let inner): return "\(part(inner)).min()"
    case .maximum(let inner): return "\(part(inner)).max()"
    case .element(let collection, let index), .lookup(let collection, let index):
      return "\(part(collection))[\(part(index))]"
    case .quantified(let quantifier, let variable, let collection, let test):
      let name = quantifier == .some ? "contains" : "allSatisfy"
      return "\(part(collection)).\(name) { \(bound(variable, collection).text(test, depth + 1)) }"
    case .search(_, let row, let question): return "\(part(row)).matches(\(part(question)))"
    case .rank(_, let row, let question): return "\(part(row)).rank(\(part(question)))"
    case .filter(let variable, let collection, let test):
      return "\(part(collection)).filter { \(bound(variable, collection).text(test, depth + 1)) }"
    case .aggregate(let kind, let variable, let collection, let value):
      return "\(part(collection)).\(kind) { \(bound(variable, collection).text(value, depth + 1)) }"
    }
  }

  /// The entity of a row, or of the rows of a collection.
  private func entity(of expression: Expression, _ depth: Int = 0) -> EntityID? {
    // An expression that is rejected for its depth is also described.
    if depth > Expression.deepest { return nil }
    func entity(of inner: Expression) -> EntityID? { self.entity(of: inner, depth + 1) }
    return switch expression {
    case .variable(let number): number == 0 ? root : entities[number]
    case .constant(_, let kind), .parameter(_, let kind): kind.entity ?? kind.whole.element?.entity
    case .field(let base, let id):
      entity(of: base).flatMap { catalog.entity($0)?.field(id) }.flatMap {
        Kind($0).entity ?? Kind($0).whole.element?.entity
      }
    case .many(_, let id): catalog.relationships.first { $0.id == id }?.target
    case .unwrap(let inner), .first(let inner), .last(let inner), .filter(_, let inner, _), .coalesce(let inner, _),
      .conditional(_, let inner, _), .ifLet(_, _, let inner, _), .element(let inner, _):
      entity(of: inner)
    default: nil
    }
  }

  package static func text(_ value: Value) -> String {
    switch value {
    case .null: "nil"
    case .bool(let flag): "\(flag)"
    case .int(let number): "\(number)"
    case .uint(let number): "\(number)"
    case .float(let number): "\(number)"
    case .double(let number): "\(number)"
    case .date(let seconds): "date(\"\(DateText.text(seconds))\")"
    case .decimal(let number): "decimal(\"\(number.text)\")"
    case .string(let text), .url(let text):
      text.count > longest ? "\"\(text.prefix(longest))…\"" : "\"\(text)\""
    case .data(let bytes): "data(\(bytes.count) bytes)"
    case .uuid(let number): "uuid(\"\(number.text)\")"
    case .reference(let row): "row(\(row.number))"
    case .array(let values): values.count > 8 ? "[\(values.count) values]" : list(values)
    case .set(let values): "Set(\(values.count) values)"
    case .dictionary(let values): "[\(values.count) pairs]"
    case .structure(let parts): "(" + parts.prefix(8).map(text).joined(separator: ", ") + ")"
    }
  }

  private static func list(_ values: [Value]) -> String { "[" + values.map(text).joined(separator: ", ") + "]" }
}

extension Expression.Comparison {
  package var sign: String {
    switch self {
    case .equal: "=="
    case .notEqual: "!="
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    }
  }
}

extension Expression.Arithmetic {
  package var sign: String {
    switch self {
    case .add: "+"
    case .subtract: "-"
    case .multiply: "*"
    case .divide: "/"
    case .remainder: "%"
    }
  }
}

extension Expression.TextTest {
  package var name: String {
    switch self {
    case .contains: "contains"
    case .starts: "starts"
    case .hasPrefix: "hasPrefix"
    case .hasSuffix: "hasSuffix"
    case .containsLoosely: "localizedStandardContains"
    }
  }
}

extension Expression.TextOrder {
  package var name: String { self == .caseless ? "caseInsensitiveCompare" : "localizedCompare" }
}
