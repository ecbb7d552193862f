/// One key that a user pressed, or a text that was pasted.
enum Keystroke: Hashable {
  case text(String)
  /// The pasted text, as one piece. Its line ends are line feeds.
  case paste(String)
  case enter, tab, backTab, backspace, delete, escape
  case left, right, up, down, home, end, pageUp, pageDown
  case wordLeft, wordRight
  /// Control with a letter: `c` for Ctrl-C.
  case control(Character)
  /// Alt, or a preceding Escape, with a character.
  case alt(Character)
  case altBackspace
  case function(Int)
}

/// Converts the bytes that a terminal sends into keys.
///
/// It knows the sequences of xterm and of the VT100. It ignores unknown sequences completely, so
/// that no part of them becomes text. Characters and sequences may arrive in pieces.
struct KeyDecoder {
  private var waiting: [UInt8] = []
  /// The text that is being pasted; nil outside of a paste.
  private var pasted: [UInt8]?
  /// The longest sequence of any terminal.
  private static let longestSequence = 64
  /// The longest answer of a terminal in a string.
  private static let longestString = 4096
  /// The most text of one paste; the rest is left out.
  static let mostPasted = 1 << 20

  /// Whether a lone Escape waits for following bytes.
  var isWaiting: Bool { !waiting.isEmpty && pasted == nil }

  mutating func feed(_ bytes: some Sequence<UInt8>) -> [Keystroke] {
    var keys: [Keystroke] = []
    for byte in bytes {
      if pasted != nil {
        if let text = paste(byte) { keys.append(.paste(text)) }
        continue
      }
      waiting.append(byte)
      if let found = decode() {
        waiting = []
        if let key = found.key { keys.append(key) }
        // A byte that cannot continue a sequence begins a new one.
        if let again = found.again { keys += feed([again]) }
      }
    }
    return keys
  }

  /// Called when nothing followed for a while: then an Escape is a key of its own.
  mutating func flush() -> [Keystroke] {
    guard pasted == nil, !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    if waiting == [0x1B] { return [.escape] }
    // A sign that could begin a string was typed with Alt.
    if waiting.count == 2, Self.opensString(waiting[1]) { return [.alt(Character(Unicode.Scalar(waiting[1])))] }
    return []
  }

  private struct Found {
    var key: Keystroke?
    var again: UInt8?
  }

  /// Decodes the waiting bytes; nil if more bytes are needed.
  private mutating func decode() -> Found? {
    guard let first = waiting.first else { return nil }
    if first == 0x1B { return escape() }
    if first < 0x80 { return Found(key: Self.single(first)) }
    let count = Self.length(first)
    guard count > 0 else { return Found() }
    if let last = waiting.last, waiting.count > 1, last & 0xC0 != 0x80 { return Found(again: last) }
    if waiting.count < count { return nil }
    let text = String(decoding: waiting, as: UTF8.self)
    return Found(key: text.unicodeScalars.contains("\u{FFFD}") ? nil : .text(text))
  }

