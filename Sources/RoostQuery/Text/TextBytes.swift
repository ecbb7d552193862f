internal import RoostRecords

/// Compares texts by their UTF-8 bytes, with the results that Swift's strings give.
enum TextBytes {
  @inline(__always)
  static func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    if one.count != other.count { return false }
    var offset = 0
    while offset &+ 8 <= one.count {
      if one.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        != other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      {
        return false
      }
      offset &+= 8
    }
    while offset < one.count {
      if one[offset] != other[offset] { return false }
      offset &+= 1
    }
    return true
  }

  static func isEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    if let order = quickOrder(one, other) { return order == 0 }
    // Texts in normal form are equal only if their bytes are.
    if NormalForm.isPlain(one), NormalForm.isPlain(other) { return false }
    return NormalForm.composed(one) == NormalForm.composed(other)
  }

  static func isLess(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    if let order = quickOrder(one, other) { return order < 0 }
    if NormalForm.isPlain(one), NormalForm.isPlain(other) { return bytesAreLess(one, other) }
    return NormalForm.composed(one).lexicographicallyPrecedes(NormalForm.composed(other))
  }

  /// The order of the texts, if the first bytes that differ decide it; otherwise nil.
  ///
  /// An ASCII character never combines with the text before it; only a following mark changes it.
  /// So if both texts continue with different ASCII characters and no mark follows, their normal
  /// forms also differ at this point.
  @inline(__always)
  private static func quickOrder(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int? {
    let common = min(one.count, other.count)
    var place = 0
    while place &+ 8 <= common {
      let difference =
        one.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
        ^ other.loadUnaligned(fromByteOffset: place, as: UInt64.self).littleEndian
      if difference != 0 {
        place &+= difference.trailingZeroBitCount &>> 3
        return partingOrder(one, other, place: place)
      }
      place &+= 8
    }
    while place < common, one[place] == other[place] { place &+= 1 }
    return partingOrder(one, other, place: place)
  }

  @inline(__always)
  private static func partingOrder(
    _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, place: Int
  ) -> Int? {
    if place == one.count {
      if place == other.count { return 0 }
      return other[place] < 0x80 ? -1 : nil
    }
    if place == other.count { return one[place] < 0x80 ? 1 : nil }
    let (first, second) = (one[place], other[place])
    guard first | second < 0x80, isBareASCII(one, place &+ 1), isBareASCII(other, place &+ 1) else { return nil }
    return first < second ? -1 : 1
  }

  @inline(__always)
  private static func isBareASCII(_ text: UnsafeRawBufferPointer, _ place: Int) -> Bool {
    place == text.count || text[place] < 0x80
  }

  static func bytesAreLess(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    let common = min(one.count, other.count)
    var offset = 0
    while offset &+ 8 <= common {
      let left = UInt64(bigEndian: one.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let right = UInt64(bigEndian: other.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      if left != right { return left < right }
      offset &+= 8
    }
    while offset < common {
      if one[offset] != other[offset] { return one[offset] < other[offset] }
      offset &+= 1
    }
    return one.count < other.count
  }

  /// Whether each byte is one character, so that a search by bytes finds characters.
  static func isSimple(_ text: UnsafeRawBufferPointer) -> Bool { Folding.isASCII(text) && !text.contains(13) }
}
