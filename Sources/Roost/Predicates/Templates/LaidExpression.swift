internal import Foundation

/// An expression of which it is known where its parts stand.
///
/// Values must be laid in the order in which the translator comes to them: see `piece(_:)` of the same expression.
protocol LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int)
}

extension PredicateExpressions.Variable: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.key))
  }
}

extension PredicateExpressions.Value: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addValue(Output.self, at: offset, MemoryLayout<Self>.offset(of: \.value))
  }
}

extension PredicateExpressions.NilLiteral: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {}
}

extension PredicateExpressions.KeyPath: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Root.self, at: offset, MemoryLayout<Self>.offset(of: \.root))
    layout.addKeyPath(at: offset, MemoryLayout<Self>.offset(of: \.keyPath))
  }
}

// MARK: Logic

extension PredicateExpressions.Equal: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.NotEqual: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Conjunction: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Disjunction: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Comparison: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addSign(PredicateExpressions.ComparisonOperator.self, at: offset, MemoryLayout<Self>.offset(of: \.op))
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Negation: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Wrapped.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
  }
}

extension PredicateExpressions.Conditional: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Test.self, at: offset, MemoryLayout<Self>.offset(of: \.test))
    layout.add(If.self, at: offset, MemoryLayout<Self>.offset(of: \.trueBranch))
    layout.add(Else.self, at: offset, MemoryLayout<Self>.offset(of: \.falseBranch))
  }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.ForcedUnwrap: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Inner.self, at: offset, MemoryLayout<Self>.offset(of: \.inner))
  }
}

extension PredicateExpressions.OptionalFlatMap: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.transform))
  }
}

// MARK: Numbers and ranges

extension PredicateExpressions.Arithmetic: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addSign(PredicateExpressions.ArithmeticOperator.self, at: offset, MemoryLayout<Self>.offset(of: \.op))
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.UnaryMinus: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Wrapped.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
  }
}

extension PredicateExpressions.Range: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lower))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.upper))
  }
}

extension PredicateExpressions.ClosedRange: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lower))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.upper))
  }
}

extension PredicateExpressions.RangeExpressionContains: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Element.self, at: offset, MemoryLayout<Self>.offset(of: \.element))
    layout.add(RangeExpression.self, at: offset, MemoryLayout<Self>.offset(of: \.range))
  }
}

// MARK: Texts and collections

extension PredicateExpressions.CollectionContainsCollection: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Base.self, at: offset, MemoryLayout<Self>.offset(of: \.base))
    layout.add(Other.self, at: offset, MemoryLayout<Self>.offset(of: \.other))
  }
}

extension PredicateExpressions.SequenceStartsWith: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Base.self, at: offset, MemoryLayout<Self>.offset(of: \.base))
    layout.add(Prefix.self, at: offset, MemoryLayout<Self>.offset(of: \.prefix))
  }
}

extension PredicateExpressions.SequenceContains: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.element))
  }
}

extension PredicateExpressions.SequenceContainsWhere: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.test))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.test))
  }
}

extension PredicateExpressions.Filter: LaidExpression {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.filter))
  }
}
