internal import RoostGraph

/// Facts about types. The table of plain types answers first. For other types the runtime is asked,
/// which is slow: see ``PlainType``.
enum TypeFacts {
  /// Returns the wrapped type of an optional type; any other type itself.
  static func whole(_ type: Any.Type) -> Any.Type {
    if let plain = PlainType.of(type) { return plain.whole }
    return (type as? any OptionalValue.Type)?.wrapped ?? type
  }

  /// Whether values of a type, which is not optional, are stored without a coder of their own.
  static func isStorable(_ type: Any.Type) -> Bool { PlainType.of(type) != nil || type is any _Storable.Type }

  static func codable(_ type: Any.Type) -> (any Codable.Type)? {
    if let plain = PlainType.of(type) { return plain.codable }
    return type as? any Codable.Type
  }
}

/// Returns the wrapped type of an optional type.
protocol OptionalValue {
  static var wrapped: Any.Type { get }
}

extension Optional: OptionalValue {
  static var wrapped: Any.Type { Wrapped.self }
}
