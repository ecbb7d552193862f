/// Code for a terminal: keywords bold, texts green, comments faint.
extension Tour {
  private static let words: Set<Substring> = ["let", "var", "try", "for", "in", "return", "if", "nil"]

  func coloured(_ line: String) -> StyledText {
    var shown = StyledText("")
    var rest = line[...]
    while let first = rest.first {
      if rest.hasPrefix("//") {
        shown += console.styled(String(rest), .faint)
        break
      } else if first == "\"" {
        let end = rest.dropFirst().firstIndex(of: "\"").map { rest.index(after: $0) } ?? rest.endIndex
        shown += console.styled(String(rest[..<end]), .good)
        rest = rest[end...]
      } else if first.isLetter {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        shown += Self.words.contains(word) ? console.styled(String(word), .strong) : StyledText(String(word))
        rest = rest.dropFirst(word.count)
      } else {
        shown += StyledText(String(first))
        rest = rest.dropFirst()
      }
    }
    return shown
  }
}
