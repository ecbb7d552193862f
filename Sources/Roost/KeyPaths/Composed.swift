internal import Foundation

/// Key paths that are appended to others. Each is written once: the same literal in generic code, or anywhere in an optimised build,
/// makes a key path that is not equal.
enum Composed {
  static let rank: any KeyPath<Bool, Int> & Sendable = \.rank
  static let optionalRank: any KeyPath<Bool?, Int?> & Sendable = \.rank
  static let localized: any KeyPath<String, LocalizedText> & Sendable = \.localized
  static let optionalLocalized: any KeyPath<String?, LocalizedText?> & Sendable = \.localized
  static let localizedStandard: any KeyPath<String, LocalizedText> & Sendable = \.localizedStandard
  static let optionalLocalizedStandard: any KeyPath<String?, LocalizedText?> & Sendable = \.localizedStandard

  /// Both parts capture nothing that could change.
  static func sendable<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
    unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
  }

  static func rawValue<Value: RawRepresentable>(_ type: Value.Type) -> KeyPath<Value, Value.RawValue> { \.rawValue }
  static func optionalRawValue<Value: RawRepresentable>(_ type: Value.Type) -> KeyPath<Value?, Value.RawValue?> {
    \.?.rawValue
  }
}

// Flags as numbers, since Swift's have no order.
extension Bool {
  var rank: Int { self ? 1 : 0 }
}

extension Bool? {
  // It may be nil, because behind a `?` in a key path nothing else is asked where there is nothing.
  var rank: Int? { map { $0.rank } }
}
