internal import RoostBytes
internal import RoostPages

/// A plan that divides one to three leaves with byte keys again, into two to four, because a new
/// entry has no room.
///
/// Each part begins and ends as one of the old leaves did, or at a new fence. So nearly all entries
/// keep their stripped prefix, and their cells are copied unchanged. This costs a small part of
/// what a ``Pack`` costs, which takes all keys apart and assembles them again. A pack is used for
/// everything else.
///
/// A plan reads copies of the leaves, so that it can be discarded and so that the leaves can be
/// overwritten.
struct Recut {
  /// Copies of the old leaves, in sequence.
  private let first: UnsafeRawPointer
  private let leaves: Int
  /// The number of entries in the first leaf, in the first two, and in all.
  private let firstCount: Int
  private let secondEnd: Int
  private let count: Int
  private let scratch: UnsafeMutableRawPointer
  /// For each entry, the bytes of all entries before it, with their slots.
  private let sums: UnsafeMutablePointer<Int32>
  private let place: Int
  private let key: ByteKey
  private let value: StoredValue
  let parts: Int
  /// The starts of the parts: the first entry and the low fence of each, then the end of the last
  /// part.
  private let starts: UnsafeMutablePointer<Start>

  private struct Start {
    var cut: Int
    var fence: ByteKey
  }

  /// - Parameters:
  ///   - leaves: one to three, in the order of their keys.
  ///   - place: the index of the new entry among all entries of the leaves.
  init(_ pack: Pack, _ leaves: [PathNode], at place: Int, key: ByteKey, value: StoredValue, into parts: Int) {
    var ends = (0, 0, 0)
    for (number, leaf) in leaves.enumerated() {
      ends.2 += Node.count(leaf.node)
      if number == 0 { ends.0 = ends.2 }
      if number <= 1 { ends.1 = ends.2 }
    }
    (firstCount, secondEnd, count) = ends
    self.leaves = leaves.count
    pack.clear()
    let scratchStart = Self.lead + leaves.count * Node.pageSize
    let startsStart = scratchStart + 4 * Self.keyRoom
    let sumsStart = startsStart + (parts + 1) * MemoryLayout<Start>.stride
    pack.reserve(bytes: sumsStart + (count + 1) * 4, entries: 0)
    let memory = pack.arena
    for (number, leaf) in leaves.enumerated() {
      (memory + (Self.lead + number * Node.pageSize)).copyMemory(from: leaf.node, byteCount: Node.pageSize)
    }
    first = UnsafeRawPointer(memory + Self.lead)
    scratch = memory + scratchStart
    starts = (memory + startsStart).bindMemory(to: Start.self, capacity: parts + 1)
    sums = (memory + sumsStart).bindMemory(to: Int32.self, capacity: count + 1)
    starts.initialize(to: Start(cut: 0, fence: ByteNode.low(first)))
    (starts + parts).initialize(to: Start(cut: count, fence: .empty))
    self.place = place
    self.key = key
    self.value = value
    self.parts = parts
  }

  /// Room before the first copy, because copying a cell also copies bytes before it.
  private static let lead = 64
  /// Room for a key and the bytes that are copied after it.
  private static let keyRoom = Limits.keyBytes + 16

  /// The high fence of the last leaf, even if that leaf has no entries.
  private var high: ByteKey? { ByteNode.high(leaf(leaves &- 1).page) }

  /// An old leaf, and the range of its entries among all.
  @inline(__always)
  private func leaf(_ number: Int) -> (page: UnsafeRawPointer, from: Int, to: Int) {
    switch number {
    case 0: (first, 0, firstCount)
    case 1: (first + Node.pageSize, firstCount, secondEnd)
    default: (first + 2 &* Node.pageSize, secondEnd, count)
    }
  }

  /// The leaf of an entry, and the entry's index in it.
  @inline(__always)
  private func find(_ index: Int) -> (page: UnsafeRawPointer, index: Int) {
    let (page, from, _) = leaf(index < firstCount ? 0 : index < secondEnd ? 1 : 2)
    return (page, index &- from)
  }

  // MARK: Planning

