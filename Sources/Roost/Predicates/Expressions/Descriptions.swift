internal import Foundation
internal import RoostQuery

// The ``ExpressionNode`` of each of Foundation's expression types, and of each of Roost's.

// MARK: Names

extension PredicateExpressions.Variable: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .variable(parts.key(\.key)) }
}

extension PredicateExpressions.Value: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .value(parts.value(\.value)) }
}

extension PredicateExpressions.NilLiteral: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .value(CapturedValue(value: Wrapped?.none as Any, type: Wrapped?.self, place: nil))
  }
}

extension PredicateExpressions.KeyPath: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    let whole = parts.whole
    return .property(
      PropertyAccess(
        root: parts.operand(\.root), keyPath: parts.keyPath(\.keyPath), ofCollection: { whole.ofCollection }))
  }

  private var ofCollection: CollectionProperty? {
    switch kind {
    case .collectionCount?: .count
    case .collectionIsEmpty?: .isEmpty
    case .collectionFirst?: .first
    case .bidirectionalCollectionLast?: .last
    case nil: nil
    }
  }
}

// MARK: Logic

extension PredicateExpressions.Conjunction: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .joint(.and, parts.operand(\.lhs), parts.operand(\.rhs)) }
}

extension PredicateExpressions.Disjunction: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .joint(.or, parts.operand(\.lhs), parts.operand(\.rhs)) }
}

extension PredicateExpressions.Negation: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .not(parts.operand(\.wrapped)) }
}

extension PredicateExpressions.Conditional: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .conditional(parts.operand(\.test), parts.operand(\.trueBranch), parts.operand(\.falseBranch))
  }
}

// MARK: Comparisons and ranges

extension PredicateExpressions.Equal: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .equality(.equal, parts.operand(\.lhs), parts.operand(\.rhs))
  }
}

extension PredicateExpressions.NotEqual: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .equality(.notEqual, parts.operand(\.lhs), parts.operand(\.rhs))
  }
}

extension PredicateExpressions.Comparison: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .comparison(Condition.Comparison(parts.sign(\.op)), parts.operand(\.lhs), parts.operand(\.rhs))
  }
}

extension Condition.Comparison {
  fileprivate init?(_ sign: PredicateExpressions.ComparisonOperator) {
    switch sign {
    case .lessThan: self = .less
    case .lessThanOrEqual: self = .lessOrEqual
    case .greaterThan: self = .greater
    case .greaterThanOrEqual: self = .greaterOrEqual
    @unknown default: return nil
    }
  }
}

extension PredicateExpressions.Range: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .range(parts.operand(\.lower), parts.operand(\.upper), isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .range(parts.operand(\.lower), parts.operand(\.upper), isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .within(parts.operand(\.range), parts.operand(\.element)) }
}

// MARK: Optionals and types

extension PredicateExpressions.NilCoalesce: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .coalesce(parts.operand(\.lhs), parts.operand(\.rhs)) }
}

extension PredicateExpressions.ForcedUnwrap: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .unwrap(parts.operand(\.inner)) }
}

extension PredicateExpressions.OptionalFlatMap: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .flatMap(parts.operand(\.wrapped), parts.variable(\.variable), parts.operand(\.transform), result: Result.self)
  }
}

extension PredicateExpressions.TypeCheck: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .cast(.test, parts.operand(\.input), Desired.self) }
}

extension PredicateExpressions.ConditionalCast: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .cast(.conditional, parts.operand(\.input), Desired.self) }
}

extension PredicateExpressions.ForceCast: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .cast(.forced, parts.operand(\.input), Desired.self) }
}

// MARK: Numbers

extension PredicateExpressions.Arithmetic: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .arithmetic(Condition.Arithmetic(parts.sign(\.op)), parts.operand(\.lhs), parts.operand(\.rhs))
  }
}

extension Condition.Arithmetic {
  fileprivate init?(_ sign: PredicateExpressions.ArithmeticOperator) {
    switch sign {
    case .add: self = .add
    case .subtract: self = .subtract
    case .multiply: self = .multiply
    @unknown default: return nil
    }
  }
}

extension PredicateExpressions.IntDivision: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .arithmetic(.divide, parts.operand(\.lhs), parts.operand(\.rhs))
  }
}

extension PredicateExpressions.FloatDivision: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .arithmetic(.divide, parts.operand(\.lhs), parts.operand(\.rhs))
  }
}

