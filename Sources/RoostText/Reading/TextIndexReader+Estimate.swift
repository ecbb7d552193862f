package import RoostFile

extension TextIndexReader {
  /// Estimates how many rows match, from the counts of the terms. It reads no posting list, and
  /// counts deleted rows too.
  package func estimate(_ question: TextQuestion) throws(StoreError) -> Int {
    min(try estimate(question.condition) + header.loose.count, statistics.rowCount)
  }

  private func estimate(_ condition: TextCondition) throws(StoreError) -> Int {
    switch condition {
    case .nothing: return 0
    case .phrase(let phrase):
      // A phrase is in fewer rows than its rarest term.
      let count = try estimate(phrase)
      return phrase.parts.count > 1 ? count / 2 : count
    case .near(let phrases, _):
      var least = Int.max
      for phrase in phrases { least = min(least, try estimate(phrase)) }
      return least / 2
    case .all(let parts):
      var least = Int.max
      for part in parts { least = min(least, try estimate(part)) }
      return least == .max ? 0 : least
    case .any(let parts):
      var sum = 0
      for part in parts { sum += try estimate(part) }
      return sum
    case .without(let wanted, _): return try estimate(wanted)
    }
  }

  /// The number of rows with the rarest term. A prefix is not looked up, and counts as a sixteenth
  /// of all rows.
  private func estimate(_ phrase: TextPhrase) throws(StoreError) -> Int {
    var least = Int.max
    for part in phrase.parts {
      if part.isPrefix {
        least = min(least, statistics.rowCount / 16)
        continue
      }
      var count = 0
      for segment in segments { count += try segment.find(part.term)?.documentCount ?? 0 }
      least = min(least, count)
    }
    return least == .max ? 0 : least
  }
}
