internal import Foundation

// Where the parts of each expression stand: see ``Translatable/lay(_:at:)``.

extension PredicateExpressions.Variable {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.key))
  }
}

extension PredicateExpressions.Value {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addValue(Output.self, at: offset, MemoryLayout<Self>.offset(of: \.value))
  }
}

extension PredicateExpressions.NilLiteral {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {}
}

extension PredicateExpressions.KeyPath {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Root.self, at: offset, MemoryLayout<Self>.offset(of: \.root))
    layout.addKeyPath(at: offset, MemoryLayout<Self>.offset(of: \.keyPath))
  }
}

// MARK: Logic

extension PredicateExpressions.Equal {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.NotEqual {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Conjunction {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Disjunction {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Comparison {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addSign(PredicateExpressions.ComparisonOperator.self, at: offset, MemoryLayout<Self>.offset(of: \.op))
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.Negation {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Wrapped.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
  }
}

extension PredicateExpressions.Conditional {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Test.self, at: offset, MemoryLayout<Self>.offset(of: \.test))
    layout.add(If.self, at: offset, MemoryLayout<Self>.offset(of: \.trueBranch))
    layout.add(Else.self, at: offset, MemoryLayout<Self>.offset(of: \.falseBranch))
  }
}

// MARK: Optionals

extension PredicateExpressions.NilCoalesce {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.ForcedUnwrap {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Inner.self, at: offset, MemoryLayout<Self>.offset(of: \.inner))
  }
}

extension PredicateExpressions.OptionalFlatMap {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.transform))
  }
}

// MARK: Numbers and ranges

extension PredicateExpressions.Arithmetic {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addSign(PredicateExpressions.ArithmeticOperator.self, at: offset, MemoryLayout<Self>.offset(of: \.op))
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.UnaryMinus {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Wrapped.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
  }
}

extension PredicateExpressions.Range {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lower))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.upper))
  }
}

extension PredicateExpressions.ClosedRange {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lower))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.upper))
  }
}

extension PredicateExpressions.RangeExpressionContains {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Element.self, at: offset, MemoryLayout<Self>.offset(of: \.element))
    layout.add(RangeExpression.self, at: offset, MemoryLayout<Self>.offset(of: \.range))
  }
}

// MARK: Texts and collections

extension PredicateExpressions.CollectionContainsCollection {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Base.self, at: offset, MemoryLayout<Self>.offset(of: \.base))
    layout.add(Other.self, at: offset, MemoryLayout<Self>.offset(of: \.other))
  }
}

extension PredicateExpressions.SequenceStartsWith {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Base.self, at: offset, MemoryLayout<Self>.offset(of: \.base))
    layout.add(Prefix.self, at: offset, MemoryLayout<Self>.offset(of: \.prefix))
  }
}

extension PredicateExpressions.SequenceContains {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.element))
  }
}

extension PredicateExpressions.SequenceContainsWhere {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.test))
  }
}

extension PredicateExpressions.SequenceAllSatisfy {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.test))
  }
}

extension PredicateExpressions.Filter {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.sequence))
    layout.addVariable(at: offset, MemoryLayout<Self>.offset(of: \.variable))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.filter))
  }
}

// MARK: Others within

#if !canImport(Darwin)
  extension PredicateExpressions.PredicateEvaluate {
    static func lay(_ layout: inout LeafLayout, at offset: Int) {
      layout.add(Input.self, at: offset, MemoryLayout<Self>.offset(of: \.input))
      layout.addPredicates(at: offset, MemoryLayout<Self>.offset(of: \.predicate)) { place in
        let predicate = place.assumingMemoryBound(to: Predicate<Input.Output>.self).pointee
        return NestedPredicate(predicate.expression, predicate.variable.key).map { [$0] }
      }
    }
  }

  extension PredicateExpressions.ModelExpression {
    static func lay(_ layout: inout LeafLayout, at offset: Int) {
      layout.add(Input.self, at: offset, MemoryLayout<Self>.offset(of: \.input))
      layout.addPredicates(at: offset, MemoryLayout<Self>.offset(of: \.expression)) { place in
        let expression = place.assumingMemoryBound(to: Foundation.Expression<Input.Output, Output>.self).pointee
        return NestedPredicate(expression.expression, expression.variable.key).map { [$0] }
      }
    }
  }

  extension PredicateExpressions.JoinedPredicates {
    static func lay(_ layout: inout LeafLayout, at offset: Int) {
      layout.add(PredicateExpressions.Variable<Input>.self, at: offset, MemoryLayout<Self>.offset(of: \.variable))
      layout.addSign(Bool.self, at: offset, MemoryLayout<Self>.offset(of: \.isAll))
      layout.addPredicates(at: offset, MemoryLayout<Self>.offset(of: \.predicates)) { place in
        let predicates = place.assumingMemoryBound(to: [Predicate<Input>].self).pointee
        let found = predicates.compactMap { NestedPredicate($0.expression, $0.variable.key) }
        return found.count == predicates.count ? found : nil
      }
    }
  }
