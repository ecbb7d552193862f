/// Ranges of keys, to test whether any of them contains a key.
struct KeyRanges<Key> {
  private let isBelow: (Key, Key) -> Bool
  private var ranges: [(low: Key, high: Key?)] = []
  private var isMerged = true

  init(_ isBelow: @escaping (Key, Key) -> Bool) { self.isBelow = isBelow }

  /// - Parameter high: the first key after the range; nil if it has no end.
  mutating func add(_ low: Key, _ high: Key?) {
    ranges.append((low, high))
    isMerged = false
  }

  mutating func contains(_ key: Key) -> Bool {
    if !isMerged { merge() }
    // The last range that begins at the key or before it.
    var (from, to) = (0, ranges.count)
    while from < to {
      let middle = (from + to) / 2
      if isBelow(key, ranges[middle].low) { to = middle } else { from = middle + 1 }
    }
    guard from > 0 else { return false }
    return ranges[from - 1].high.map { isBelow(key, $0) } ?? true
  }

  private mutating func merge() {
    isMerged = true
    ranges.sort { isBelow($0.low, $1.low) }
    var merged: [(low: Key, high: Key?)] = []
    for range in ranges {
      guard let last = merged.last, last.high.map({ !isBelow($0, range.low) }) ?? true else {
        merged.append(range)
        continue
      }
      guard let end = last.high else { continue }
      if range.high.map({ isBelow(end, $0) }) ?? true { merged[merged.count - 1].high = range.high }
    }
    ranges = merged
  }
}
