/// The types that a Swift file declares at its top level, and the type names that it uses. They are
/// read from tokens, without a compiler.
///
/// Comments and string literals do not count, but code within `\( )` does. A name after a dot
/// (`Tree.Node`) does not count, because it is a member. A name that the file itself declares
/// within a type does not count either, because there it means that type.
struct SourceNames {
  struct Use: Equatable {
    var name: String
    var line: Int
  }

  private(set) var declared: Set<String> = []
  private(set) var uses: [Use] = []

  private static let kinds: Set<String> = ["class", "struct", "enum", "protocol", "typealias", "actor"]

  init(_ text: String) {
    var nested: Set<String> = []
    var line = 1
    var depth = 0
    var last = ""
    let code = Self.code(of: Array(text.utf8))
    var at = 0
    while at < code.count {
      let byte = code[at]
      guard Self.isLetter(byte) else {
        if byte == UInt8(ascii: "\n") { line += 1 }
        if "{([".utf8.contains(byte) { depth += 1 }
        if "})]".utf8.contains(byte) { depth -= 1 }
        if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\n") { last = String(UnicodeScalar(byte)) }
        at += 1
        continue
      }
      let start = at
      while at < code.count, Self.isLetter(code[at]) { at += 1 }
      let word = String(decoding: code[start..<at], as: UTF8.self)
      if Self.kinds.contains(last) {
        if depth == 0 { declared.insert(word) } else { nested.insert(word) }
      } else if last == "associatedtype" {
        nested.insert(word)
      } else if last != ".", word != "_", Self.isTypeName(code[start]) {
        uses.append(Use(name: word, line: line))
      }
      // `import struct Module.Name` declares nothing.
      last = last == "import" ? "" : word
    }
    uses.removeAll { nested.contains($0.name) }
  }

  private static func isTypeName(_ first: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) || first == UInt8(ascii: "_")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z")) || byte == UInt8(ascii: "_")
      || (byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"))
  }

  /// A string literal: its number of `#`, and whether it has several lines.
  private struct Literal {
    var hashes: Int
    var isLong: Bool
    var quotes: Int { isLong ? 3 : 1 }
  }

  /// Returns the text with spaces in place of comments, string literals and backticks. The line
  /// breaks stay.
  static func code(of text: [UInt8]) -> [UInt8] {
    var code = text
    /// The open literals, and the number of open parentheses in the `\( )` of each: nil while the
    /// literal's own text is read.
    var open: [(literal: Literal, parentheses: Int)] = []
    var at = 0
    func has(_ mark: String, _ place: Int) -> Bool { text[min(place, text.count)...].starts(with: mark.utf8) }
    func blank(_ count: Int) {
      for place in at..<min(at + count, text.count) where text[place] != UInt8(ascii: "\n") {
        code[place] = UInt8(ascii: " ")
      }
      at += count
    }
    while at < text.count {
      if let (literal, parentheses) = open.last, parentheses == 0 {
        let hashes = String(repeating: "#", count: literal.hashes)
        if has("\\" + hashes, at) {
          blank(1 + literal.hashes)
          if has("(", at) { open[open.count - 1].parentheses = 1 }
          blank(1)
        } else if has(String(repeating: "\"", count: literal.quotes) + hashes, at) {
          blank(literal.quotes + literal.hashes)
          open.removeLast()
        } else {
          blank(1)
        }
        continue
      }
      switch text[at] {
      case UInt8(ascii: "/") where has("//", at): blank(text[at...].prefix { $0 != UInt8(ascii: "\n") }.count)
      case UInt8(ascii: "/") where has("/*", at):
        var depth = 0
        repeat {
          if has("/*", at) { depth += 1 } else if has("*/", at) { depth -= 1 } else { blank(1); continue }
          blank(2)
        } while depth > 0 && at < text.count
      case UInt8(ascii: "#"), UInt8(ascii: "\""):
        let hashes = text[at...].prefix { $0 == UInt8(ascii: "#") }.count
        guard has("\"", at + hashes) else {
          at += 1
          continue
        }
        let literal = Literal(hashes: hashes, isLong: has("\"\"\"", at + hashes))
        blank(hashes + literal.quotes)
        open.append((literal, 0))
      case UInt8(ascii: "("), UInt8(ascii: ")"):
        guard let (_, parentheses) = open.last else {
          at += 1
          continue
        }
        open[open.count - 1].parentheses += text[at] == UInt8(ascii: "(") ? 1 : -1
        // The parenthesis that closes a `\( )` belongs to the literal, like the one that opens it.
        if parentheses == 1, text[at] == UInt8(ascii: ")") { blank(1) } else { at += 1 }
      case UInt8(ascii: "`"): blank(1)
      default: at += 1
      }
    }
    return code
  }
}
