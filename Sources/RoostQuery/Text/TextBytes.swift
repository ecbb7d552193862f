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
    if let order = quickOrder(one, other) { return order == 0 }
    // What is in normal form is equal only if its bytes are.
    if NormalForm.isPlain(one), NormalForm.isPlain(other) { return false }
    return NormalForm.composed(one) == NormalForm.composed(other)
  }

  static func isLess(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    if let order = quickOrder(one, other) { return order < 0 }
    if NormalForm.isPlain(one), NormalForm.isPlain(other) { return bytesAreLess(one, other) }
    return NormalForm.composed(one).lexicographicallyPrecedes(NormalForm.composed(other))
  }

  /// How the texts stand to each other, where the bytes at which they part tell; nil where they do not.
  ///
  /// ASCII never joins what stands before it, and is changed only by a mark behind it. So where both go on with different ASCII
  /// and no mark follows, their normal forms part there too.
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
        return partingOrder(one, other, place)
      }
      place &+= 8
    }
    while place < common, one[place] == other[place] { place &+= 1 }
    return partingOrder(one, other, place)
  }

  @inline(__always)
  private static func partingOrder(
    _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer, _ place: Int
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

  /// Whether each byte is a character of its own, so that characters may be searched for by bytes.
  static func isSimple(_ text: UnsafeRawBufferPointer) -> Bool { Folding.isASCII(text) && !text.contains(13) }
}

/// A text that others are tested against, with what is computed once.
struct Needle {
  let test: Expression.TextTest
  private let bytes: UnsafeRawBufferPointer
  private let isSimple: Bool
  /// Whether there is something of it, and none of its characters can be written in another way: so where its bytes are not, it is not.
  private let isPlain: Bool
  private let text: String
  private var scratch: [UInt8] = []

  init(_ test: Expression.TextTest, _ text: String, _ arena: Arena) {
    self.test = test
    self.text = text
    bytes =
      test == .containsLoosely
      ? arena.keep(Folding.bytes(text, keepsMarks: false)) : arena.keep(Array(text.utf8))
    isSimple = TextBytes.isSimple(bytes)
    isPlain = isSimple && !bytes.isEmpty && !bytes.contains(where: Self.hasDouble)
  }

  /// Of ASCII only these are what other characters are the same as: the Greek question mark, a Greek accent, and the sign for Kelvin.
  private static func hasDouble(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ";") || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "K")
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
    if isPlain, let answer = byBytes(candidate) { return answer }
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

  /// What the bytes of any text say of a plain needle; nil where it stands beside what may be a mark, or may join it to something.
  private func byBytes(_ candidate: UnsafeRawBufferPointer) -> Bool? {
    let rest = candidate.count - bytes.count
    if rest < 0 { return false }
    switch test {
    case .contains:
      var isDoubtful = false
      var begin = 0
      while let place = ByteSearch.place(of: bytes, in: candidate, from: begin) {
        if Self.isClear(candidate, before: place), Self.isClear(candidate, behind: place + bytes.count) { return true }
        isDoubtful = true
        begin = place + 1
      }
      return isDoubtful ? nil : false
    case .starts, .hasPrefix:
      guard TextBytes.isSame(UnsafeRawBufferPointer(rebasing: candidate.prefix(bytes.count)), bytes) else {
        return false
      }
      return Self.isClear(candidate, behind: bytes.count) ? true : nil
    case .hasSuffix:
      guard TextBytes.isSame(UnsafeRawBufferPointer(rebasing: candidate.suffix(bytes.count)), bytes) else {
        return false
      }
      return Self.isClear(candidate, before: rest) ? true : nil
    case .containsLoosely: return nil
    }
  }

  /// ASCII begins a character of its own behind other ASCII, but for a line feed behind a carriage return.
  @inline(__always)
  private static func isClear(_ text: UnsafeRawBufferPointer, before place: Int) -> Bool {
    place == 0 || text[place - 1] < 0x80 && text[place - 1] != 13
  }

  @inline(__always)
  private static func isClear(_ text: UnsafeRawBufferPointer, behind place: Int) -> Bool {
    place == text.count || text[place] < 0x80
  }
}
