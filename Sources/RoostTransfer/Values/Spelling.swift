/// Finds the known word that is most similar to an unknown one.
package enum Spelling {
  /// The most similar word, if it is similar enough. Case is ignored.
  package static func nearest(_ word: String, among known: [String]) -> String? {
    // Among names that differ only in case, the one with the same case comes first.
    let small = word.lowercased()
    let found = known.map { (distance(small, $0.lowercased()), distance(word, $0), $0) }.min { $0 < $1 }
    guard let (distance, _, name) = found, distance <= max(1, min(word.count, name.count) / 3) else {
      return word.count > 1 ? known.first { $0.lowercased().hasPrefix(small) } : nil
    }
    return name
  }

  /// The number of letters to change, remove, add, or swap with the next one.
  package static func distance(_ one: String, _ other: String) -> Int {
    // A word that is much longer than any name is not similar to any.
    let (left, right) = (Array(one.prefix(64)), Array(other.prefix(64)))
    var (before, last) = ([Int](), Array(0...right.count))
    for row in 0..<left.count {
      var now = [row + 1]
      for column in 0..<right.count {
        var best = min(last[column] + (left[row] == right[column] ? 0 : 1), last[column + 1] + 1, now[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, before[column - 1] + 1)
        }
        now.append(best)
      }
      (before, last) = (last, now)
    }
    return last[right.count]
  }

  /// A sentence that offers the most similar known word, or nothing.
  package static func hint(_ word: String, among known: [String]) -> String {
    nearest(word, among: known).map { ". Did you mean '\($0)'?" } ?? ""
  }
}
