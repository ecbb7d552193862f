internal import RoostBytes
internal import RoostTrees

/// A radix sort by heads. It sorts by the first 16 bits that differ, then equal ones by the next
/// 16. If whole heads are equal, it continues with the next eight bytes of the keys. Small groups
/// are sorted by comparison.
extension PendingEntries {
  private struct Stretch {
    var from: Int
    var count: Int
    /// The number of key bytes before the heads.
    var depth: Int
  }

  /// Groups up to this size are sorted by comparison.
  private static let few = 24

  static func arrange(_ all: UnsafeMutableBufferPointer<Change>, _ bytes: UnsafeRawPointer) {
    guard let changes = all.baseAddress, all.count > 1 else { return }
    let other = UnsafeMutablePointer<Change>.allocate(capacity: all.count)
    defer { other.deallocate() }
    var open = [Stretch(from: 0, count: all.count, depth: 0)]
    while let stretch = open.popLast() {
      let start = changes + stretch.from
      if stretch.count <= few {
        insertionSort(start, stretch.count, bytes: bytes)
      } else if !isSorted(start, stretch.count, bytes: bytes) {
        distribute(stretch, start, other: other, bytes: bytes, open: &open)
      }
    }
  }

  @inline(__always)
  private static func isBefore(_ one: Change, _ other: Change, bytes: UnsafeRawPointer) -> Bool {
    if one.head != other.head { return one.head < other.head }
    return isKeyBefore(one, other, bytes: bytes)
  }

  @inline(never)
  private static func isKeyBefore(_ one: Change, _ other: Change, bytes: UnsafeRawPointer) -> Bool {
    let order = ByteKey(bytes + Int(one.offset), Int(one.keyLength)).compare(
      ByteKey(bytes + Int(other.offset), Int(other.keyLength)))
    return order == 0 ? one.offset < other.offset : order < 0
  }

  private static func isSorted(_ changes: UnsafeMutablePointer<Change>, _ count: Int, bytes: UnsafeRawPointer) -> Bool {
    var index = 1
    while index < count {
      if isBefore(changes[index], changes[index &- 1], bytes: bytes) { return false }
      index &+= 1
    }
    return true
  }

  private static func insertionSort(
    _ changes: UnsafeMutablePointer<Change>, _ count: Int, bytes: UnsafeRawPointer
  ) {
    var index = 1
    while index < count {
      let change = changes[index]
      var at = index
      while at > 0, isBefore(change, changes[at &- 1], bytes: bytes) {
        changes[at] = changes[at &- 1]
        at &-= 1
      }
      changes[at] = change
      index &+= 1
    }
  }

  /// Sorts by 16 bits in two stable passes. Appends groups that are equal in these bits to `open`.
  private static func distribute(
    _ stretch: Stretch, _ changes: UnsafeMutablePointer<Change>, other: UnsafeMutablePointer<Change>,
    bytes: UnsafeRawPointer, open: inout [Stretch]
  ) {
    let count = stretch.count
    var differing: UInt64 = 0
    for index in 0..<count { differing |= changes[index].head ^ changes[0].head }
    if differing == 0 { return goDeeper(stretch, changes, bytes: bytes, open: &open) }
    let shift = UInt64(truncatingIfNeeded: min(differing.leadingZeroBitCount, 48))
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 512) { starts in
      starts.initialize(repeating: 0)
      @inline(__always) func low(_ change: Change) -> Int {
        Int(truncatingIfNeeded: (change.head &<< shift) &>> 48 & 255)
      }
      @inline(__always) func high(_ change: Change) -> Int {
        Int(truncatingIfNeeded: (change.head &<< shift) &>> 56)
      }
      for index in 0..<count {
        starts[low(changes[index])] &+= 1
        starts[256 &+ high(changes[index])] &+= 1
      }
      for half in [0, 256] {
        var sum: UInt32 = 0
        for digit in half..<half + 256 { (starts[digit], sum) = (sum, sum &+ starts[digit]) }
      }
      for index in 0..<count {
        let digit = low(changes[index])
        (other + Int(starts[digit])).initialize(to: changes[index])
        starts[digit] &+= 1
      }
      for index in 0..<count {
        let digit = 256 &+ high(other[index])
        changes[Int(starts[digit])] = other[index]
        starts[digit] &+= 1
      }
    }
    var from = 0
    while from < count {
      let bits = (changes[from].head &<< shift) &>> 48
      var to = from &+ 1
      while to < count, (changes[to].head &<< shift) &>> 48 == bits { to &+= 1 }
      if to &- from > few {
        open.append(Stretch(from: stretch.from &+ from, count: to &- from, depth: stretch.depth))
      } else if to &- from > 1 {
        insertionSort(changes + from, to &- from, bytes: bytes)
      }
      from = to
    }
  }

  /// Replaces the heads of keys with equal heads by their next eight bytes.
  private static func goDeeper(
    _ stretch: Stretch, _ changes: UnsafeMutablePointer<Change>, bytes: UnsafeRawPointer, open: inout [Stretch]
  ) {
    let depth = stretch.depth &+ 8
    var isLonger = false
    for index in 0..<stretch.count where Int(changes[index].keyLength) > depth { isLonger = true }
    guard isLonger else {
      // The keys differ at most in zeros at their ends.
      var all = UnsafeMutableBufferPointer(start: changes, count: stretch.count)
      return all.sort { isKeyBefore($0, $1, bytes: bytes) }
    }
    for index in 0..<stretch.count {
      let rest = max(0, Int(changes[index].keyLength) &- depth)
      // The bytes after the last key were reserved with it, so eight bytes can be read here.
      changes[index].head = rest == 0 ? 0 : head(bytes + (Int(changes[index].offset) &+ depth), rest)
    }
    open.append(Stretch(from: stretch.from, count: stretch.count, depth: depth))
  }
}
