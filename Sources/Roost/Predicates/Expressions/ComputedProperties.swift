internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// Properties of values that Roost computes.
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
