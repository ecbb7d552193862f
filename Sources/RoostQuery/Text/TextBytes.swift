internal import RoostRecords

/// Comparing texts by their UTF-8, with the answers that Swift's strings give.
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
    if isSame(one, other) { return true }
    // What is in normal form is equal only if its bytes are.
    if NormalForm.isPlain(one), NormalForm.isPlain(other) { return false }
    return NormalForm.composed(one) == NormalForm.composed(other)
  }

  static func isLess(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    if NormalForm.isPlain(one), NormalForm.isPlain(other) { return bytesAreLess(one, other) }
    return NormalForm.composed(one).lexicographicallyPrecedes(NormalForm.composed(other))
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

  /// Whether each byte is a character of its own, so that characters may be searched for by bytes.
  static func isSimple(_ text: UnsafeRawBufferPointer) -> Bool { Folding.isASCII(text) && !text.contains(13) }
}

/// A text that others are tested against, with what is computed once.
struct Needle {
  let test: Expression.TextTest
  private let bytes: UnsafeRawBufferPointer
  private let isSimple: Bool
  private let text: String
  private var scratch: [UInt8] = []

  init(_ test: Expression.TextTest, _ text: String, _ arena: Arena) {
    self.test = test
    self.text = text
    bytes =
      test == .containsLoosely
      ? arena.keep(Folding.bytes(text, keepsMarks: false)) : arena.keep(Array(text.utf8))
    isSimple = TextBytes.isSimple(bytes)
  }

  mutating func holds(_ candidate: UnsafeRawBufferPointer) -> Bool {
    if test == .containsLoosely {
      // What is not there is found nowhere, as Foundation says it.
      if bytes.isEmpty { return false }
      if Folding.isASCII(candidate) { return ByteSearch.containsCaseless(candidate, bytes) }
      scratch.removeAll(keepingCapacity: true)
      Folding.append(candidate, keepsMarks: false, to: &scratch)
      return scratch.withUnsafeBytes { ByteSearch.contains($0, bytes) }
    }
    if isSimple, TextBytes.isSimple(candidate) {
      switch test {
      case .contains: return ByteSearch.contains(candidate, bytes)
      case .starts, .hasPrefix:
        return candidate.count >= bytes.count
          && TextBytes.isSame(UnsafeRawBufferPointer(rebasing: candidate.prefix(bytes.count)), bytes)
      case .hasSuffix:
        return candidate.count >= bytes.count
          && TextBytes.isSame(UnsafeRawBufferPointer(rebasing: candidate.suffix(bytes.count)), bytes)
      case .containsLoosely: break
      }
    }
    return TextComparing.test(test, String(decoding: candidate, as: UTF8.self), text)
  }
}
