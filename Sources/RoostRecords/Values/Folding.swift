// The only source of normal form D without Foundation.
@_spi(_Unicode) internal import Swift

/// Folds texts: without case, and optionally without diacritics, for comparisons that ignore these.
///
/// A letter becomes the lowercase of the uppercase of its lowercase. So ς becomes σ, and ß and ẞ
/// become ss; ı is unchanged.
package enum Folding {
  /// The folded text in normal form D, as UTF-8.
  package static func bytes(_ text: UnsafeRawBufferPointer, keepsMarks: Bool) -> [UInt8] {
    var folded: [UInt8] = []
    folded.reserveCapacity(text.count)
    append(text, keepsMarks: keepsMarks, to: &folded)
    return folded
  }

  package static func bytes(_ text: String, keepsMarks: Bool) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes(UnsafeRawBufferPointer($0), keepsMarks: keepsMarks) }
  }

  /// The folded text, without case and marks.
  package static func text(_ text: String) -> String {
    String(decoding: bytes(text, keepsMarks: false), as: UTF8.self)
  }

  package static func append(_ text: UnsafeRawBufferPointer, keepsMarks: Bool, to folded: inout [UInt8]) {
    if isLatin(text) { return appendLatin(text, keepsMarks: keepsMarks, to: &folded) }
    appendAny(text, keepsMarks: keepsMarks, to: &folded)
  }

  private static func appendAny(_ text: UnsafeRawBufferPointer, keepsMarks: Bool, to folded: inout [UInt8]) {
    for scalar in String(decoding: text, as: UTF8.self)._nfd {
      if scalar.isASCII {
        folded.append(lower(UInt8(scalar.value)))
      } else if !keepsMarks, scalar.properties.generalCategory == .nonspacingMark {
        continue
      } else if scalar.value == 0x131 {
        folded += UTF8.encode(scalar)!
      } else {
        folded += scalar.properties.lowercaseMapping.uppercased().lowercased().utf8
      }
    }
  }

  // MARK: Latin letters

  /// Whether the text is below U+0300, where no letter depends on its neighbours.
  private static func isLatin(_ text: UnsafeRawBufferPointer) -> Bool { text.allSatisfy { $0 < 0xCC } }

  private static func appendLatin(_ text: UnsafeRawBufferPointer, keepsMarks: Bool, to folded: inout [UInt8]) {
    let letters = keepsMarks ? markedLetters : bareLetters
    var offset = 0
    while offset < text.count {
      let byte = text[offset]
      offset += 1
      if byte < 0x80 {
        folded.append(lower(byte))
      } else if offset < text.count {
        let letter = (Int(byte) & 31) << 6 | Int(text[offset]) & 63
        offset += 1
        var rest = letters[letter &- 0x80]
        while rest != 0 {
          folded.append(UInt8(truncatingIfNeeded: rest))
          rest >>= 8
        }
      }
    }
  }

  private static let bareLetters = letters(keepsMarks: false)
  private static let markedLetters = letters(keepsMarks: true)

  /// The folded UTF-8 bytes of each letter from U+0080 to U+02FF, the first byte lowest.
  private static func letters(keepsMarks: Bool) -> [UInt64] {
    (0x80..<0x300).map { number in
      var folded: [UInt8] = []
      var letter = String(Unicode.Scalar(UInt32(number))!)
      letter.withUTF8 { appendAny(UnsafeRawBufferPointer($0), keepsMarks: keepsMarks, to: &folded) }
      return folded.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  @inline(__always)
  package static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

  package static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset &+ 8 <= text.count {
      if text.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
      offset &+= 8
    }
    while offset < text.count {
      if text[offset] >= 0x80 { return false }
      offset &+= 1
    }
    return true
  }
}
