/// One term of a text, and where the text has it.
package struct TextToken: Sendable, Hashable {
  /// The folded and stemmed term, as UTF-8.
  package var term: [UInt8]
  /// How many terms are before it. Stop words count.
  package var position: Int
  /// The bytes of the text that it was made from.
  package var range: Range<Int>
}

extension TextAnalyzer {
  /// The tokens of a text. A longer work over many texts uses one ``TextScanner``.
  package func tokens(of text: String) -> [TextToken] {
    let scanner = TextScanner(self)
    var text = text
    text.withUTF8 { scanner.scan(UnsafeRawBufferPointer($0)) }
    return (0..<scanner.count).map { place in
      let mark = scanner.marks[place]
      return TextToken(
        term: Array(scanner.term(place)), position: Int(mark.position),
        range: Int(mark.sourceStart)..<Int(mark.sourceEnd))
    }
  }
}
