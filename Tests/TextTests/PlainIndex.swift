import Foundation

@testable import RoostText

/// A plain judge: all tokens of all rows, compared one by one.
struct PlainIndex {
  let index: TextIndex
  /// For each row and field, the term at each position; empty for a stop word.
  private(set) var rows: [Int64: [[[UInt8]]]] = [:]

  init(_ index: TextIndex) { self.index = index }

  mutating func set(_ row: Int64, _ texts: [String?]) {
    rows[row] = texts.map { text in
      let tokens = text.map { index.analyzer.tokens(of: $0) } ?? []
      var terms = [[UInt8]](repeating: [], count: (tokens.last?.position ?? -1) + 1)
      for token in tokens { terms[token.position] = token.term }
      return terms
    }
  }

  mutating func remove(_ row: Int64) { rows[row] = nil }

  private func isEqual(_ part: TextPhrase.Part, _ term: [UInt8]) -> Bool {
    !term.isEmpty && (part.isPrefix ? term.starts(with: part.term) : term == part.term)
  }

  /// The field and the position of each occurrence.
  private func occurrences(_ phrase: TextPhrase, _ row: [[[UInt8]]]) -> [(field: Int, position: Int)] {
    var found: [(field: Int, position: Int)] = []
    for (field, terms) in row.enumerated() where phrase.fields >> UInt32(field) & 1 == 1 {
      for start in terms.indices where isEqual(phrase.parts[0], terms[start]) {
        let isFound = phrase.parts.allSatisfy { part in
          start + part.offset < terms.count && isEqual(part, terms[start + part.offset])
        }
        if isFound { found.append((field, start)) }
      }
    }
    return found
  }

  func meets(_ condition: TextCondition, _ row: [[[UInt8]]]) -> Bool {
    switch condition {
    case .nothing: return false
    case .phrase(let phrase): return !occurrences(phrase, row).isEmpty
    case .all(let parts): return parts.allSatisfy { meets($0, row) }
    case .any(let parts): return parts.contains { meets($0, row) }
    case .without(let one, let other): return meets(one, row) && !meets(other, row)
    case .near(let phrases, let gap):
      return choices(phrases.map { occurrences($0, row) }).contains { choice in
        guard Set(choice.map(\.field)).count == 1 else { return false }
        let first = choice.map(\.position).min()!
        let last = choice.map(\.position).max()!
        return zip(choice, phrases).contains { $0.position == first && last - first - $1.length <= gap }
      }
    }
  }

  private func choices<Element>(_ lists: [[Element]]) -> [[Element]] {
    lists.reduce([[]]) { done, list in done.flatMap { start in list.map { start + [$0] } } }
  }

  func search(_ question: TextQuestion) -> [Int64] {
    rows.filter { meets(question.condition, $0.value) }.keys.sorted()
  }

  func ranked(_ question: TextQuestion, weights: [Double]) -> [RankedRow] {
    func length(_ row: [[[UInt8]]]) -> Int { row.reduce(0) { $0 + $1.count { !$0.isEmpty } } }
    let total = rows.values.reduce(0) { $0 + length($1) }
    let average = rows.isEmpty ? 1 : max(Double(total) / Double(rows.count), 1)
    var known: [TextPhrase.Part: Double] = [:]
    func weight(_ phrase: TextPhrase) -> Double {
      phrase.parts.reduce(0) { sum, part in
        let count = known[part] ?? Double(rows.values.count { $0.contains { $0.contains { isEqual(part, $0) } } })
        known[part] = count
        return sum + log(1 + (Double(rows.count) - count + 0.5) / (count + 0.5))
      }
    }
    func score(_ condition: TextCondition, _ row: [[[UInt8]]]) -> Double {
      switch condition {
      case .nothing: return 0
      case .phrase(let phrase):
        let frequency = occurrences(phrase, row).reduce(0) { $0 + (weights.isEmpty ? 1 : weights[$1.field]) }
        let share = 0.25 + 0.75 * Double(length(row)) / average
        return weight(phrase) * frequency * 2.2 / (frequency + 1.2 * share)
      case .all(let parts): return parts.reduce(0) { $0 + score($1, row) }
      case .any(let parts): return parts.reduce(0) { $0 + (meets($1, row) ? score($1, row) : 0) }
      case .near(let phrases, _): return phrases.reduce(0) { $0 + score(.phrase($1), row) }
      case .without(let one, _): return score(one, row)
      }
    }
    return search(question).map { RankedRow(row: $0, score: score(question.condition, rows[$0]!)) }
      .sorted { $0.score != $1.score ? $0.score > $1.score : $0.row < $1.row }
  }
}
