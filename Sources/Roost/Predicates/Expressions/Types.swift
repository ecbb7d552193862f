internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// `is` and both casts: which class a row says that its model is of.
extension PredicateExpressions.TypeCheck: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let inner = try translator.piece(input)
    // What is asked of a protocol or of an optional, no class says of itself.
    guard let map = inner.row, Desired.self is any _ModelObject.Type else { throw Untranslatable(self) }
    return TranslatedPart(translator.isKind(inner.expression, map) { $0 is Desired.Type })
  }
}

extension PredicateExpressions.ConditionalCast: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let (inner, heir) = try translator.cast(translator.piece(input), to: Desired.self, self)
    return heir.map { TranslatedPart($0.row, .row($0.map)) } ?? inner
  }
}

extension PredicateExpressions.ForceCast: Translatable {
  func piece(_ translator: Translator) throws -> TranslatedPart {
    let (inner, heir) = try translator.cast(translator.piece(input), to: Desired.self, self)
    return heir.map { TranslatedPart(.unwrap($0.row), .row($0.map)) } ?? inner
  }
}

extension Translator {
  /// A row as one of a class that inherits from its own, nil where it is none; or the row itself, where its class is the wanted one anyway.
  fileprivate func cast<Desired>(
    _ inner: TranslatedPart, to type: Desired.Type, _ expression: Any
  ) throws -> (inner: TranslatedPart, heir: (row: Condition, map: EntityMap)?) {
    guard let map = inner.row else { throw Untranslatable(expression) }
    if map.type.model is Desired.Type { return (inner, nil) }
    guard let target = heir(of: map, as: type) else { throw Untranslatable(expression) }
    let test = isKind(inner.expression, map) { $0 is Desired.Type }
    return (inner, (.conditional(test, inner.expression, Constant.null(of: target)), target))
  }

  /// The map of a class that inherits from another one's.
  fileprivate func heir(of map: EntityMap, as type: Any.Type) -> EntityMap? {
    guard let model = type as? any _ModelObject.Type, let target = graph.store.map(of: model), target.isKind(of: map)
    else { return nil }
    return target
  }

  /// Whether a row is of one of those classes, of a map's and its subclasses', that pass a test.
  fileprivate func isKind(
    _ row: Condition, _ map: EntityMap, test: (any _ModelObject.Type) -> Bool
  ) -> Condition {
    let all = graph.store.maps.filter { $0.isKind(of: map) }
    let kinds = all.filter { test($0.type.model) }
    if kinds.count == all.count {
      return isThere(row)
        ? .constant(.bool(true), .bool) : .compare(.notEqual, row, Constant.null(of: map))
    }
    guard let family = map.family, !kinds.isEmpty else { return .constant(.bool(false), .bool) }
    return family.condition(row, kinds)
  }
}
