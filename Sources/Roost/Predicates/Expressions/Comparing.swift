internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// `==`, `!=`, `<` and ranges.
extension PredicateExpressions.Equal: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    TranslatedPart(try translator.equality(.equal, lhs, other: rhs))
  }
}

extension PredicateExpressions.NotEqual: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    TranslatedPart(try translator.equality(.notEqual, lhs, other: rhs))
  }
}

extension Translator {
  fileprivate func equality<One: PredicateExpression, Other: PredicateExpression>(
    _ comparison: Condition.Comparison, _ one: One, other: Other
  ) throws -> Condition {
    let (first, second) = (try piece(one), try piece(other))
    if let list = first.rows != nil && isNil(second) ? first : second.rows != nil && isNil(first) ? second : nil {
      // A relationship to many is never nil in a context, nor in a store. Behind an optional reference it may be.
      guard case .many(let owner, _) = list.expression, isThere(owner) else { throw Untranslatable(one) }
      return .constant(.bool(comparison == .notEqual), .plain(.bool))
    }
    if let presence = try presence(first, second) ?? presence(second, first) {
      return .compare(comparison, presence.0, presence.1)
    }
    if first.row == nil, second.row == nil {
      guard Constant.isComparedByValue(One.Output.self) || isNil(first) || isNil(second) else {
        throw Untranslatable(one)
      }
    }
    let values = try nilValues(first, second, type: One.Output.self) ?? self.values(first, second)
    return .compare(comparison, values.0, values.1)
  }

  private func isNil(_ piece: TranslatedPart) -> Bool {
    piece.captured?.isNil ?? false
  }

  /// Whether a struct that is stored as its parts is there.
  private func presence(_ one: TranslatedPart, _ other: TranslatedPart) throws -> (Condition, Condition)? {
    guard case .parts(let parts) = one.meaning else { return nil }
    guard isNil(other), let presence = parts.presence else { throw Untranslatable(parts.path) }
    return (presence, .constant(.null, .optional(.plain(.presence))))
  }

  /// Nil beside a value that is compared in no other way.
  private func nilValues(_ one: TranslatedPart, _ other: TranslatedPart, type: Any.Type) throws -> (
    Condition, Condition
  )? {
    if one.row != nil || other.row != nil { return nil }
    if isNil(other), one.captured == nil { return (try value(one), try Constant.null(type)) }
    if isNil(one), other.captured == nil { return (try Constant.null(type), try value(other)) }
    return nil
  }
}

extension TranslatedPart.Parts {
  /// The field that says whether the struct is there, where it may be nil.
  var presence: Condition? {
    guard let field = coder.field, field.isOptional else { return nil }
    return map.entity.field(path).map { .field(base, $0.id) }
  }
}

extension PredicateExpressions.Comparison: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Constant.isSortedByValue(LHS.Output.self) else { throw Untranslatable(self) }
    let comparison: Condition.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw Untranslatable(self)
      }
    let one = try translator.value(of: lhs)
    return TranslatedPart(.compare(comparison, one, try translator.value(of: rhs)))
  }
}

/// Ranges whose bounds are expressions of their own. They mean something to the engine where something is asked of them.
extension PredicateExpressions.Range: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart { throw Untranslatable(self) }

  func bounds(_ translator: Translator) throws -> RangeBounds? {
    RangeBounds(low: try translator.value(of: lower), high: try translator.value(of: upper), isClosed: false)
  }
}

extension PredicateExpressions.ClosedRange: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart { throw Untranslatable(self) }

  func bounds(_ translator: Translator) throws -> RangeBounds? {
    RangeBounds(low: try translator.value(of: lower), high: try translator.value(of: upper), isClosed: true)
  }
}

extension PredicateExpressions.RangeExpressionContains: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    guard Constant.isSortedByValue(Element.Output.self) else { throw Untranslatable(self) }
    let value = try translator.value(of: element)
    if let bounds = try ExpressionTypes.translatable(range)?.bounds(translator) {
      return TranslatedPart(.within(bounds.low, bounds.high, bounds.isClosed, value))
    }
    guard let captured = try translator.piece(range).captured, let known = captured.constant as? any CapturedRange
    else {
      throw Untranslatable(self)
    }
    return TranslatedPart(try known.contains(value, captured.leaf))
  }
}
