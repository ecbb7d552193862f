/// Compares the places of terms in one document.
enum PhrasePlaces {
  /// Computes the possible beginnings of a phrase from the places of the term that is read first.
  static func begin(_ places: UnsafeBufferPointer<UInt32>, offset: Int, fields: UInt32, into starts: PlaceList) {
    starts.clear()
    let out = starts.room(places.count)
    let offset = UInt32(truncatingIfNeeded: offset)
    var count = 0
    for place in places where TextPlace.position(place) >= offset {
      if fields >> UInt32(TextPlace.field(place)) & 1 == 1 {
        out[count] = place &- offset
        count &+= 1
      }
    }
    starts.extend(count)
  }

  /// Keeps the beginnings that have the next term at its distance. Both lists ascend.
  static func keep(_ places: UnsafeBufferPointer<UInt32>, offset: Int, in starts: PlaceList) {
    let offset = UInt32(truncatingIfNeeded: offset)
    let list = starts.start
    var kept = 0
    var at = 0
    for next in 0..<starts.count {
      let start = list[next]
      let wanted = start &+ offset
      while at < places.count, places[at] < wanted { at &+= 1 }
      if at == places.count { break }
      if places[at] == wanted {
        list[kept] = start
        kept &+= 1
      }
    }
    starts.cut(kept)
  }

  /// Whether there is one beginning of each phrase, all in one field, so that at most `gap` terms are between the end of
  /// the first one and the start of the last one.
  static func areNear(_ starts: [some RandomAccessCollection<UInt32>], _ lengths: [Int], gap: Int) -> Bool {
    var at = starts.map { _ in 0 }
    while true {
      var (first, last): (Int?, UInt32) = (nil, 0)
      for phrase in starts.indices {
        guard at[phrase] < starts[phrase].count else { return false }
        let start = starts[phrase].place(at[phrase])
        if first.map({ start < starts[$0].place(at[$0]) }) ?? true { first = phrase }
        last = max(last, start)
      }
      guard let first else { return false }
      let start = starts[first].place(at[first])
      if TextPlace.field(start) == TextPlace.field(last), Int(last) - Int(start) - lengths[first] <= gap { return true }
      at[first] += 1
    }
  }
}

extension RandomAccessCollection<UInt32> {
  fileprivate func place(_ offset: Int) -> UInt32 { self[index(startIndex, offsetBy: offset)] }
}
