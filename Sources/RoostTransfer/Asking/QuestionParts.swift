/// Splits a text at its commas, except in quotes and brackets.
package enum QuestionParts {
  /// The parts without surrounding spaces. Empty parts are left out.
  package static func split(_ text: String) -> [String] {
    var parts = [""]
    var (quote, depth) = (Character?.none, 0)
    var isEscaped = false
    for character in text {
      if character == ",", quote == nil, depth <= 0 {
        parts.append("")
        continue
      }
      parts[parts.count - 1].append(character)
      if let open = quote {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == open {
          quote = nil
        }
        continue
      }
      switch character {
      case "\"", "'", "`": quote = character
      case "(", "[", "{": depth += 1
      case ")", "]", "}": depth -= 1
      default: break
      }
    }
    return parts.map(trimmed).filter { !$0.isEmpty }
  }

  /// Sort keys, as in `-year,title`: each without its sign, and whether it had one.
  package static func keys(_ text: String) -> [(word: String, isDescending: Bool)] {
    split(text).map { part in
      part.first == "-" ? (trimmed(String(part.dropFirst())), true) : (part, false)
    }
  }

  /// The name and the value of `name = value`; the name is nil without one.
  package static func named(_ part: String) -> (name: String?, value: String) {
    guard let sign = part.firstIndex(of: "="), sign != part.startIndex else { return (nil, part) }
    let value = part[part.index(after: sign)...]
    let name = trimmed(String(part[..<sign]))
    guard value.first != "=", let first = name.first, first.isLetter || first == "_",
      name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
    else { return (nil, part) }
    return (name, trimmed(String(value)))
  }

  private static func trimmed(_ text: String) -> String {
    let rest = text.drop { $0.isWhitespace }
    guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(rest[...last])
  }
}
