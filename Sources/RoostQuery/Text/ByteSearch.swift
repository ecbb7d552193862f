/// Finds bytes in bytes.
package enum ByteSearch {
  /// Whether `part` stands somewhere in `text`; nothing stands everywhere.
  @inline(__always)
  package static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    part.isEmpty || place(of: part, in: text, from: 0) != nil
  }

  /// Where `part`, which is something, stands first in `text`, from a place on.
  package static func place(
    of part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from begin: Int
  ) -> Int? {
    guard let start = text.baseAddress, let first = part.first, part.count <= text.count else { return nil }
    let last = text.count &- part.count
    let ones: UInt64 = 0x0101_0101_0101_0101
    let wanted = UInt64(first) &* ones
    var offset = begin
    while offset <= last, offset &+ 8 <= text.count {
      let difference = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian ^ wanted
      // Marks each byte that is zero, and perhaps some behind the first one that is.
      var marks = (difference &- ones) & ~difference & (ones &* 128)
      while marks != 0 {
        let place = offset &+ marks.trailingZeroBitCount &>> 3
        if place <= last, start.load(fromByteOffset: place, as: UInt8.self) == first, isEqual(start + place, part) {
          return place
        }
        marks &= marks &- 1
      }
      offset &+= 8
    }
    while offset <= last {
      if start.load(fromByteOffset: offset, as: UInt8.self) == first, isEqual(start + offset, part) { return offset }
      offset &+= 1
    }
    return nil
  }

  /// The same without the case of ASCII; `part` must be in lower case.
  static func containsCaseless(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    guard let first = part.first else { return true }
    guard let start = text.baseAddress, part.count <= text.count else { return false }
    let last = text.count &- part.count
    // Eight places at a time are looked at for the first byte; with bit 5 set its capital looks the same, and little else.
    let ones: UInt64 = 0x0101_0101_0101_0101
    let wanted = UInt64(first | 32) &* ones
    var offset = 0
    while offset <= last, offset &+ 8 <= text.count {
      let difference = (start.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian | ones &* 32) ^ wanted
      // Marks each byte that is zero, and perhaps some behind the first one that is.
      var marks = (difference &- ones) & ~difference & (ones &* 128)
      while marks != 0 {
        let place = offset &+ marks.trailingZeroBitCount &>> 3
        if place <= last, isEqualCaseless(start + place, part) { return true }
        marks &= marks &- 1
      }
      offset &+= 8
    }
    while offset <= last {
      if isEqualCaseless(start + offset, part) { return true }
      offset &+= 1
    }
    return false
  }

  @inline(__always)
  private static func isEqualCaseless(_ start: UnsafeRawPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < part.count, Folding.lower(start.load(fromByteOffset: index, as: UInt8.self)) == part[index] {
      index &+= 1
    }
    return index == part.count
  }

  @inline(__always)
  static func isEqual(_ start: UnsafeRawPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    var index = 1
    while index < part.count, start.load(fromByteOffset: index, as: UInt8.self) == part[index] { index &+= 1 }
    return index == part.count
  }
}
