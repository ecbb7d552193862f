extension Expression {
  /// This operation with other operands. Their number must be the same.
  package func with(_ parts: [Expression]) -> Expression {
    switch self {
    case .constant, .parameter, .variable: self
    case .field(_, let id): .field(parts[0], id)
    case .part(_, let index): .part(parts[0], index)
    case .many(_, let id): .many(parts[0], id)
    case .not: .not(parts[0])
    case .and: .and(parts)
    case .or: .or(parts)
    case .compare(let comparison, _, _): .compare(comparison, parts[0], parts[1])
    case .conditional: .conditional(parts[0], parts[1], parts[2])
    case .coalesce: .coalesce(parts[0], parts[1])
    case .unwrap: .unwrap(parts[0])
    case .ifLet(let variable, _, _, _): .ifLet(variable, parts[0], parts[1], parts[2])
    case .arithmetic(let operation, _, _): .arithmetic(operation, parts[0], parts[1])
    case .negate: .negate(parts[0])
    case .within(_, _, let isClosed, _): .within(parts[0], parts[1], isClosed, parts[2])
    case .text(let test, _, _): .text(test, parts[0], parts[1])
    case .textOrder(let order, _, _): .textOrder(order, parts[0], parts[1])
    case .changed(let change, _): .changed(change, parts[0])
    case .datePart(let part, _): .datePart(part, parts[0])
    case .matches(_, let pattern): .matches(parts[0], pattern)
    case .contains: .contains(parts[0], parts[1])
    case .count: .count(parts[0])
    case .isEmpty: .isEmpty(parts[0])
    case .first: .first(parts[0])
    case .last: .last(parts[0])
    case .minimum: .minimum(parts[0])
    case .maximum: .maximum(parts[0])
    case .element: .element(parts[0], parts[1])
    case .lookup: .lookup(parts[0], parts[1])
    case .quantified(let quantifier, let variable, _, _): .quantified(quantifier, variable, parts[0], parts[1])
    case .filter(let variable, _, _): .filter(variable, parts[0], parts[1])
    case .aggregate(let kind, let variable, _, _): .aggregate(kind, variable, parts[0], parts[1])
    case .search(let search, _, _): .search(search, parts[0], parts[1])
    case .rank(let search, _, _): .rank(search, parts[0], parts[1])
    }
  }
}
