#if Postgres
  internal import RoostRecords

  /// The places of the members of a list: ascending numbers with gaps, so that few rows change when
  /// a list changes.
  enum ListPlaces {
    static let gap: Int64 = 1024

    /// The members of a list whose places change, with their new places. In `old`, a negative
    /// number means that a member has no place.
    static func changes(_ list: [UUIDNumber], from old: [UUIDNumber: Int64]) -> [UUIDNumber: Int64] {
      let places = list.map { old[$0].flatMap { $0 < 0 ? nil : $0 } }
      let stays = longestRise(places)
      var made: [Int64] = []
      var at = 0
      var before: Int64 = 0
      while at < list.count {
        if stays.contains(at), let place = places[at] {
          made.append(place)
          before = place
          at += 1
          continue
        }
        let next = (at..<list.count).first { stays.contains($0) }
        let count = Int64((next ?? list.count) - at)
        let after = next.flatMap { places[$0] } ?? before &+ gap &* (count + 1)
        let step = (after - before) / (count + 1)
        // Without room between two members that keep their places, all members get new numbers.
        if step < 1 { return changed(list, (1...Int64(list.count)).map { $0 * gap }, from: old) }
        for number in 1...count { made.append(before + step * number) }
        before = made[made.count - 1]
        at += Int(count)
      }
      return changed(list, made, from: old)
    }

    private static func changed(
      _ list: [UUIDNumber], _ places: [Int64], from old: [UUIDNumber: Int64]
    ) -> [UUIDNumber: Int64] {
      var changes: [UUIDNumber: Int64] = [:]
      for (member, place) in zip(list, places) where old[member] != place { changes[member] = place }
      return changes
    }

    /// The positions of a longest ascending subsequence.
    private static func longestRise(_ places: [Int64?]) -> Set<Int> {
      // By length, the position where the subsequence with the smallest last place ends.
      var ends: [Int] = []
      var previous: [Int?] = Array(repeating: nil, count: places.count)
      for (at, place) in places.enumerated() {
        guard let place else { continue }
        var (low, high) = (0, ends.count)
        while low < high {
          let middle = (low + high) / 2
          if places[ends[middle]]! < place { low = middle + 1 } else { high = middle }
        }
        previous[at] = low > 0 ? ends[low - 1] : nil
        if low == ends.count { ends.append(at) } else { ends[low] = at }
      }
      var rise: Set<Int> = []
      var next = ends.last
      while let at = next {
        rise.insert(at)
        next = previous[at]
      }
      return rise
    }
  }
#endif
