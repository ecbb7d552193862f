internal import Foundation
internal import RoostRecords

/// Properties of values that Roost computes: `text.folded`, `date.utc.year`, `dictionary.keys`.
enum ComputedPart {
  case folded
  case utc
  case datePart(DatePart)
  case keys

  /// The property that a key path shows; nil for all others.
  init?(_ keyPath: AnyKeyPath) {
    let root = type(of: keyPath).rootType
    if root == String.self, keyPath == \String.folded {
      self = .folded
    } else if root == Date.self, keyPath == \Date.utc {
      self = .utc
    } else if root == UTCDate.self, let part = DatePart(keyPath) {
      self = .datePart(part)
    } else if let keys = type(of: keyPath).valueType as? any DictionaryKeys.Type, keys.areShown(by: keyPath) {
      self = .keys
    } else {
      return nil
    }
  }

  /// The name of the property.
  var name: String {
    switch self {
    case .folded: "folded"
    case .utc: "utc"
    case .datePart(let part): part.rawValue
    case .keys: "keys"
    }
  }
}

/// The type of a dictionary's `keys`.
protocol DictionaryKeys {
  static func areShown(by keyPath: AnyKeyPath) -> Bool
  /// The nil of a dictionary without a key; nil if its values may be nil themselves.
  static var noValue: Condition? { get }
}

extension Dictionary.Keys: DictionaryKeys {
  static func areShown(by keyPath: AnyKeyPath) -> Bool { keyPath == \Dictionary<Key, Value>.keys }
  static var noValue: Condition? { Value.self is any OptionalValue.Type ? nil : try? Constant.null(Value?.self) }
}
