/// A set of fields of a layout, by their indexes in it.
struct FieldSet: Equatable {
  private var first: UInt64 = 0
  /// Fields from index 64 on; few entities have so many.
  private var others: Set<Int> = []

  @inline(__always)
  static func == (one: FieldSet, other: FieldSet) -> Bool {
    one.first == other.first && (one.others.isEmpty && other.others.isEmpty || one.others == other.others)
  }

  @inline(__always)
  mutating func insert(_ place: Int) {
    if place < 64 { first |= 1 &<< UInt64(truncatingIfNeeded: place) } else { others.insert(place) }
  }

  @inline(__always)
  func contains(_ place: Int) -> Bool {
    place < 64 ? first & (1 &<< UInt64(truncatingIfNeeded: place)) != 0 : others.contains(place)
  }

  @inline(__always)
  func isDisjoint(with other: FieldSet) -> Bool {
    first & other.first == 0 && (others.isEmpty || others.isDisjoint(with: other.others))
  }

  /// Calls `body` with each index below `count` in the set, ascending.
  @inline(__always)
  func forEach(of count: Int, _ body: (Int) -> Void) {
    var rest = first
    while rest != 0 {
      body(rest.trailingZeroBitCount)
      rest &= rest &- 1
    }
    if others.isEmpty { return }
    for place in 64..<max(count, 64) where others.contains(place) { body(place) }
  }

  @inline(__always)
  var isEmpty: Bool { first == 0 && others.isEmpty }
  var count: Int { first.nonzeroBitCount + others.count }
}
