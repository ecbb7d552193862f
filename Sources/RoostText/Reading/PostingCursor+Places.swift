import RoostFile

/// The places of the current document.
extension PostingCursor {
  /// Packed numbers, read one after another.
  private struct Packed {
    let start: UnsafeRawPointer
    var bit: Int
    let width: Int
    let mask: UInt64

    @inline(__always)
    mutating func next() -> Int {
      let number = PostingCursor.number(start, bit, mask: mask)
      bit &+= width
      return Int(truncatingIfNeeded: number)
    }
  }

  /// The places of the current document.
  @inline(__always)
  private var packed: Packed {
    let width = widths.place
    return Packed(
      start: UnsafeRawPointer(bytes.baseAddress!) + placesStart, bit: Int(placeOffsets[place]) &* width, width: width,
      mask: (UInt64(1) << UInt64(width)) &- 1)
  }

  /// The only place of the current document; ``noPlace`` if there are more.
  @inline(__always)
  var singlePlace: UInt32 {
    if frequencies[place] != 1 { return Self.noPlace }
    var packed = packed
    let position = packed.next()
    var field = usualField
    if exceptions[place] {
      field = 0
      while fieldFrequencies[place &* fieldCount &+ field] == 0 { field &+= 1 }
    }
    return UInt32(truncatingIfNeeded: field) << 27 | UInt32(truncatingIfNeeded: position)
  }

  /// Appends the places of the current document, ascending.
  func appendPlaces(to places: PlaceList) throws(StoreError) {
    var packed = packed
    for field in 0..<fieldCount {
      let count = Int(frequency(field: field))
      if count == 0 { continue }
      let out = places.room(count)
      let fieldBits = UInt32(truncatingIfNeeded: field) << 27
      var position = 0
      for next in 0..<count {
        position &+= packed.next()
        if position >= Int(TextPlace.fieldUnit) { throw ByteSource.damage }
        out[next] = fieldBits | UInt32(truncatingIfNeeded: position)
      }
      places.extend(count)
    }
  }

  /// Calls `body` with the bit of each place of the current document: window × field + position - offset. Returns false
  /// if a position is not below `window`.
  @inline(__always)
  func visitBits(offset: Int, window: Int, fields wanted: UInt32, _ body: (Int) -> Void) -> Bool {
    var packed = packed
    for field in 0..<fieldCount {
      var left = frequency(field: field)
      if left == 0 { continue }
      let isWanted = wanted >> UInt32(truncatingIfNeeded: field) & 1 == 1
      let base = field &* window &- offset
      var position = 0
      while left > 0 {
        left &-= 1
        position &+= packed.next()
        if position >= window { return false }
        if position >= offset, isWanted { body(base &+ position) }
      }
    }
    return true
  }

  /// Whether a place of this term is `distance` positions before one of another term, in the current document of both.
  /// Finds only places from `least` on. Returns nil if a position does not fit into the bits; these are 0 before and after
  /// the call.
  func isFollowed(
    by other: PostingCursor, distance: Int, least: Int, fields: UInt32, bits: UnsafeMutablePointer<UInt64>
  ) -> Bool? {
    var (mine, others) = (packed, other.packed)
    if !exceptions[place], !other.exceptions[other.place] {
      if usualField != other.usualField || fields >> UInt32(truncatingIfNeeded: usualField) & 1 == 0 { return false }
      return Self.areNear(
        mine, frequencies[place], and: others, otherCount: other.frequencies[other.place], distance: distance,
        least: least, bits: bits)
    }
    for field in 0..<fieldCount {
      let (count, othersCount) = (frequency(field: field), other.frequency(field: field))
      if count > 0, othersCount > 0, fields >> UInt32(truncatingIfNeeded: field) & 1 == 1 {
        let isFound = Self.areNear(
          mine, count, and: others, otherCount: othersCount, distance: distance, least: least, bits: bits)
        if isFound != false { return isFound }
      }
      mine.bit &+= Int(count) &* mine.width
      others.bit &+= Int(othersCount) &* others.width
    }
    return false
  }

  @inline(__always)
  private static func areNear(
    _ one: Packed, _ count: UInt32, and other: Packed, otherCount: UInt32, distance: Int, least: Int,
    bits: UnsafeMutablePointer<UInt64>
  ) -> Bool? {
    // The bits are those of the term with fewer places.
    count <= otherCount
      ? areNear(few: one, count, many: other, otherCount: otherCount, distance: distance, least: least, bits: bits)
      : areNear(
        few: other, otherCount, many: one, otherCount: count, distance: -distance, least: least &+ distance, bits: bits)
  }

  private static func areNear(
    few one: Packed, _ count: UInt32, many other: Packed, otherCount: UInt32, distance: Int, least: Int,
    bits: UnsafeMutablePointer<UInt64>
  ) -> Bool? {
    var (one, other, left, otherLeft) = (one, other, count, otherCount)
    var position = one.next()
    if left == 1 {
      if position < least { return false }
      let wanted = position &+ distance
      var found = 0
      repeat {
        found &+= other.next()
        otherLeft &-= 1
      } while otherLeft > 0 && found < wanted
      return found == wanted
    }
    let most = PhraseCursor.bitCount
    let low = max(position &+ distance, 0) >> 6
    while true {
      let bit = position &+ distance
      if position >= least, bit < most { bits[bit >> 6] |= 1 << UInt64(truncatingIfNeeded: bit & 63) }
      left &-= 1
      if left == 0 { break }
      position &+= one.next()
    }
    let last = position &+ distance
    var found: UInt64 = 0
    if last < most {
      position = 0
      while otherLeft > 0 {
        position &+= other.next()
        if position > last { break }
        otherLeft &-= 1
        found |= bits[position >> 6] >> UInt64(truncatingIfNeeded: position & 63)
      }
    }
    var word = low
    while word <= min(last, most &- 1) >> 6 {
      bits[word] = 0
      word &+= 1
    }
    return last < most ? found & 1 == 1 : nil
  }
}
