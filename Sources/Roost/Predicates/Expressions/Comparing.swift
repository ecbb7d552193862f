internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// `==`, `!=` and ranges.
extension Translator {
  func equality(_ comparison: Condition.Comparison, _ one: Operand, other: Operand) throws -> Condition {
    let (first, second) = (try piece(one), try piece(other))
    if let list = first.rows != nil && isNil(second) ? first : second.rows != nil && isNil(first) ? second : nil {
      // A to-many relationship is never nil in a context or in a store. After an optional reference
      // it may be nil.
      guard case .many(let owner, _) = list.expression, isThere(owner) else { throw Untranslatable(one.expression) }
      return .constant(.bool(comparison == .notEqual), .plain(.bool))
    }
    if let presence = try presence(first, second) ?? presence(second, first) {
      return .compare(comparison, presence.0, presence.1)
    }
    if first.row == nil, second.row == nil {
      guard Constant.isComparedByValue(one.output) || isNil(first) || isNil(second) else {
        throw Untranslatable(one.expression)
      }
    }
    let values = try nilValues(first, second, type: one.output) ?? self.values(first, second)
    return .compare(comparison, values.0, values.1)
  }

  private func isNil(_ piece: TranslatedPart) -> Bool {
    piece.captured?.isNil ?? false
  }

  /// Returns whether a struct that is stored as its properties is nil.
  private func presence(_ one: TranslatedPart, _ other: TranslatedPart) throws -> (Condition, Condition)? {
    guard case .parts(let parts) = one.meaning else { return nil }
    guard isNil(other), let presence = parts.presence else { throw Untranslatable(parts.path) }
    return (presence, .constant(.null, .optional(.plain(.presence))))
  }

  /// Returns nil and a value that can only be compared with nil.
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
  /// The field that says whether the struct is nil, if it may be nil.
  var presence: Condition? {
    guard let field = coder.field, field.isOptional else { return nil }
    return map.entity.field(path).map { .field(base, $0.id) }
  }
}

extension Translator {
  /// Translates whether a range contains a value. Only here does the engine know a range of
  /// expressions.
  func within(_ range: Operand, _ element: Operand) throws -> TranslatedPart {
    guard Constant.isSortedByValue(element.output) else { throw Untranslatable(element.expression) }
    let value = try value(of: element)
    if case .range(let low, let high, let isClosed) = range.node {
      return TranslatedPart(.within(try self.value(of: low), try self.value(of: high), isClosed, value))
    }
    guard let captured = try piece(range).captured, let known = captured.constant as? any CapturedRange else {
      throw Untranslatable(range.expression)
    }
    return TranslatedPart(try known.contains(value, captured.leaf))
  }
}
