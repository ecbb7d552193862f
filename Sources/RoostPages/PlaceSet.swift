/// A set of places as bits, with the lowest member found in constant time.
///
/// ## Layout
/// `words[i]` holds places 64·i …; bit j of `summary[i]` says that `words[64·i + j]` is not zero.
package struct PlaceSet: Sendable {
  private(set) var words: [UInt64] = []
  private var summary: [UInt64] = []
  /// No summary word below this index is non-zero.
  private var lowest = 0
  package private(set) var count = 0

  package init() {}

  package func contains(_ place: UInt32) -> Bool {
    let word = Int(place >> 6)
    return word < words.count && words[word] & (1 << UInt64(place & 63)) != 0
  }

  /// Adds a place. Returns false if it was there.
  @discardableResult
  package mutating func insert(_ place: UInt32) -> Bool {
    let word = Int(place >> 6)
    if word >= words.count { grow(to: word + 1) }
    let bit = UInt64(1) << UInt64(place & 63)
    if words[word] & bit != 0 { return false }
    words[word] |= bit
    summary[word >> 6] |= 1 << UInt64(word & 63)
    lowest = min(lowest, word >> 6)
    count += 1
    return true
  }

  /// Removes a place. Returns false if it was not there.
  @discardableResult
  package mutating func remove(_ place: UInt32) -> Bool {
    let word = Int(place >> 6)
    let bit = UInt64(1) << UInt64(place & 63)
    guard word < words.count, words[word] & bit != 0 else { return false }
    words[word] &= ~bit
    if words[word] == 0 { summary[word >> 6] &= ~(1 << UInt64(word & 63)) }
    count -= 1
    return true
  }

  /// Removes and returns the lowest place.
  package mutating func takeLowest() -> UInt32? {
    guard count > 0 else { return nil }
    while summary[lowest] == 0 { lowest += 1 }
    let word = lowest << 6 + summary[lowest].trailingZeroBitCount
    let place = UInt32(word << 6 + words[word].trailingZeroBitCount)
    remove(place)
    return place
  }

  /// Removes the lowest `length` consecutive places below `limit` that lie in one slab, and returns
  /// the first of them.
  package mutating func takeRun(_ length: Int, below limit: UInt32) -> UInt32? {
    guard count >= length else { return nil }
    var start = 0
    var found = 0
    var place = lowest << 12
    while place < min(Int(limit), words.count << 6) {
      if place & 63 == 0 && words[place >> 6] == 0 {
        found = 0
        place += 64
        continue
      }
      if contains(UInt32(place)) {
        if found == 0 || place & (FrameMap.slabPlaces - 1) == 0 {
          start = place
          found = 0
        }
        found += 1
        if found == length {
          for member in start...place { remove(UInt32(member)) }
          return UInt32(start)
        }
      } else {
        found = 0
      }
      place += 1
    }
    return nil
  }

  /// The number of consecutive places in the set that end right below `limit`.
  package func tailLength(below limit: UInt32) -> UInt32 {
    var length: UInt32 = 0
    while length < limit && contains(limit - 1 - length) { length += 1 }
    return length
  }

  /// The number of members below `bound`.
  package func count(below bound: UInt32) -> Int {
    let whole = min(Int(bound >> 6), words.count)
    var count = words[..<whole].reduce(0) { $0 + $1.nonzeroBitCount }
    if whole < words.count { count += (words[whole] & ((1 << UInt64(bound & 63)) - 1)).nonzeroBitCount }
    return count
  }

  package var wordCount: Int { words.count }

  /// The bits of the 64 places beginning with `64 × word`.
  package func word(_ word: Int) -> UInt64 { word < words.count ? words[word] : 0 }

  package mutating func setWord(_ word: Int, _ value: UInt64) {
    if word >= words.count { grow(to: word + 1) }
    count += value.nonzeroBitCount - words[word].nonzeroBitCount
    words[word] = value
    let bit = UInt64(1) << UInt64(word & 63)
    if value == 0 { summary[word >> 6] &= ~bit } else { summary[word >> 6] |= bit }
    lowest = min(lowest, word >> 6)
  }

  private mutating func grow(to count: Int) {
    let room = max(count, words.count * 2, 64)
    words.append(contentsOf: repeatElement(0, count: room - words.count))
    summary.append(contentsOf: repeatElement(0, count: (room + 63) / 64 - summary.count))
  }
}
