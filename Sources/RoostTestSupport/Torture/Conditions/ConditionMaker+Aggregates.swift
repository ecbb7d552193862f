internal import RoostQuery
internal import RoostRecords

/// Aggregates of the elements of collections, usually of the rows of a relationship.
extension ConditionMaker {
  /// An aggregate of a kind; nil if no aggregate has it.
  mutating func aggregate(_ kind: Kind, _ depth: Int) -> Expression? {
    let aggregation: Expression.Aggregation
    let wanted: Kind
    switch kind {
    case .optional(let inner) where inner == .double && one(in: 2):
      (aggregation, wanted) = (.average, someKind { $0.whole.isInteger || $0.whole.isFloating }?.whole ?? .double)
    case .optional(let inner) where inner.isComparable: (aggregation, wanted) = (one(in: 2) ? .min : .max, inner)
    case .int:
      (aggregation, wanted) = (.sum, someKind { $0.whole.isInteger && $0.whole != .plain(.uint64) }?.whole ?? .int)
    case .plain(.uint64): (aggregation, wanted) = (.sum, kind)
    case .double: (aggregation, wanted) = (.sum, someKind(\.whole.isFloating)?.whole ?? .double)
    default: return nil
    }
    let (collection, element) = manies.isEmpty || one(in: 4) ? collection(depth) : rows(depth)
    guard let element else { return nil }
    let isOptional = one(in: 3)
    let (variable, value) = within(element) { maker, variable in
      (variable, maker.make(isOptional ? wanted.optional : wanted, depth - 1))
    }
    return .aggregate(aggregation, variable, collection, value)
  }

  private mutating func rows(_ depth: Int) -> (Expression, element: Kind?) {
    let kind = Kind.rows(generator.pick(manies).target)
    return (make(kind, depth - 1), kind.element)
  }

  /// A comparison with an aggregate.
  mutating func aggregateTest(_ depth: Int) -> Expression? {
    let kind = one(in: 2) ? someKind { $0.whole.isComparable }?.whole ?? .int : .int
    let found: Expression
    if let sum = one(in: 2) ? aggregate(kind, depth) : nil {
      found = sum
    } else {
      guard let bound = aggregate(kind.optional, depth) else { return nil }
      found = .coalesce(bound, leaf(kind))
    }
    return .compare(generator.pick(Expression.Comparison.allCases), leaf(kind), found)
  }
}
