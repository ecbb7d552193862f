internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// `?.`, `??`, `!`, `if let`.
extension Translator {
  func coalesce(_ one: Operand, _ other: Operand) throws -> TranslatedPart {
    let (first, second) = (try piece(one), try piece(other))
    if let captured = first.captured {
      guard let value = FlatValue.of(captured.value) else { return second }
      return try piece(value, as: other.output)
    }
    // A to-many relationship is never nil in a store.
    if first.rows != nil { return first }
    let values = try self.values(first, second)
    return TranslatedPart(.coalesce(values.0, values.1), first.row ?? second.row)
  }

  func unwrap(_ inner: Operand, as type: Any.Type) throws -> TranslatedPart {
    let inner = try piece(inner)
    switch inner.meaning {
    case .rows: return inner
    case .captured(let captured): return try piece(captured.value, as: type)
    case .parts, .moment: throw Untranslatable(inner)
    case .value, .row, .structure: return TranslatedPart(.unwrap(inner.expression), inner.meaning)
    }
  }

  func flatMap(
    _ wrapped: Operand, _ transform: Operand, binding variable: BoundVariable, result: Any.Type
  ) throws -> TranslatedPart {
    let inner = try piece(wrapped)
    func bound(_ meaning: TranslatedPart.Meaning) throws -> TranslatedPart {
      let number = newVariable()
      bind(variable.key, TranslatedPart(.variable(number), meaning))
      let found = try piece(transform)
      if let map = found.row {
        return TranslatedPart(.ifLet(number, inner.expression, found.expression, Constant.null(of: map)), .row(map))
      }
      return TranslatedPart(.ifLet(number, inner.expression, try value(found), try Constant.null(result)))
    }
    switch inner.meaning {
    case .captured(let captured):
      guard let value = FlatValue.of(captured.value) else { return Self.none(of: result) }
      bind(variable.key, try piece(value, as: variable.type))
      return try piece(transform)
    case .rows:
      bind(variable.key, inner)
      return try piece(transform)
    case .row where transform.node.chainKey == variable.key:
      // A property of an optional row may be nil too: that is `?.`.
      bind(variable.key, inner)
      return try piece(transform)
    case .row(let map): return try bound(.row(map))
    case .value: return try bound(.element(of: variable.type))  // A struct in a collection is taken apart by its type.
    case .structure(let coder): return try bound(.structure(coder))
    case .moment: throw Untranslatable(inner)
    case .parts(let parts):
      guard let presence = parts.presence else { throw Untranslatable(inner) }
      bind(variable.key, inner)
      let value = try value(of: transform)
      let isThere = Condition.compare(.notEqual, presence, .constant(.null, .optional(.plain(.presence))))
      return TranslatedPart(.conditional(isThere, value, try Constant.null(result)))
    }
  }

  /// Returns a captured nil, in the place of a value of a type.
  private static func none(of type: Any.Type) -> TranslatedPart {
    func open<Wanted>(_ type: Wanted.Type) -> TranslatedPart {
      TranslatedPart(captured: Wanted?.none as Any, Wanted?.self)
    }
    return _openExistential(type, do: open)
  }

  /// Returns a captured value as a value of a type.
  private func piece(_ value: Any, as type: Any.Type) throws -> TranslatedPart {
    func open<Wanted>(_ type: Wanted.Type) throws -> TranslatedPart {
      guard let value = value as? Wanted else { throw Untranslatable(value) }
      return TranslatedPart(captured: value, Wanted.self)
    }
    return try _openExistential(type, do: open)
  }
}
