internal import RoostRecords
@_spi(_Unicode) internal import Swift

/// The order of texts.
package enum Collation: UInt8, Hashable, Sendable, CaseIterable {
  /// The order of Swift's `<`.
  case plain
  /// By letters first, then by diacritics, then by case.
  case localized
  /// Like `localized`, but runs of digits sort as numbers.
  case localizedStandard
}

extension Collation {
  /// Bytes that sort like the texts. No text's bytes are a prefix of another's.
  ///
  /// They contain the text four times, each time with more detail: letters without case and
  /// diacritics; with diacritics; which letters are capitals; the whole text.
  package func key(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(3 * text.count + 8)
    if self != .plain {
      let letters = Folding.bytes(text, keepsMarks: false)
      append(self == .localizedStandard ? Self.numbered(letters) : letters, to: &key)
      append(Folding.bytes(text, keepsMarks: true), to: &key)
      append(TextComparing.capitals(String(decoding: text, as: UTF8.self)), to: &key)
    }
    append(NormalForm.isPlain(text) ? [UInt8](text) : NormalForm.composed(text), to: &key)
    return key
  }

  package func key(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { key(UnsafeRawBufferPointer($0)) }
  }

  private func append(_ bytes: [UInt8], to key: inout [UInt8]) {
    for byte in bytes {
      key.append(byte)
      if byte == 0 { key.append(255) }
    }
    key.append(0)
    key.append(0)
  }

  /// Puts the number of significant digits before each run of digits, so that a longer number sorts
  /// later.
  private static func numbered(_ text: [UInt8]) -> [UInt8] {
    guard text.contains(where: isDigit) else { return text }
    var numbered: [UInt8] = []
    var place = 0
    while place < text.count {
      guard isDigit(text[place]) else {
        numbered.append(text[place])
        place += 1
        continue
      }
      while place < text.count, text[place] == 48 { place += 1 }
      let start = place
      while place < text.count, isDigit(text[place]) { place += 1 }
      numbered.append(48)
      var count = place - start
      while count >= 255 {
        numbered.append(255)
        count -= 255
      }
      numbered.append(UInt8(count))
      numbered += text[start..<place]
    }
    return numbered
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
}