  /// The number of bytes of a character with this first byte; 0 if it is invalid.
  private static func length(_ byte: UInt8) -> Int {
    switch byte {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  }

  private static func single(_ byte: UInt8) -> Keystroke? {
    switch byte {
    case 0x0D, 0x0A: .enter
    case 0x09: .tab
    case 0x7F, 0x08: .backspace
    case 0x00: nil
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
    case 0x1C...0x1F: .control(Character(Unicode.Scalar(byte + 0x40)))
    default: .text(String(Unicode.Scalar(byte)))
    }
  }

  // MARK: Sequences

  private mutating func escape() -> Found? {
    guard waiting.count > 1 else { return nil }
    switch waiting[1] {
    case UInt8(ascii: "["): return controlSequence()
    case UInt8(ascii: "O"):
      guard waiting.count > 2 else { return nil }
      return Found(key: Self.named(waiting[2], []))
    case 0x1B: return Found(key: .escape, again: 0x1B)
    case let sign where Self.opensString(sign): return string()
    case 0x7F, 0x08: return Found(key: .altBackspace)
    case 0x0D, 0x0A: return Found(key: .alt("\n"))
    case 0x20..<0x7F: return Found(key: .alt(Character(Unicode.Scalar(waiting[1]))))
    default: return Found(again: waiting[1])
    }
  }

  /// The signs after Escape that begin a string, with which a terminal reports colours, titles and
  /// its type.
  private static func opensString(_ byte: UInt8) -> Bool { "]P_^X".utf8.contains(byte) }

  /// `ESC ]` or similar, a text, and BEL or `ESC \\`. It is not a key.
  private mutating func string() -> Found? {
    guard waiting.count > 2, let last = waiting.last else { return nil }
    if last == 0x07 || last == UInt8(ascii: "\\") && waiting[waiting.count - 2] == 0x1B { return Found() }
    if last == 0x1B { return nil }
    // An answer contains no control characters, so the user typed this one, or another sequence
    // begins.
    if last < 0x20 { return Found(again: last) }
    if waiting[waiting.count - 2] == 0x1B, waiting.count > 3 { waiting = [0x1B, last]; return decode() }
    return waiting.count < Self.longestString ? nil : Found()
  }

  /// `ESC [`, numbers between semicolons, and a letter or `~`.
  private mutating func controlSequence() -> Found? {
    guard waiting.count > 2, let last = waiting.last else { return nil }
    // Linux consoles send ESC [ [ A for F1.
    if waiting.count == 3, last == UInt8(ascii: "[") { return nil }
    if waiting.count == 4, waiting[2] == UInt8(ascii: "[") {
      return Found(key: (0x41...0x45).contains(last) ? .function(Int(last) - 0x40) : nil)
    }
    switch last {
    case 0x20...0x3F: return waiting.count < Self.longestSequence ? nil : Found()
    case 0x40...0x7E: break
    default: return Found(again: last)
    }
    let numbers = waiting[2..<(waiting.count - 1)].split(
      separator: UInt8(ascii: ";"), omittingEmptySubsequences: false
    ).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    if last == UInt8(ascii: "~") {
      if numbers.first == 200 {
        pasted = []
        return Found()
      }
      return Found(key: Self.numbered(numbers.first ?? 0, numbers))
    }
    return Found(key: Self.named(last, numbers))
  }

  /// Whether Control, Alt or Shift were pressed with it: the parameter is 1 plus a sum of 1, 2 and
  /// 4.
  private static func isModified(_ numbers: [Int]) -> Bool { numbers.count > 1 && numbers[1] > 2 }

  private static func named(_ letter: UInt8, _ numbers: [Int]) -> Keystroke? {
    let isModified = isModified(numbers)
    switch letter {
    case UInt8(ascii: "A"): return .up
    case UInt8(ascii: "B"): return .down
    case UInt8(ascii: "C"): return isModified ? .wordRight : .right
    case UInt8(ascii: "D"): return isModified ? .wordLeft : .left
    case UInt8(ascii: "H"): return .home
    case UInt8(ascii: "F"): return .end
    case UInt8(ascii: "Z"): return .backTab
    case UInt8(ascii: "M"): return .enter
    case 0x50...0x53: return .function(Int(letter) - 0x4F)
    default: return nil
    }
  }

  private static func numbered(_ number: Int, _ numbers: [Int]) -> Keystroke? {
    switch number {
    case 1, 7: .home
    case 4, 8: .end
    case 3: .delete
    case 5: .pageUp
    case 6: .pageDown
    case 11...15: .function(number - 10)
    case 17...21: .function(number - 11)
    case 23, 24: .function(number - 12)
    default: nil
    }
  }

  // MARK: Pasting

  private static let pasteEnd = Array("\u{1B}[201~".utf8)

  private mutating func paste(_ byte: UInt8) -> String? {
    guard var text = pasted else { return nil }
    pasted = nil
    text.append(byte)
    let isEnd = text.count >= Self.pasteEnd.count && text.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd)
    if !isEnd {
      // The omitted part still ends with the end marker of the paste.
      if text.count > Self.mostPasted + Self.pasteEnd.count { text.remove(at: Self.mostPasted) }
      pasted = text
      return nil
    }
    text.removeLast(Self.pasteEnd.count)
    return Self.plain(String(decoding: text, as: UTF8.self))
  }

  /// The pasted text, without characters that only a terminal interprets.
  private static func plain(_ text: String) -> String {
    var plain = ""
    var last: Unicode.Scalar?
    // The state in a sequence: 1 after Escape, 2 within `ESC [`.
    var sequence = 0
    for scalar in text.unicodeScalars {
      defer { last = scalar }
      if sequence > 0 {
        if sequence == 1, scalar == "[" { sequence = 2 } else if sequence == 1 || scalar >= "@" { sequence = 0 }
        continue
      }
      switch scalar {
      case "\u{1B}": sequence = 1
      case "\u{9B}": sequence = 2
      case "\r": plain += "\n"
      case "\n" where last == "\r": break
      case "\n": plain += "\n"
      case "\t": plain += "  "
      case _ where SafeText.isUnsafe(scalar): break
      default: plain.unicodeScalars.append(scalar)
      }
    }
    while plain.last == "\n" { plain.removeLast() }
    return plain
  }
}
