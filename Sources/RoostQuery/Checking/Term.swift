package import RoostRecords

/// A checked expression: every part has its kind, and every name is found.
package final class Term: Sendable {
  package let expression: Expression
  package let kind: Kind
  package let operands: [Term]
  package let target: Target

  /// What a name leads to.
  package enum Target: Sendable {
    case nothing
    case field(Entity, Field)
    case relationship(Relationship)
  }

  init(_ expression: Expression, _ kind: Kind, _ operands: [Term], _ target: Target = .nothing) {
    self.expression = expression
    self.kind = kind
    self.operands = operands
    self.target = target
  }

  package var isConstant: Bool { if case .constant = expression { true } else { false } }

  package var constant: Value? { if case .constant(let value, _) = expression { value } else { nil } }

  /// Whether this is the row that the condition is about.
  package var isRow: Bool { expression == .row }
}