  /// Divides into parts of about the same size. Returns false if that does not fit.
  func balance(limit: Int, isLimited: Bool) -> Bool {
    guard count >= parts else { return false }
    addUp(isLimited)
    let own = isLimited ? 1 : size(prefix: 0)
    let total = Int(sums[count]) &+ own
    var least = 1
    for part in 1..<parts {
      let most = count &- (parts &- part)
      let target = total &* part / parts
      var cut = max(least, min(most, count &* part / parts))
      while cut < most, spent(cut, own) < target { cut &+= 1 }
      while cut > least, spent(cut, own) > target { cut &-= 1 }
      if !isLimited { cut = shortestFence(near: cut, within: count / (parts &* 16), least, most) }
      put(cut, part)
      least = cut &+ 1
    }
    return fits(limit, isLimited)
  }

  /// Moves as much of the second leaf into the first as fits. Returns false if that is little.
  ///
  /// A leaf that an ascending run has left gets a nearer fence, and so a longer stripped prefix.
  /// Therefore it is far from full.
  func fillFirst(limit: Int) -> Bool {
    let own = count &- firstCount
    guard parts == 2, own >= 16, limit >= Node.pageSize else { return false }
    let most = count &- own / 16
    put(most, 1)
    // With an earlier fence the prefix is at least as long, and no entry is larger.
    let low = ByteNode.low(first)
    let fence = starts[1].fence
    let prefix = ByteNode.prefixLength(between: low, fence)
    let room = Node.room &- low.count &- fence.count
    var (cut, used) = (0, 0)
    while cut < most {
      let (page, index) = find(cut)
      let size = ByteNode.slotSize &+ entrySize(page, index, prefix: prefix)
      if used &+ size > room { break }
      used &+= size
      cut &+= 1
    }
    guard cut &- firstCount > own / 4 else { return false }
    put(cut, 1)
    addUp(false)
    return used &+ low.count &+ starts[1].fence.count <= Node.room && fits(1, limit, isLimited: false)
  }

  /// The size of an entry's cell if all keys have this stripped prefix.
  private func entrySize(_ page: UnsafeRawPointer, _ index: Int, prefix: Int) -> Int {
    let suffix = ByteNode.prefixLength(page) &+ ByteNode.suffixLength(page, index) &- prefix
    return 2 &+ ByteNode.restLength(suffix) &+ ByteNode.value(page, index).count
  }

  /// Divides a single leaf at the new entry, with which an ascending run continues. Returns false
  /// if that does not fit.
  func cutRun(limit: Int, isLimited: Bool) -> Bool {
    guard count > 1 else { return false }
    addUp(isLimited)
    if place < count {
      let next = ByteNode.copyKey(first, place, to: scratch)
      starts[1] = Start(cut: place, fence: ByteKey(next.start, next.commonPrefix(with: key) &+ 1))
      if fits(limit, isLimited) { return true }
    }
    guard place > 0 else { return false }
    let before = ByteNode.copyKey(first, place &- 1, to: scratch)
    starts[1] = Start(cut: place, fence: ByteKey(key.start, key.commonPrefix(with: before) &+ 1))
    return fits(limit, isLimited)
  }

  private func addUp(_ isLimited: Bool) {
    if isLimited {
      for index in 0...count { sums[index] = Int32(truncatingIfNeeded: index) }
      return
    }
    sums[0] = 0
    for number in 0..<leaves {
      let (page, from, to) = leaf(number)
      addUp(page, to &- from, from: from)
    }
  }

  @inline(__always)
  private func addUp(_ page: UnsafeRawPointer, _ entries: Int, from start: Int) {
    var sum = sums[start]
    var index = 0
    while index < entries {
      let word = page.u64(ByteNode.slot(index))
      let value = page.u16(Int(truncatingIfNeeded: word &>> 32 & 0xFFFF)) & ~Node.extentFlag
      let rest = ByteNode.restLength(Int(truncatingIfNeeded: word &>> 48))
      sum &+= Int32(truncatingIfNeeded: ByteNode.slotSize &+ 2 &+ rest &+ Int(value))
      index &+= 1
      sums[start &+ index] = sum
    }
  }

