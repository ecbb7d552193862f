internal import RoostRecords
@_spi(_Unicode) internal import Swift
internal import _StringProcessing

/// Tests and compares two Swift strings. The fast functions on bytes must give the same results.
package enum TextComparing {
  package static func test(_ test: Expression.TextTest, _ text: String, other: String) -> Bool {
    switch test {
    case .contains: text.contains(other)
    case .starts: text.starts(with: other)
    case .hasPrefix: text.hasPrefix(other)
    case .hasSuffix: text.hasSuffix(other)
    case .containsLoosely:
      contains(Folding.bytes(text, keepsMarks: false), Folding.bytes(other, keepsMarks: false))
    }
  }

  package static func change(_ change: Expression.TextChange, _ text: String) -> String {
    switch change {
    case .lowercased: text.lowercased()
    case .uppercased: text.uppercased()
    case .folded: Folding.text(text)
    }
  }

  /// Returns -1, 0 or 1; 0 only if this order makes no difference between the texts.
  package static func order(_ order: Expression.TextOrder, _ one: String, other: String) -> Int {
    if order == .caseless {
      return sign(Folding.bytes(one, keepsMarks: true), Folding.bytes(other, keepsMarks: true))
    }
    let letters = sign(Folding.bytes(one, keepsMarks: false), Folding.bytes(other, keepsMarks: false))
    if letters != 0 { return letters }
    let marks = sign(Folding.bytes(one, keepsMarks: true), Folding.bytes(other, keepsMarks: true))
    if marks != 0 { return marks }
    let cases = sign(capitals(one), capitals(other))
    return cases != 0 ? cases : sign(composed(one), composed(other))
  }

  /// Swift's order of strings: that of their bytes in normal form C.
  package static func isLess(_ one: String, _ other: String) -> Bool { sign(composed(one), composed(other)) < 0 }

  static func composed(_ text: String) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      return NormalForm.isPlain(bytes) ? [UInt8](bytes) : NormalForm.composed(bytes)
    }
  }

  /// 1 for each capital letter and 0 for all others: small letters sort first.
  static func capitals(_ text: String) -> [UInt8] {
    text._nfd.map { $0.properties.isUppercase ? 1 : 0 }
  }

  private static func sign(_ one: [UInt8], _ other: [UInt8]) -> Int {
    one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
  }

  /// No text contains the empty part, unlike in `String.contains`, because Foundation defines it
  /// so.
  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    if part.isEmpty { return false }
    return text.withUnsafeBytes { text in part.withUnsafeBytes { ByteSearch.contains(text, $0) } }
  }
}
