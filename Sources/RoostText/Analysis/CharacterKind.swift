/// The part that a scalar plays in word breaking: the essential rules of Unicode Standard Annex 29.
enum CharacterKind: UInt8 {
  /// Separates words.
  case separator
  /// Letters, digits and connectors, which join with their neighbours.
  case letter
  /// Belongs to the letter before it.
  case mark
  /// A word of its own: ideographs, kana, and scripts that have no spaces between words.
  case single

  @inline(__always)
  static func of(_ scalar: UInt32) -> CharacterKind {
    scalar < 0x3400 ? CharacterKind(rawValue: table[Int(scalar)])! : compute(scalar)
  }

  private static let table: [UInt8] = (0..<0x3400).map { compute($0).rawValue }

  private static func compute(_ number: UInt32) -> CharacterKind {
    guard let scalar = Unicode.Scalar(number) else { return .separator }
    if number == 0x200D || number == 0x200C { return .mark }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber:
      return isSingle(number) || properties.isIdeographic ? .single : .letter
    case .decimalNumber, .otherNumber, .connectorPunctuation: return .letter
    case .otherSymbol where properties.isEmojiPresentation: return .single
    default: return .separator
    }
  }

  /// Kana, Bopomofo, Thai, Lao, Myanmar and Khmer.
  private static func isSingle(_ number: UInt32) -> Bool {
    switch number {
    case 0x3041...0x30FF, 0x3105...0x312F, 0x31A0...0x31BF, 0x31F0...0x31FF, 0xFF66...0xFF9F, 0x1B000...0x1B16F,
      0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF:
      true
    default: false
    }
  }
}