  @inline(__always)
  private func leafCellSize(_ page: UnsafeRawPointer, _ index: Int) -> Int {
    let rest = ByteNode.restLength(ByteNode.suffixLength(page, index))
    return 2 &+ rest &+ Int(page.u16(ByteNode.cellOffset(page, index)) & ~Node.extentFlag)
  }

  /// The size of the new entry.
  private func size(prefix: Int) -> Int {
    ByteNode.slotSize &+ 2 &+ ByteNode.restLength(key.count &- prefix) &+ value.count
  }

  private func spent(_ cut: Int, _ own: Int) -> Int { Int(sums[cut]) &+ (cut > place ? own : 0) }

  private func shortestFence(near cut: Int, within distance: Int, _ least: Int, _ most: Int) -> Int {
    var best = cut
    var bestLength = fenceLength(cut)
    var candidate = max(least, cut &- distance)
    let last = min(most, cut &+ distance)
    while candidate <= last {
      let length = fenceLength(candidate)
      if length < bestLength { (best, bestLength) = (candidate, length) }
      candidate &+= 1
    }
    return best
  }

  private func fenceLength(_ cut: Int) -> Int {
    let (page, index) = find(cut)
    return index == 0 ? ByteNode.low(page).count : ByteNode.fenceLength(page, before: index)
  }

  private func put(_ cut: Int, _ part: Int) {
    let (page, index) = find(cut)
    let fence: ByteKey
    if index == 0 {
      fence = ByteNode.low(page)
    } else {
      let key = ByteNode.copyKey(page, index, to: scratch + (part &- 1) &* Self.keyRoom)
      fence = ByteKey(key.start, ByteNode.fenceLength(page, before: index))
    }
    (starts + part).initialize(to: Start(cut: cut, fence: fence))
  }

  private func bounds(_ part: Int) -> (from: Int, to: Int, low: ByteKey, high: ByteKey?) {
    let (start, end) = (starts[part], starts[part &+ 1])
    return (start.cut, end.cut, start.fence, part == parts &- 1 ? high : end.fence)
  }

  private func takesNew(_ low: ByteKey, _ high: ByteKey?) -> Bool {
    key.compare(low) >= 0 && high.map { key.compare($0) < 0 } ?? true
  }

  /// Whether all parts have room. The growth of entries by a shorter prefix is counted in full.
  private func fits(_ limit: Int, _ isLimited: Bool) -> Bool {
    for part in 0..<parts where !fits(part, limit, isLimited: isLimited) { return false }
    return true
  }

  private func fits(_ part: Int, _ limit: Int, isLimited: Bool) -> Bool {
    let (from, to, low, high) = bounds(part)
    let takesNew = takesNew(low, high)
    let entries = to &- from &+ (takesNew ? 1 : 0)
    guard entries > 0, entries <= limit else { return false }
    let prefix = ByteNode.prefixLength(between: low, high)
    var bytes = low.count &+ (high?.count ?? 0) &+ (takesNew ? size(prefix: prefix) : 0)
    if isLimited {
      for index in from..<to {
        let (page, at) = find(index)
        bytes &+= ByteNode.slotSize &+ leafCellSize(page, at)
      }
    } else {
      bytes &+= Int(sums[to] &- sums[from])
    }
    for number in 0..<leaves {
      let (page, first, end) = leaf(number)
      let own = min(to, end) &- max(from, first)
      if own > 0 { bytes &+= max(0, ByteNode.prefixLength(page) &- prefix) &* own }
    }
    return bytes <= Node.room
  }

  // MARK: Writing

  /// Writes a part into a page, with the new entry if it belongs there.
  func write(_ part: Int, tree: UInt32, into page: UnsafeMutableRawPointer) {
    let (from, to, low, high) = bounds(part)
    ByteNode.beginLeaf(page, low: low, high: high, tree: tree)
    for number in 0..<leaves {
      let (source, first, end) = leaf(number)
      ByteNode.append(
        source, from: max(from, first) &- first, to: min(to, end) &- first, to: page, by: scratch + 3 * Self.keyRoom)
    }
    guard takesNew(low, high) else { return }
    let isDone = ByteNode.insert(page, at: ByteNode.search(page, key).index, key: key, value: value)
    precondition(isDone, "room was counted")
  }
}
