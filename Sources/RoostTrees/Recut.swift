internal import RoostBytes
internal import RoostPages

/// One or two leaves of byte keys that are cut anew, into two or three, because a new entry has no room.
///
/// Each part begins and ends as one of the old leaves did, or at a new fence. So nearly all entries keep the prefix that
/// they lack, and their cells are copied as they are. This costs a small part of what a ``Pack`` costs, which takes keys
/// apart and puts them together again; it is for everything that has another shape.
///
/// A plan reads copies of the leaves, so that it can be given up and so that the leaves can be written over.
struct Recut {
  /// Of the old leaves: where their copies lie, and how many entries they have.
  private let first: UnsafeRawPointer
  private let second: UnsafeRawPointer
  private let firstCount: Int
  private let count: Int
  private let scratch: UnsafeMutableRawPointer
  /// The bytes of all entries before one, with their slots.
  private let sums: UnsafeMutablePointer<Int32>
  private let place: Int
  private let key: ByteKey
  private let value: StoredValue
  let parts: Int
  private var cuts = (0, 0)
  private var fences = (ByteKey.empty, ByteKey.empty)

  /// - Parameters:
  ///   - leaves: one or two, the second behind the first.
  ///   - place: of the new entry among all entries of the leaves.
  init(_ pack: Pack, _ leaves: [PathNode], at place: Int, key: ByteKey, value: StoredValue, into parts: Int) {
    firstCount = Node.count(leaves[0].node)
    count = leaves.reduce(0) { $0 + Node.count($1.node) }
    pack.clear()
    let sumBytes = (count + 1) * 4
    pack.reserve(bytes: Self.lead + 2 * Node.pageSize + sumBytes + 3 * Self.keyRoom, entries: 0)
    let memory = pack.arena + Self.lead
    for (number, leaf) in leaves.enumerated() {
      (memory + number * Node.pageSize).copyMemory(from: leaf.node, byteCount: Node.pageSize)
    }
    first = UnsafeRawPointer(memory)
    second = leaves.count > 1 ? first + Node.pageSize : first
    scratch = memory + 2 * Node.pageSize
    sums = (scratch + 3 * Self.keyRoom).bindMemory(to: Int32.self, capacity: count + 1)
    self.place = place
    self.key = key
    self.value = value
    self.parts = parts
  }

  /// Room before the first copy: where a cell is copied, so is what lies before it.
  private static let lead = 64
  /// Room for a key and what is copied behind it.
  private static let keyRoom = Limits.keyBytes + 16

  /// The bound of the last leaf, also where that one has no entries.
  private var high: ByteKey? { ByteNode.high(second) }

  /// The leaf that has an entry, and its place in there.
  @inline(__always)
  private func leaf(_ index: Int) -> (page: UnsafeRawPointer, index: Int) {
    index < firstCount ? (first, index) : (second, index &- firstCount)
  }

  // MARK: Planning

