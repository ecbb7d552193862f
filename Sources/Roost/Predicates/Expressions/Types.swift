internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// `is` and both casts: the class of a row's model.
extension Translator {
  func cast(_ cast: ExpressionNode.Cast, _ input: Operand, to type: Any.Type) throws -> TranslatedPart {
    func open<Desired>(_ type: Desired.Type) throws -> TranslatedPart { try self.cast(cast, piece(input), to: type) }
    return try _openExistential(type, do: open)
  }

  /// Returns a row as one of a subclass, nil if it is of another class. Returns the row itself if
  /// its class is the wanted one anyway.
  private func cast<Desired>(
    _ cast: ExpressionNode.Cast, _ inner: TranslatedPart, to type: Desired.Type
  ) throws -> TranslatedPart {
    guard let map = inner.row else { throw Untranslatable(inner) }
    if cast == .test {
      // The class of a row says nothing about a protocol or an optional.
      guard type is any _ModelObject.Type else { throw Untranslatable(inner) }
      return TranslatedPart(isKind(inner.expression, map) { $0 is Desired.Type })
    }
    if map.type.model is Desired.Type { return inner }
    guard let target = heir(of: map, as: type) else { throw Untranslatable(inner) }
    let test = isKind(inner.expression, map) { $0 is Desired.Type }
    let row = Condition.conditional(test, inner.expression, Constant.null(of: target))
    return TranslatedPart(cast == .forced ? .unwrap(row) : row, .row(target))
  }

  /// Returns the map of a subclass.
  private func heir(of map: EntityMap, as type: Any.Type) -> EntityMap? {
    guard let model = type as? any _ModelObject.Type, let target = graph.store.map(of: model), target.isKind(of: map)
    else { return nil }
    return target
  }

  /// Returns whether a row's class is one of those classes of a map, including subclasses, that
  /// pass a test.
  private func isKind(
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
