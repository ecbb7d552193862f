/// Makes text harmless for a terminal.
///
/// Characters that move the cursor, change the writing direction, or are invisible are written as
/// Swift's escapes.
enum SafeText {
  /// One line.
  static func line(_ text: String) -> String {
    if isPlain(text) { return text }
    var safe = ""
    for scalar in text.unicodeScalars { append(scalar, to: &safe) }
    return safe
  }

  /// Several lines; their line ends stay.
  static func lines(_ text: String) -> String {
    if isPlain(text) { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if scalar == "\n" { safe += "\n" } else { append(scalar, to: &safe) }
    }
    return safe
  }

  /// JSON: such characters occur only in its texts, and JSON has escapes for them.
  static func json(_ text: String) -> String {
    if isPlain(text) { return text }
    var safe = ""
    for scalar in text.unicodeScalars {
      if scalar == "\n" || !isUnsafe(scalar) {
        safe.unicodeScalars.append(scalar)
      } else {
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          safe += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      }
    }
    return safe
  }

  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "\n": text += "\\n"
    case "\r": text += "\\r"
    case "\t": text += "\\t"
    case _ where isUnsafe(scalar): text += "\\u{\(String(scalar.value, radix: 16))}"
    default: text.unicodeScalars.append(scalar)
    }
  }

  private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } }

  static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: true
    // Line separators, and characters that change the writing direction.
    case 0x2028, 0x2029, 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: true
    // Invisible characters: byte order marks, tags, and values that are not characters.
    case 0xFEFF, 0xFFF9...0xFFFB, 0xE0001...0xE007F, 0xFFFE, 0xFFFF: true
    default: scalar.properties.generalCategory == .unassigned || scalar.properties.generalCategory == .privateUse
    }
  }
}

/// The number of terminal columns of a text.
enum TextWidth {
  static func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.reduce(0) { $0 + columns($1) }
  }

  static func columns(_ character: Character) -> Int {
    var width = 0
    for scalar in character.unicodeScalars {
      // This selector makes an emoji of the character before it.
      if scalar.value == 0xFE0F { return 2 }
      width = max(width, columns(scalar))
    }
    return width
  }

  private static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0..<0x300: return 1
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
      0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD:
      return 2
    default: break
    }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// The text in exactly `width` columns: padded, or cut with a mark.
  static func fit(_ text: String, _ width: Int, fromEnd: Bool = false) -> String {
    let taken = columns(text)
    if taken <= width {
      let filler = String(repeating: " ", count: width - taken)
      return fromEnd ? filler + text : text + filler
    }
    var cut = ""
    var left = width - 1
    for character in text {
      let needed = columns(character)
      if needed > left { break }
      left -= needed
      cut.append(character)
    }
    return cut + "…" + String(repeating: " ", count: max(0, left))
  }
}
