internal import Foundation
internal import RoostGraph
internal import RoostQuery
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

extension Translator {
  /// The engine's words for a property that Roost computes; nil for all others.
  func computed(_ keyPath: AnyKeyPath, of base: TranslatedPart) -> TranslatedPart? {
    switch ComputedPart(keyPath) {
    case .folded: TranslatedPart(.changed(.folded, base.expression))
    case .utc: TranslatedPart(base.expression, .moment)
    case .datePart, nil: nil
    // Only `keys.contains` has a meaning: see ``hasKey(_:_:)``.
    case .keys: nil
    }
  }

  /// `dictionary.keys.contains(key)`: the dictionary has a value for the key. Nil if the sequence is no list of keys.
  func hasKey(_ sequence: Operand, _ key: Operand) throws -> TranslatedPart? {
    guard case .property(let property) = sequence.node, case .keys? = ComputedPart(property.keyPath),
      let keys = sequence.output as? any DictionaryKeys.Type, let none = keys.noValue,
      Constant.isComparedByValue(key.output)
    else { return nil }
    return TranslatedPart(.compare(.notEqual, .lookup(try value(of: property.root), try value(of: key)), none))
  }
}

/// The type of a dictionary's `keys`.
private protocol DictionaryKeys {
  static func areShown(by keyPath: AnyKeyPath) -> Bool
  /// The nil of a dictionary without a key; nil if its values may be nil themselves.
  static var noValue: Condition? { get }
}

extension Dictionary.Keys: DictionaryKeys {
  static func areShown(by keyPath: AnyKeyPath) -> Bool { keyPath == \Dictionary<Key, Value>.keys }
  static var noValue: Condition? { Value.self is any OptionalValue.Type ? nil : try? Constant.null(Value?.self) }
}
