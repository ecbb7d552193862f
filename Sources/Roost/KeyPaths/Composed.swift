internal import Foundation

/// Key paths that are appended to others. Each is written only once. The same literal elsewhere in
/// generic code, or in an optimised build, makes a key path that is not equal.
enum Composed {
  static let rank: any KeyPath<Bool, Int> & Sendable = \.rank
  static let optionalRank: any KeyPath<Bool?, Int?> & Sendable = \.rank
  static let localized: any KeyPath<String, LocalizedText> & Sendable = \.localized
  static let optionalLocalized: any KeyPath<String?, LocalizedText?> & Sendable = \.localized
  static let localizedStandard: any KeyPath<String, LocalizedText> & Sendable = \.localizedStandard
  static let optionalLocalizedStandard: any KeyPath<String?, LocalizedText?> & Sendable = \.localizedStandard

  /// Neither part captures anything that could change.
  static func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
  }

  static func rawValue<Value: RawRepresentable>(_ type: Value.Type) -> KeyPath<Value, Value.RawValue> { \.rawValue }
  static func optionalRawValue<Value: RawRepresentable>(_ type: Value.Type) -> KeyPath<Value?, Value.RawValue?> {
    \.?.rawValue
  }
}

// Booleans as numbers, because `Bool` has no order.
extension Bool {
  var rank: Int { self ? 1 : 0 }
}

extension Bool? {
  // Optional, because a `?` in a key path stops at nil.
  var rank: Int? { map { $0.rank } }
}
