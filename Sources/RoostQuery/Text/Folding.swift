internal import RoostRecords
// The only way to normal form D that needs no Foundation.
@_spi(_Unicode) internal import Swift

/// Text without its case, and perhaps without the marks on its letters, for tests that do not look at them.
///
/// A letter is folded to the lower case of its upper case, so that ς is σ and ß is ss; ı stays what it is.
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

  static func append(_ text: UnsafeRawBufferPointer, keepsMarks: Bool, to folded: inout [UInt8]) {
    if isASCII(text) {
      for byte in text { folded.append(lower(byte)) }
      return
    }
    for scalar in String(decoding: text, as: UTF8.self)._nfd {
      if scalar.isASCII {
        folded.append(lower(UInt8(scalar.value)))
      } else if !keepsMarks, scalar.properties.generalCategory == .nonspacingMark {
        continue
      } else if scalar.value == 0x131 {
        folded += UTF8.encode(scalar)!
      } else {
        folded += scalar.properties.uppercaseMapping.lowercased().utf8
      }
    }
  }

  @inline(__always)
  static func lower(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }

  static func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
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
