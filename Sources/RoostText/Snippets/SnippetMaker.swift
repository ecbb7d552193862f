/// Cuts the part of a text that shows a match best, and marks the words that the question asks for.
///
/// A word counts if it is a term of the question, also within a phrase. Words of phrases count only where the whole
/// phrase is.
package struct SnippetMaker: Sendable {
  package struct Snippet: Sendable, Hashable {
    /// The part of the text.
    package var text: String
    /// The ranges to highlight, as UTF-8 offsets within `text`, ascending and disjoint.
    package var highlights: [Range<Int>]
    /// Whether words of the text are left out before and after the part.
    package var isCutBefore: Bool
    package var isCutAfter: Bool
  }

  private let analyzer: TextAnalyzer
  private let phrases: [TextPhrase]

  package init(_ question: TextQuestion, for index: TextIndex) {
    analyzer = index.analyzer
    var phrases: [TextPhrase] = []
    question.condition.forEachPhrase { phrases.append($0) }
    self.phrases = phrases
  }

  /// One word of the text that the question asks for.
  private struct Hit {
    /// The word's place among all words of the text.
    var place: Int
    /// The number of the phrase that it belongs to.
    var phrase: Int
    var range: Range<Int>
  }

  /// The best part of at most `words` words; the beginning of the text if nothing matches.
  ///
  /// The best part has the most different phrases of the question, then the most words of them.
  ///
  /// - Parameter field: the number of the text's field; only words of the question that may match there count.
  package func snippet(of text: String, field: Int = 0, words: Int = 16) -> Snippet {
    let tokens = analyzer.tokens(of: text)
    let hits = hits(tokens, field: field)
    let width = max(words, 1)
    guard tokens.count > width else {
      return Snippet(text: text, highlights: joined(hits), isCutBefore: false, isCutAfter: false)
    }
    let first = bestStart(hits, width: width, count: tokens.count)
    let last = first + width - 1
    let isCutBefore = first > 0
    let isCutAfter = last < tokens.count - 1
    // Punctuation at the ends of the text belongs to the first and to the last word.
    let start = isCutBefore ? tokens[first].range.lowerBound : 0
    let end = isCutAfter ? tokens[last].range.upperBound : text.utf8.count
    let inside = hits.filter { $0.range.lowerBound >= start && $0.range.upperBound <= end }
    return Snippet(
      text: String(decoding: Array(text.utf8)[start..<end], as: UTF8.self),
      highlights: joined(inside).map { $0.lowerBound - start..<$0.upperBound - start },
      isCutBefore: isCutBefore, isCutAfter: isCutAfter)
  }

  /// The ranges of a whole text to highlight, as UTF-8 offsets.
  package func highlights(in text: String, field: Int = 0) -> [Range<Int>] {
    joined(hits(analyzer.tokens(of: text), field: field))
  }

  // MARK: Hits

  /// All words that the question asks for, in the order of the text.
  private func hits(_ tokens: [TextToken], field: Int) -> [Hit] {
    var places: [Int: Int] = [:]
    for (place, token) in tokens.enumerated() { places[token.position] = place }
    var hits: [Hit] = []
    for (number, phrase) in phrases.enumerated() where field < 32 && phrase.fields >> UInt32(field) & 1 == 1 {
      guard let first = phrase.parts.first else { continue }
      for token in tokens where Self.isMatch(token.term, first) {
        let start = token.position - first.offset
        let found = phrase.parts.compactMap { part -> Int? in
          guard let place = places[start + part.offset], Self.isMatch(tokens[place].term, part) else { return nil }
          return place
        }
        if found.count < phrase.parts.count { continue }
        for place in found { hits.append(Hit(place: place, phrase: number, range: tokens[place].range)) }
      }
    }
    return hits.sorted { ($0.place, $0.phrase) < ($1.place, $1.phrase) }
  }

  private static func isMatch(_ term: [UInt8], _ part: TextPhrase.Part) -> Bool {
    part.isPrefix ? term.starts(with: part.term) : term == part.term
  }

  /// The first word of the best part. The earlier one of two equal parts wins. Its hits are in its middle.
  private func bestStart(_ hits: [Hit], width: Int, count: Int) -> Int {
    var best = (phrases: 0, hits: 0, first: 0, last: 0)
    var counts = [Int](repeating: 0, count: phrases.count)
    var different = 0
    var low = 0
    for high in hits.indices {
      counts[hits[high].phrase] += 1
      if counts[hits[high].phrase] == 1 { different += 1 }
      while hits[high].place - hits[low].place >= width {
        counts[hits[low].phrase] -= 1
        if counts[hits[low].phrase] == 0 { different -= 1 }
        low += 1
      }
      if (different, high - low + 1) > (best.phrases, best.hits) {
        best = (different, high - low + 1, hits[low].place, hits[high].place)
      }
    }
    let margin = (width - (best.last - best.first + 1)) / 2
    return min(max(best.first - margin, 0), count - width)
  }

  /// The ranges of hits without overlaps. Words stay apart, trigrams do not.
  private func joined(_ hits: [Hit]) -> [Range<Int>] {
    let touching = analyzer.mode == .trigrams ? 1 : 0
    var ranges: [Range<Int>] = []
    for range in hits.map(\.range) {
      if let last = ranges.last, range.lowerBound < last.upperBound + touching {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
    }
    return ranges
  }
}

extension SnippetMaker.Snippet {
  /// The text with marks around each highlight. `escape` is called with each part of the text, as HTML needs it.
  package func marked(before: String, after: String, escape: (Substring) -> String = { String($0) }) -> String {
    let bytes = Array(text.utf8)
    var result = ""
    var end = 0
    func part(_ range: Range<Int>) -> String { escape(Substring(decoding: bytes[range], as: UTF8.self)) }
    for range in highlights where range.lowerBound >= end && range.upperBound <= bytes.count {
      result += part(end..<range.lowerBound) + before + part(range) + after
      end = range.upperBound
    }
    return result + part(end..<bytes.count)
  }
}
