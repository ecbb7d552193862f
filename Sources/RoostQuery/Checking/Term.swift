package import RoostRecords

/// A checked expression: every part has a kind, and every name is resolved.
package final class Term: Sendable {
  package let expression: Expression
  package let kind: Kind
  package let operands: Operands
  package let target: Target
  /// Whether it contains parameters.
  let isOpen: Bool

  /// The part of the catalog that a name refers to.
  package enum Target: Sendable {
    case nothing
    case field(EntityID, Field)
    case relationship(Relationship)
    case search(FullTextIndex)
  }

  init(_ expression: Expression, _ kind: Kind, operands: Operands, target: Target = .nothing) {
    self.expression = expression
    self.kind = kind
    self.operands = operands
    self.target = target
    if case .parameter = expression { isOpen = true } else { isOpen = operands.contains { $0.isOpen } }
  }

  /// The term with values in place of its parameters; nil if a value is not of its parameter's
  /// kind.
  func bound(_ values: [Value]) -> Term? {
    if !isOpen { return self }
    if case .parameter(let number, let kind) = expression {
      guard values.indices.contains(number), kind.holds(values[number]) else { return nil }
      return Term(.constant(values[number], kind), kind, operands: .none)
    }
    guard let operands = operands.bound(values) else { return nil }
    return Term(expression.with(operands.map(\.expression)), kind, operands: operands, target: target)
  }

  package var isConstant: Bool { if case .constant = expression { true } else { false } }

  package var constant: Value? { if case .constant(let value, _) = expression { value } else { nil } }

  func isConstant(_ flag: Bool) -> Bool {
    if case .constant(.bool(let found), _) = expression { found == flag } else { false }
  }

  /// Whether this is the row that the condition is about.
  package var isRow: Bool { if case .variable(0) = expression { true } else { false } }
}

/// The operands of a term. One or two need no array.
package enum Operands: RandomAccessCollection, Sendable {
  case none
  case one(Term)
  case two(Term, Term)
  case many([Term])

  package var startIndex: Int { 0 }

  package var endIndex: Int {
    switch self {
    case .none: 0
    case .one: 1
    case .two: 2
    case .many(let all): all.count
    }
  }

  package subscript(place: Int) -> Term {
    switch self {
    case .one(let one) where place == 0: one
    case .two(let one, _) where place == 0: one
    case .two(_, let two) where place == 1: two
    case .many(let all): all[place]
    default: preconditionFailure("there is no such operand")
    }
  }

  fileprivate func bound(_ values: [Value]) -> Operands? {
    switch self {
    case .none: return Operands.none
    case .one(let one): return one.bound(values).map { .one($0) }
    case .two(let one, let two):
      guard let first = one.bound(values), let second = two.bound(values) else { return nil }
      return .two(first, second)
    case .many(let all):
      var bound: [Term] = []
      bound.reserveCapacity(all.count)
      for one in all {
        guard let one = one.bound(values) else { return nil }
        bound.append(one)
      }
      return .many(bound)
    }
  }
}

extension Term {
  /// The entity of an optional reference whose inverse has the delete rule `noAction`; nil for every
  /// other term. Such a reference may be broken, and a path over it is then nil, as a getter is.
  func looseTarget(_ catalog: Catalog) -> EntityID? {
    guard case .field(let entity, let field) = target, field.isOptional, case .reference(let other) = field.type else {
      return nil
    }
    let relationship = catalog.relationships(of: entity).first { $0.shape == .one(field.id) }
    return relationship.flatMap { catalog.inverse(of: $0) }?.deleteRule == .noAction ? other : nil
  }
}