  /// Cuts so that the parts have about the same size; false if that does not fit.
  mutating func balance(limit: Int, isLimited: Bool) -> Bool {
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

  /// Moves as much of the second leaf into the first as that takes; false if that is little.
  ///
  /// A leaf that an ascending run left behind gets a nearer fence, and so a longer prefix that its keys lack: it is far from
  /// full then.
  mutating func fillFirst(limit: Int) -> Bool {
    let own = count &- firstCount
    guard parts == 2, own >= 16, limit >= Node.pageSize else { return false }
    let most = count &- own / 16
    put(most, 1)
    // With an earlier fence the prefix is at least as long, and no entry larger.
    let low = ByteNode.low(first)
    let prefix = ByteNode.prefixLength(between: low, fences.0)
    let room = Node.room &- low.count &- fences.0.count
    var (cut, used) = (0, 0)
    while cut < most {
      let (page, index) = leaf(cut)
      let size = ByteNode.slotSize &+ entrySize(page, index, prefix: prefix)
      if used &+ size > room { break }
      used &+= size
      cut &+= 1
    }
    guard cut &- firstCount > own / 4 else { return false }
    put(cut, 1)
    addUp(false)
    return used &+ low.count &+ fences.0.count <= Node.room && fits(1, limit, isLimited: false)
  }

  /// The size of an entry's cell where all keys lack this prefix.
  private func entrySize(_ page: UnsafeRawPointer, _ index: Int, prefix: Int) -> Int {
    let suffix = ByteNode.prefixLength(page) &+ ByteNode.suffixLength(page, index) &- prefix
    return 2 &+ ByteNode.restLength(suffix) &+ ByteNode.value(page, index).count
  }

  /// Cuts a single leaf at the new entry, with which an ascending run goes on; false if that does not fit.
  mutating func cutRun(limit: Int, isLimited: Bool) -> Bool {
    guard count > 1 else { return false }
    addUp(isLimited)
    cuts.0 = place
    if place < count {
      let next = ByteNode.copyKey(first, place, to: scratch)
      fences.0 = ByteKey(next.start, next.commonPrefix(with: key) &+ 1)
      if fits(limit, isLimited) { return true }
    }
    guard place > 0 else { return false }
    let before = ByteNode.copyKey(first, place &- 1, to: scratch)
    fences.0 = ByteKey(key.start, key.commonPrefix(with: before) &+ 1)
    return fits(limit, isLimited)
  }

  private func addUp(_ isLimited: Bool) {
    if isLimited {
      for index in 0...count { sums[index] = Int32(truncatingIfNeeded: index) }
      return
    }
    sums[0] = 0
    addUp(first, firstCount, from: 0)
    addUp(second, count &- firstCount, from: firstCount)
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

  /// What the new entry takes.
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
    if cut == firstCount { return ByteNode.low(second).count }
    let (page, index) = leaf(cut)
    return ByteNode.fenceLength(page, before: index)
  }

  private mutating func put(_ cut: Int, _ part: Int) {
    let fence: ByteKey
    if cut == firstCount {
      fence = ByteNode.low(second)
    } else {
      let (page, index) = leaf(cut)
      let key = ByteNode.copyKey(page, index, to: scratch + (part &- 1) &* Self.keyRoom)
      fence = ByteKey(key.start, ByteNode.fenceLength(page, before: index))
    }
    if part == 1 { (cuts.0, fences.0) = (cut, fence) } else { (cuts.1, fences.1) = (cut, fence) }
  }

  private func bounds(_ part: Int) -> (from: Int, to: Int, low: ByteKey, high: ByteKey?) {
    let isLast = part == parts &- 1
    let to = isLast ? count : part == 0 ? cuts.0 : cuts.1
    let high = isLast ? self.high : part == 0 ? fences.0 : fences.1
    if part == 0 { return (0, to, ByteNode.low(first), high) }
    return (part == 1 ? cuts.0 : cuts.1, to, part == 1 ? fences.0 : fences.1, high)
  }

  private func takesNew(_ low: ByteKey, _ high: ByteKey?) -> Bool {
    key.compare(low) >= 0 && high.map { key.compare($0) < 0 } ?? true
  }

  /// Whether all parts have room, if what a shorter prefix adds to an entry is counted in full.
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
        let (page, at) = leaf(index)
        bytes &+= ByteNode.slotSize &+ leafCellSize(page, at)
      }
    } else {
      bytes &+= Int(sums[to] &- sums[from])
    }
    let split = max(from, min(to, firstCount))
    bytes &+= max(0, ByteNode.prefixLength(first) &- prefix) &* (split &- from)
    bytes &+= max(0, ByteNode.prefixLength(second) &- prefix) &* (to &- split)
    return bytes <= Node.room
  }

  // MARK: Carrying out

  /// Writes a part into a page, with the new entry if it belongs there.
  func write(_ part: Int, tree: UInt32, into page: UnsafeMutableRawPointer) {
    let (from, to, low, high) = bounds(part)
    ByteNode.beginLeaf(page, low: low, high: high, tree: tree)
    let split = max(from, min(to, firstCount))
    let keys = scratch + 2 * Self.keyRoom
    ByteNode.append(first, from: from, to: split, to: page, by: keys)
    ByteNode.append(second, from: split &- firstCount, to: to &- firstCount, to: page, by: keys)
    guard takesNew(low, high) else { return }
    let isDone = ByteNode.insert(page, at: ByteNode.search(page, key).index, key: key, value: value)
    precondition(isDone, "room was counted")
  }
}