extension PredicateExpressions.IntRemainder: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .arithmetic(.remainder, parts.operand(\.lhs), parts.operand(\.rhs))
  }
}

extension PredicateExpressions.UnaryMinus: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .negative(parts.operand(\.wrapped)) }
}

// MARK: Collections

extension PredicateExpressions.SequenceContains: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .contains(parts.operand(\.sequence), parts.operand(\.element))
  }
}

extension PredicateExpressions.SequenceContainsWhere: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .closure(.some, parts.operand(\.sequence), parts.variable(\.variable), parts.operand(\.test))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .closure(.all, parts.operand(\.sequence), parts.variable(\.variable), parts.operand(\.test))
  }
}

extension PredicateExpressions.Filter: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .closure(.filter, parts.operand(\.sequence), parts.variable(\.variable), parts.operand(\.filter))
  }
}

extension PredicateExpressions.SequenceMaximum: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .extreme(.maximum, parts.operand(\.elements), element: Elements.Output.Element.self)
  }
}

extension PredicateExpressions.SequenceMinimum: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .extreme(.minimum, parts.operand(\.elements), element: Elements.Output.Element.self)
  }
}

extension PredicateExpressions.CollectionIndexSubscript: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .element(parts.operand(\.wrapped), parts.operand(\.index))
  }
}

extension PredicateExpressions.CollectionRangeSubscript: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode { .slice(parts.operand(\.wrapped), parts.operand(\.range)) }
}

extension PredicateExpressions.DictionaryKeySubscript: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .lookup(parts.operand(\.wrapped), key: parts.operand(\.key))
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .lookupOr(parts.operand(\.wrapped), key: parts.operand(\.key), parts.operand(\.`default`))
  }
}

// MARK: Texts

extension PredicateExpressions.CollectionContainsCollection: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .text(.contains, parts.operand(\.base), parts.operand(\.other))
  }
}

extension PredicateExpressions.SequenceStartsWith: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .text(.starts, parts.operand(\.base), parts.operand(\.prefix))
  }
}

extension PredicateExpressions.TextEdge: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .text(parts.sign(\.isSuffix) ? .hasSuffix : .hasPrefix, parts.operand(\.root), parts.operand(\.edge))
  }
}

extension PredicateExpressions.TextInCase: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .changed(parts.sign(\.isUpper) ? .uppercased : .lowercased, parts.operand(\.root))
  }
}

extension PredicateExpressions.StringContainsRegex: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .matches(parts.operand(\.subject), parts.operand(\.regex))
  }
}

#if !canImport(Darwin)
  extension PredicateExpressions.StringLocalizedStandardContains: Translatable {
    static func node(_ parts: Parts<Self>) -> ExpressionNode {
      .text(.containsLoosely, parts.operand(\.root), parts.operand(\.other))
    }
  }

  extension PredicateExpressions.StringLocalizedCompare: Translatable {
    static func node(_ parts: Parts<Self>) -> ExpressionNode {
      .order(.localized, parts.operand(\.root), parts.operand(\.other))
    }
  }

  extension PredicateExpressions.StringCaseInsensitiveCompare: Translatable {
    static func node(_ parts: Parts<Self>) -> ExpressionNode {
      .order(.caseless, parts.operand(\.root), parts.operand(\.other))
    }
  }
#endif

// MARK: Other predicates

extension PredicateExpressions.ExpressionEvaluate: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    parts.hide()
    return .foundation(parts.operand(\.expression))
  }
}

#if !canImport(Darwin)
  extension PredicateExpressions.PredicateEvaluate: Translatable {
    static func node(_ parts: Parts<Self>) -> ExpressionNode {
      .evaluation(parts.operand(\.input), parts.nested(\.predicate) { [NestedExpressions.Member($0)] })
    }
  }

  extension PredicateExpressions.ModelExpression: Translatable {
    static func node(_ parts: Parts<Self>) -> ExpressionNode {
      .evaluation(parts.operand(\.input), parts.nested(\.expression) { [NestedExpressions.Member($0)] })
    }
  }

  extension PredicateExpressions.JoinedPredicates: Translatable {
    static func node(_ parts: Parts<Self>) -> ExpressionNode {
      let whole = parts.whole
      let nested = parts.nested(\.predicates, first: whole.first) { $0.map { NestedExpressions.Member($0) } }
      return .predicates(parts.sign(\.isAll) ? .and : .or, parts.operand(\.variable), nested) { whole.each }
    }
  }
#endif
