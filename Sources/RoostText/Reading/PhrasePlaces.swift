/// Compares the places of terms in one document.
enum PhrasePlaces {
  /// Where a phrase would begin, by the places of its first term that is looked at.
  static func begin(_ places: some Collection<UInt32>, offset: Int, fields: UInt32, into starts: inout [UInt32]) {
    starts.removeAll(keepingCapacity: true)
    let offset = UInt32(truncatingIfNeeded: offset)
    for place in places where TextPlace.position(place) >= offset {
      if fields >> UInt32(TextPlace.field(place)) & 1 == 1 { starts.append(place - offset) }
    }
  }

  /// Keeps the beginnings that have the next term at its distance. Both are ascending.
  static func keep(_ places: some RandomAccessCollection<UInt32>, offset: Int, in starts: inout [UInt32]) {
    let offset = UInt32(truncatingIfNeeded: offset)
    var kept = 0
    var at = places.startIndex
    for start in starts {
      let wanted = start &+ offset
      while at < places.endIndex, places[at] < wanted { at = places.index(after: at) }
      if at == places.endIndex { break }
      if places[at] == wanted {
        starts[kept] = start
        kept += 1
      }
    }
    starts.removeLast(starts.count - kept)
  }

  /// Whether there is one beginning of each phrase, all in one field, so that at most `gap` terms are between the end of
  /// the first one and the start of the last one.
  static func areNear(_ starts: [[UInt32]], _ lengths: [Int], gap: Int) -> Bool {
    var at = starts.map { _ in 0 }
    while true {
      var (first, last): (Int?, UInt32) = (nil, 0)
      for phrase in starts.indices {
        guard at[phrase] < starts[phrase].count else { return false }
        let start = starts[phrase][at[phrase]]
        if first.map({ start < starts[$0][at[$0]] }) ?? true { first = phrase }
        last = max(last, start)
      }
      guard let first else { return false }
      let start = starts[first][at[first]]
      if TextPlace.field(start) == TextPlace.field(last), Int(last) - Int(start) - lengths[first] <= gap { return true }
      at[first] += 1
    }
  }
}
