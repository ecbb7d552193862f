internal import RoostRecords

/// A text to search for, with all that can be computed once.
struct Needle {
  let test: Expression.TextTest
  private let bytes: UnsafeRawBufferPointer
  private let isSimple: Bool
  /// Whether the needle is not empty and none of its characters has another encoding. Then a text
  /// without its bytes does not contain it.
  private let isPlain: Bool
  private let text: String
  /// Whether only its bytes are searched for, in either case: see ``init(before:arena:)``.
  private let isSieve: Bool
  private var scratch: [UInt8] = []

  init(_ test: Expression.TextTest, _ text: String, arena: Arena) {
    self.test = test
    self.text = text
    bytes =
      test == .containsLoosely
      ? arena.keep(Folding.bytes(text, keepsMarks: false)) : arena.keep(Array(text.utf8))
    isSimple = TextBytes.isSimple(bytes)
    isPlain = isSimple && !bytes.isEmpty && !bytes.contains(where: Self.hasDouble)
    isSieve = false
  }

  /// A needle for a first search: every text that contains one of `needles` contains it too. It
  /// excludes other texts only if the needles differ by case alone.
  init(before needles: [Needle], arena: Arena) {
    let form = needles.first?.bytes.map(Folding.lower) ?? []
    let areAlike = needles.allSatisfy { $0.isPlain && $0.test == .contains && $0.bytes.map(Folding.lower) == form }
    bytes = arena.keep(areAlike ? form : [])
    (test, text, isSimple, isPlain, isSieve) = (.contains, "", true, false, true)
  }

  /// The ASCII characters that equal other characters: `;` the Greek question mark, `` ` `` a Greek
  /// accent, `K` the Kelvin sign.
  private static func hasDouble(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ";") || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "K")
  }

  mutating func holds(_ candidate: UnsafeRawBufferPointer) -> Bool {
    if isSieve { return ByteSearch.containsCaseless(candidate, bytes) }
    if test == .containsLoosely {
      // No text contains the empty needle, as in Foundation.
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
    return TextComparing.test(test, String(decoding: candidate, as: UTF8.self), other: text)
  }

  /// Searches a text's bytes for a plain needle; nil if the match is next to a possible mark or a
  /// character that it may join.
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

  /// After ASCII, an ASCII character begins a new character, except a line feed after a carriage
  /// return.
  @inline(__always)
  private static func isClear(_ text: UnsafeRawBufferPointer, before place: Int) -> Bool {
    place == 0 || text[place - 1] < 0x80 && text[place - 1] != 13
  }

  @inline(__always)
  private static func isClear(_ text: UnsafeRawBufferPointer, behind place: Int) -> Bool {
    place == text.count || text[place] < 0x80
  }
}
