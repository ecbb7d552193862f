/// A set of numbers of a condition's parts. The first 64 numbers need no heap memory.
struct PartSet: Equatable {
  private var first: UInt64 = 0
  /// Parts with numbers from 64; the last word is never zero.
  private var more: [UInt64] = []

  init() {}

  init(_ number: Int) { insert(number) }

  /// The first `count` parts.
  init(first count: Int) {
    if count <= 64 {
      first = count == 64 ? .max : 1 << UInt64(count) - 1
    } else {
      for number in 0..<count { insert(number) }
    }
  }

  var isEmpty: Bool { first == 0 && more.isEmpty }
  var count: Int { more.reduce(first.nonzeroBitCount) { $0 + $1.nonzeroBitCount } }

  func contains(_ number: Int) -> Bool {
    let word = number >> 6
    if word == 0 { return first & 1 << UInt64(number) != 0 }
    return word <= more.count && more[word - 1] & 1 << UInt64(number & 63) != 0
  }

  mutating func insert(_ number: Int) {
    let word = number >> 6
    if word == 0 { return first |= 1 << UInt64(number) }
    while more.count < word { more.append(0) }
    more[word - 1] |= 1 << UInt64(number & 63)
  }

  func union(_ other: PartSet) -> PartSet { combined(other, |) }
  mutating func formUnion(_ other: PartSet) { self = union(other) }
  func intersection(_ other: PartSet) -> PartSet { combined(other, &) }
  func subtracting(_ other: PartSet) -> PartSet { combined(other) { $0 & ~$1 } }
  func isSubset(of other: PartSet) -> Bool { subtracting(other).isEmpty }
  func isDisjoint(with other: PartSet) -> Bool { intersection(other).isEmpty }

  @inline(__always)
  private func combined(_ other: PartSet, _ join: (UInt64, UInt64) -> UInt64) -> PartSet {
    var result = PartSet()
    result.first = join(first, other.first)
    if more.isEmpty, other.more.isEmpty { return result }
    for place in 0..<max(more.count, other.more.count) {
      result.more.append(
        join(place < more.count ? more[place] : 0, place < other.more.count ? other.more[place] : 0))
    }
    while result.more.last == 0 { result.more.removeLast() }
    return result
  }
}
