/// A full text query that can be evaluated without an index.
///
/// Texts are lower-case words of letters with one space between them.
package indirect enum PlainQuestion: Sendable {
  case word(String)
  case prefix(String)
  case phrase([String])
  case field(String, PlainQuestion)
  case all(PlainQuestion, PlainQuestion)
  case any(PlainQuestion, PlainQuestion)
  case without(PlainQuestion, PlainQuestion)

  /// The words of random texts. Some have common prefixes.
  package static let words = [
    "berlin", "bern", "wall", "walls", "wander", "heroes", "hero", "low", "station", "neukoeln", "moss", "garden",
    "speed", "of", "life", "the",
  ]

  /// A text of at most `most` words.
  package static func text(_ generator: inout SplitMix64, most: Int) -> String {
    (0..<generator.below(most + 1)).map { _ in
      // Some words are rare.
      words[min(generator.below(words.count), generator.below(words.count))]
    }.joined(separator: " ")
  }

  package static func random(_ generator: inout SplitMix64, fields: [String], depth: Int = 2) -> PlainQuestion {
    func inner() -> PlainQuestion { random(&generator, fields: fields, depth: depth - 1) }
    switch generator.below(depth > 0 ? 10 : 5) {
    case 0, 1: return .word(generator.pick(words))
    case 2: return .prefix(String(generator.pick(words).prefix(1 + generator.below(3))))
    case 3: return .phrase((0..<2 + generator.below(2)).map { _ in generator.pick(words) })
    case 4: return fields.isEmpty ? .word("low") : .field(generator.pick(fields), .word(generator.pick(words)))
    case 5, 6: return .all(inner(), inner())
    case 7, 8: return .any(inner(), inner())
    default: return .without(inner(), inner())
    }
  }

  /// The query in the language of the index.
  package var text: String {
    switch self {
    case .word(let word): word
    case .prefix(let start): start + "*"
    case .phrase(let words): "\"" + words.joined(separator: " ") + "\""
    case .field(let field, let inner): "\(field):\(inner.text)"
    case .all(let one, let two): "(\(one.text) AND \(two.text))"
    case .any(let one, let two): "(\(one.text) OR \(two.text))"
    case .without(let one, let two): "(\(one.text) NOT \(two.text))"
    }
  }

  /// Whether texts match. They are given by the names of their fields.
  package func matches(_ texts: [String: String]) -> Bool {
    let fields = texts.mapValues { $0.split(separator: " ").map(String.init) }
    switch self {
    case .word(let word): return fields.values.contains { $0.contains(word) }
    case .prefix(let start): return fields.values.contains { $0.contains { $0.hasPrefix(start) } }
    case .phrase(let words):
      return fields.values.contains { text in
        text.indices.contains { text[$0...].starts(with: words) }
      }
    case .field(let field, let inner): return inner.matches(texts.filter { $0.key == field })
    case .all(let one, let two): return one.matches(texts) && two.matches(texts)
    case .any(let one, let two): return one.matches(texts) || two.matches(texts)
    case .without(let one, let two): return one.matches(texts) && !two.matches(texts)
    }
  }
}
