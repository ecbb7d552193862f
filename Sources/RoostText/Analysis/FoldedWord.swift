// The only access to the normal forms that needs no Foundation.
@_spi(_Unicode) internal import Swift

/// Folds one word: removes case and marks, if the analyzer asks for that, and converts it to normal
/// form C.
///
/// A letter is folded as `RoostQuery` folds it for comparisons: ς is σ, and ß and ẞ are ss.
struct FoldedWord {
  private let foldsCase: Bool
  private let foldsMarks: Bool
  /// Whether all marks that `RoostQuery` ignores are removed, so that an index of trigrams finds
  /// the same rows as its comparisons.
  private let foldsAllMarks: Bool
  private let letters: [UInt64]
  /// The scalars, if one of them depends on its neighbours.
  private var scalars = String.UnicodeScalarView()
  private var isSimple = true
  private(set) var scalarCount = 0
  private(set) var bytes: [UInt8] = []

  var isEmpty: Bool { scalarCount == 0 }
  var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

  init(_ analyzer: TextAnalyzer) {
    foldsCase = analyzer.foldsCase
    foldsMarks = analyzer.foldsMarks
    foldsAllMarks = analyzer.foldsMarks && analyzer.mode == .trigrams
    letters = Self.tables[(foldsCase ? 1 : 0) | (foldsMarks ? 2 : 0)]
  }

  mutating func append(_ number: UInt32) {
    // No real word is as long; the rest of it would be cut anyway.
    if scalarCount >= 1024 { return }
    scalarCount += 1
    if isSimple, number < 0x300 {
      var rest = letters[Int(number)]
      while rest != 0 {
        bytes.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
    } else {
      isSimple = false
    }
    scalars.append(Unicode.Scalar(number) ?? "\u{FFFD}")
  }

  /// Completes `bytes`.
  mutating func finish() {
    if isSimple { return }
    bytes = Self.fold(String(scalars), foldsCase: foldsCase, foldsMarks: foldsMarks, andAll: foldsAllMarks)
  }

  private static func fold(_ text: String, foldsCase: Bool, foldsMarks: Bool, andAll: Bool = false) -> [UInt8] {
    var folded = String.UnicodeScalarView()
    for scalar in text._nfd {
      if foldsMarks, isDropped(scalar) { continue }
      if andAll, scalar.properties.generalCategory == .nonspacingMark { continue }
      if !foldsCase || scalar.value == 0x131 {
        folded.append(scalar)
      } else {
        folded.append(contentsOf: scalar.properties.lowercaseMapping.uppercased().lowercased().unicodeScalars)
      }
    }
    var bytes: [UInt8] = []
    for scalar in String(folded)._nfc { bytes += UTF8.encode(scalar)! }
    return bytes
  }

  /// Marks that folding removes. Vowel signs of Indian scripts and voicing marks of kana stay.
  private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0300...0x036F, 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7, 0x0610...0x061A,
      0x064B...0x065F, 0x0670, 0x06D6...0x06DC, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F,
      0xFE20...0xFE2F, 0x200C...0x200D:
      true
    default: false
    }
  }

  /// For each combination of settings the folded form of each letter below U+0300, its first byte
  /// lowest.
  private static let tables: [[UInt64]] = (0..<4).map { settings in
    (0..<0x300).map { number in
      let text = String(Unicode.Scalar(UInt32(number)) ?? " ")
      let bytes = fold(text, foldsCase: settings & 1 != 0, foldsMarks: settings & 2 != 0)
      return bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
