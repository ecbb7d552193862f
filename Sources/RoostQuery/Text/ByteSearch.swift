internal import RoostRecords

/// Searches bytes for bytes.
package enum ByteSearch {
  /// Whether `text` contains `part`; every text contains the empty part.
  @inline(__always)
  package static func contains(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    part.isEmpty || place(of: part, in: text, from: 0) != nil
  }

  /// The first place of `part`, which must not be empty, in `text` from `begin` on.
  package static func place(
    of part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from begin: Int
  ) -> Int? {
    place(of: part, in: text, from: begin, ignoring: 0, isEqual)
  }

  /// Whether `text` contains `part` in any ASCII case. `part` must be lowercase. Every text
  /// contains the empty part.
  package static func containsCaseless(_ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    // With bit 5 set, a capital equals its small letter, and few other bytes become equal.
    part.isEmpty || place(of: part, in: text, from: 0, ignoring: 32, isEqualCaseless) != nil
  }

  /// Compares the first and last byte of `part` at eight places at once, and calls `isEqual` where
  /// both match.
  @inline(__always)
  private static func place(
    of part: UnsafeRawBufferPointer, in text: UnsafeRawBufferPointer, from begin: Int, ignoring bits: UInt8,
    _ isEqual: (UnsafeRawPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Int? {
    guard let start = text.baseAddress, let first = part.first, part.count <= text.count else { return nil }
    let reach = part.count &- 1
    let last = text.count &- part.count
    var offset = begin
    if last < 7 {
      while offset <= last {
        let byte = start.load(fromByteOffset: offset, as: UInt8.self)
        if byte | bits == first | bits, isEqual(start + offset, part) { return offset }
        offset &+= 1
      }
      return nil
    }
    let ones: UInt64 = 0x0101_0101_0101_0101
    let ignored = UInt64(bits) &* ones
    let head = UInt64(first | bits) &* ones
    let tail = UInt64(part[reach] | bits) &* ones
    while offset <= last {
      // The last eight places overlap the ones before.
      let base = min(offset, last &- 7)
      let heads = start.loadUnaligned(fromByteOffset: base, as: UInt64.self).littleEndian | ignored
      let tails = start.loadUnaligned(fromByteOffset: base &+ reach, as: UInt64.self).littleEndian | ignored
      let difference = (heads ^ head) | (tails ^ tail)
      // Marks each zero byte, and perhaps some bytes after the first zero byte.
      var marks = (difference &- ones) & ~difference & (ones &* 128)
      marks &= ~0 &<< (UInt64(truncatingIfNeeded: offset &- base) &* 8)
      while marks != 0 {
        let place = base &+ marks.trailingZeroBitCount &>> 3
        if isEqual(start + place, part) { return place }
        marks &= marks &- 1
      }
      offset = base &+ 8
    }
    return nil
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
  private static func isEqual(_ start: UnsafeRawPointer, _ part: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index < part.count, start.load(fromByteOffset: index, as: UInt8.self) == part[index] { index &+= 1 }
    return index == part.count
  }
}
