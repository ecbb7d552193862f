/// One term of a text and its position.
package struct TextToken: Sendable, Hashable {
  /// The folded and stemmed term, as UTF-8.
  package var term: [UInt8]
  /// The number of terms before it, including stop words.
  package var position: Int
  /// The bytes of the text from which it was made.
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
