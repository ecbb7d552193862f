/// Some of a layout's fields, by their places in it.
struct FieldSet: Equatable {
  private var first: UInt64 = 0
  /// Fields from the 65th on; few entities have as many.
  private var others: Set<Int> = []

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

  @inline(__always)
  var isEmpty: Bool { first == 0 && others.isEmpty }
  var count: Int { first.nonzeroBitCount + others.count }
}