#endif

// MARK: Divisions, elements, classes

extension PredicateExpressions.IntDivision {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.FloatDivision {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.IntRemainder {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(LHS.self, at: offset, MemoryLayout<Self>.offset(of: \.lhs))
    layout.add(RHS.self, at: offset, MemoryLayout<Self>.offset(of: \.rhs))
  }
}

extension PredicateExpressions.SequenceMaximum {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Elements.self, at: offset, MemoryLayout<Self>.offset(of: \.elements))
  }
}

extension PredicateExpressions.SequenceMinimum {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Elements.self, at: offset, MemoryLayout<Self>.offset(of: \.elements))
  }
}

extension PredicateExpressions.CollectionIndexSubscript {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Wrapped.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
    layout.add(Index.self, at: offset, MemoryLayout<Self>.offset(of: \.index))
  }
}

extension PredicateExpressions.DictionaryKeySubscript {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Wrapped.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
    layout.add(Key.self, at: offset, MemoryLayout<Self>.offset(of: \.key))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Wrapped.self, at: offset, MemoryLayout<Self>.offset(of: \.wrapped))
    layout.add(Key.self, at: offset, MemoryLayout<Self>.offset(of: \.key))
    layout.add(Default.self, at: offset, MemoryLayout<Self>.offset(of: \.`default`))
  }
}

extension PredicateExpressions.TypeCheck {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Input.self, at: offset, MemoryLayout<Self>.offset(of: \.input))
  }
}

extension PredicateExpressions.ConditionalCast {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Input.self, at: offset, MemoryLayout<Self>.offset(of: \.input))
  }
}

extension PredicateExpressions.ForceCast {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.add(Input.self, at: offset, MemoryLayout<Self>.offset(of: \.input))
  }
}

extension PredicateExpressions.TextEdge {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addSign(Bool.self, at: offset, MemoryLayout<Self>.offset(of: \.isSuffix))
    layout.add(Root.self, at: offset, MemoryLayout<Self>.offset(of: \.root))
    layout.add(Edge.self, at: offset, MemoryLayout<Self>.offset(of: \.edge))
  }
}

extension PredicateExpressions.TextInCase {
  static func lay(_ layout: inout LeafLayout, at offset: Int) {
    layout.addSign(Bool.self, at: offset, MemoryLayout<Self>.offset(of: \.isUpper))
    layout.add(Root.self, at: offset, MemoryLayout<Self>.offset(of: \.root))
  }
}

#if !canImport(Darwin)

  extension PredicateExpressions.StringLocalizedStandardContains {
    static func lay(_ layout: inout LeafLayout, at offset: Int) {
      layout.add(Root.self, at: offset, MemoryLayout<Self>.offset(of: \.root))
      layout.add(Other.self, at: offset, MemoryLayout<Self>.offset(of: \.other))
    }
  }

  extension PredicateExpressions.StringLocalizedCompare {
    static func lay(_ layout: inout LeafLayout, at offset: Int) {
      layout.add(Root.self, at: offset, MemoryLayout<Self>.offset(of: \.root))
      layout.add(Other.self, at: offset, MemoryLayout<Self>.offset(of: \.other))
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare {
    static func lay(_ layout: inout LeafLayout, at offset: Int) {
      layout.add(Root.self, at: offset, MemoryLayout<Self>.offset(of: \.root))
      layout.add(Other.self, at: offset, MemoryLayout<Self>.offset(of: \.other))
    }
  }
#endif
