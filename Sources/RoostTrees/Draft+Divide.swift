internal import RoostFile
internal import RoostPages

extension Draft {
  /// Divides the pack into at least `parts` nodes of about the same size.
  ///
  /// It tries more parts until all fit; a single entry always fits.
  func divide(into parts: Int, leaf: Bool, _ page: PageID) throws(StoreError) {
    var parts = min(parts, pack.count)
    while parts <= pack.count {
      cut(into: parts, leaf: leaf)
      if cutsFit(leaf: leaf) { return }
      parts += 1
    }
    throw damage("an entry is larger than a node", page)
  }

  /// Divides where an ascending run continues, at the inserted entry. Returns false if that does
  /// not fit.
  func cutRun(at index: Int, leaf: Bool) -> Bool {
    guard pack.count > 2 else { return false }
    // The last branch gets two children, so that it can be joined with another one.
    if !leaf { return cutsFit([pack.count - 2, pack.count], leaf: false) }
    if index + 1 < pack.count, cutsFit([index + 1, pack.count], leaf: true) { return true }
    return index > 0 && cutsFit([index, pack.count], leaf: true)
  }

  private func cutsFit(_ cuts: [Int], leaf: Bool) -> Bool {
    pack.cuts = cuts
    return cutsFit(leaf: leaf)
  }

  /// The fences of a part.
  func fences(_ part: Int, leaf: Bool) -> (low: Fence, high: Fence) {
    let cuts = pack.cuts
    let low = part == 0 ? pack.low : F.fence(pack, before: cuts[part - 1], leaf: leaf)
    let high = part == cuts.count - 1 ? pack.high : F.fence(pack, before: cuts[part], leaf: leaf)
    return (low, high)
  }

  func cutsFit(leaf: Bool) -> Bool {
    var from = 0
    for (part, cut) in pack.cuts.enumerated() {
      let (low, high) = fences(part, leaf: leaf)
      guard cut - from <= limit, F.size(pack, from: from, to: cut, low: low, high: high, leaf: leaf) <= Node.room else {
        return false
      }
      from = cut
    }
    return true
  }

  private func cut(into parts: Int, leaf: Bool) {
    let count = pack.count
    let total = isLimited ? count : (0..<count).reduce(0) { $0 + F.cost(pack, $1, leaf: leaf) }
    pack.cuts.removeAll(keepingCapacity: true)
    var index = 0
    var spent = 0
    for part in 1..<max(parts, 1) {
      let from = index
      let target = total * part / parts
      // Every later part needs an entry too.
      let most = count - (parts - part)
      while index < most {
        let cost = isLimited ? 1 : F.cost(pack, index, leaf: leaf)
        if index > from, spent + cost / 2 >= target { break }
        spent += cost
        index += 1
      }
      if leaf, F.seeksShortFences, !isLimited {
        index = shortestFence(near: index, within: count / (parts * 16), from + 1, most)
      }
      pack.cuts.append(index)
    }
    pack.cuts.append(count)
  }

  /// The nearby position whose separating key is shortest.
  private func shortestFence(near index: Int, within distance: Int, _ least: Int, _ most: Int) -> Int {
    var best = index
    var bestLength = F.fence(pack, before: index, leaf: true).length
    let low = max(least, index - distance)
    let high = min(most, index + distance)
    guard low <= high else { return index }
    for candidate in low...high {
      let length = F.fence(pack, before: candidate, leaf: true).length
      if length < bestLength {
        best = candidate
        bestLength = length
      }
    }
    return best
  }
}
