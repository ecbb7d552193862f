internal import RoostBytes
package import RoostPages

/// Validates a page that was read from a file before it is used.
///
/// After it no accessor reads outside the page, whatever the bytes are: offsets, lengths, counts,
/// order, prefix and fences agree with each other. It cannot know whether the page is the one that
/// its parent names; every search checks that.
package enum Complaint {
  /// The error in a page of a tree; nil if it is valid.
  package static func about(_ page: PageID, _ memory: UnsafeRawPointer) -> String? {
    guard memory.u32(Header.place) == page.place else { return "the page says it belongs elsewhere" }
    return about(memory)
  }

  static func about(_ page: UnsafeRawPointer) -> String? {
    let level = Node.level(page)
    switch page.u8(Header.kind) {
    case Node.integerLeaf: return level == 0 ? integerLeaf(page) : "a leaf has a level above 0"
    case Node.byteLeaf: return level == 0 ? byteNode(page) : "a leaf has a level above 0"
    case Node.integerBranch: return branchLevel(level) ?? integerBranch(page)
    case Node.byteBranch: return branchLevel(level) ?? byteNode(page)
    default: return "the page is no node of a tree"
    }
  }

  private static func branchLevel(_ level: UInt8) -> String? {
    level >= 1 && level <= Node.maximumLevel ? nil : "a branch has an impossible level"
  }

  /// The bytes of values or children, with the garbage, must fill the heap.
  private static func heap(_ page: UnsafeRawPointer, slotsEnd: Int, end: Int) -> String? {
    let start = Int(page.u16(Header.heapStart))
    guard slotsEnd <= start, start <= end else { return "slots and heap overlap" }
    return nil
  }

  private static func extents(_ value: StoredValue) -> Bool {
    !value.isExtents || ExtentList(decoding: value.bytes) != nil
  }

  // MARK: Integer keys

  private static func integerLeaf(_ page: UnsafeRawPointer) -> String? {
    let count = Node.count(page)
    if let complaint = heap(page, slotsEnd: IntegerLeaf.slot(count), end: Node.end) { return complaint }
    let start = Int(page.u16(Header.heapStart))
    var used = 0
    for index in 0..<count {
      let offset = Int(page.u16(IntegerLeaf.slot(index) + 8))
      let length = IntegerLeaf.length(page, index)
      guard offset >= start, offset + length <= Node.end else { return "a value lies outside the heap" }
      guard extents(IntegerLeaf.value(page, index)) else { return "a list of extents cannot be read" }
      used += length
    }
    guard used + Int(page.u16(Header.garbage)) == Node.end - start else { return "the heap is not filled" }
    return integerOrder(page, count) { IntegerLeaf.key(page, $0) }
  }

  private static func integerBranch(_ page: UnsafeRawPointer) -> String? {
    let count = Node.count(page)
    guard count >= 1, count <= IntegerBranch.capacity else { return "a branch has an impossible number of children" }
    guard page.u16(Header.heapStart) == UInt16(Node.end), page.u16(Header.garbage) == 0 else {
      return "a branch with integer keys has a heap"
    }
    guard IntegerBranch.key(page, 0) == page.u64(IntegerBranch.low) else {
      return "a branch does not begin at its fence"
    }
    for index in 0..<count where page.u32(IntegerBranch.cellOffset(index) + Child.place) < 2 {
      return "a child has no place"
    }
    return integerOrder(page, count) { IntegerBranch.key(page, $0) }
  }

  private static func integerOrder(_ page: UnsafeRawPointer, _ count: Int, key: (Int) -> UInt64) -> String? {
    let low = page.u64(IntegerBranch.low)
    let high = page.u64(IntegerBranch.high)
    guard high == 0 || low < high else { return "the fences are not in order" }
    guard count > 0 else { return nil }
    guard key(0) >= low, high == 0 || key(count - 1) < high else { return "a key lies outside the fences" }
    for index in 1..<max(count, 1) where key(index - 1) >= key(index) { return "keys are not in order" }
    return nil
  }

  // MARK: Byte keys

  private static func byteNode(_ page: UnsafeRawPointer) -> String? {
    let isLeaf = Node.level(page) == 0
    let count = Node.count(page)
    let highLength = page.u16(ByteNode.highField)
    guard Int(page.u16(ByteNode.lowField)) <= Limits.keyBytes,
      highLength == ByteNode.unbounded || Int(highLength) <= Limits.keyBytes
    else { return "a fence is too long" }
    if !isLeaf, count == 0 { return "a branch has no child" }
    let end = ByteNode.heapEnd(page)
    if let complaint = heap(page, slotsEnd: ByteNode.slot(count), end: end) { return complaint }
    let low = ByteNode.low(page)
    let prefix = ByteNode.prefixLength(page)
    if let high = ByteNode.high(page) {
      guard low.compare(high) < 0 else { return "the fences are not in order" }
      guard low.commonPrefix(with: high) == prefix else { return "the prefix is not the fences'" }
    } else if prefix != 0 {
      return "a node without a high fence has a prefix"
    }
    let complaint =
      isLeaf ? leafCells(page, count, prefix: prefix, end: end) : branchCells(page, count, prefix: prefix, end: end)
    return complaint ?? byteOrder(page, isLeaf, count: count, prefix: prefix)
  }

  /// Runs for every entry of every page that is read, so it loads a slot at once.
  private static func leafCells(_ page: UnsafeRawPointer, _ count: Int, prefix: Int, end: Int) -> String? {
    let start = Int(page.u16(Header.heapStart))
    let longest = Limits.keyBytes &- prefix
    var used = 0
    var index = 0
    while index < count {
      let word = page.u64(ByteNode.slot(index))
      let offset = Int(truncatingIfNeeded: word &>> 32 & 0xFFFF)
      let suffix = Int(truncatingIfNeeded: word &>> 48)
      guard suffix <= longest else { return "a key is too long" }
      // The bits of the head after the suffix's end must be zero.
      if suffix < 4, UInt32(truncatingIfNeeded: word) & (UInt32.max >> UInt32(8 * suffix)) != 0 {
        return "a head is not filled with zeros"
      }
      let head = 2 &+ ByteNode.restLength(suffix)
      guard offset >= start, offset &+ head <= end else { return "a cell lies outside the heap" }
      let length = page.u16(offset)
      let size = head &+ Int(length & ~Node.extentFlag)
      guard offset &+ size <= end else { return "a cell lies outside the heap" }
      used &+= size
      if length & Node.extentFlag != 0, !extents(ByteNode.value(page, index)) {
        return "a list of extents cannot be read"
      }
      index &+= 1
    }
    return used + Int(page.u16(Header.garbage)) == end - start ? nil : "the heap is not filled"
  }

  private static func branchCells(_ page: UnsafeRawPointer, _ count: Int, prefix: Int, end: Int) -> String? {
    let start = Int(page.u16(Header.heapStart))
    var used = 0
    for index in 0..<count {
      let offset = ByteNode.cellOffset(page, index)
      let suffix = ByteNode.suffixLength(page, index)
      guard prefix + suffix <= Limits.keyBytes else { return "a key is too long" }
      // The bits of the head after the suffix's end must be zero.
      guard suffix >= 4 || ByteNode.head(page, index) & (UInt32.max >> UInt32(8 * suffix)) == 0 else {
        return "a head is not filled with zeros"
      }
      guard offset >= start, offset + Child.size + ByteNode.restLength(suffix) <= end else {
        return "a cell lies outside the heap"
      }
      let size = ByteNode.cellSize(page, index)
      guard offset + size <= end else { return "a cell lies outside the heap" }
      used += size
      guard page.u32(offset + Child.place) >= 2 else { return "a child has no place" }
    }
    return used + Int(page.u16(Header.garbage)) == end - start ? nil : "the heap is not filled"
  }

  private static func byteOrder(_ page: UnsafeRawPointer, _ isLeaf: Bool, count: Int, prefix: Int) -> String? {
    guard count > 0 else { return nil }
    if !isLeaf {
      guard ByteNode.suffixLength(page, 0) == 0 else { return "a branch does not begin at its fence" }
    }
    for index in 1..<max(count, 1) {
      let before = ByteNode.head(page, index - 1)
      let head = ByteNode.head(page, index)
      guard before <= head else { return "keys are not in order" }
      if before == head {
        let rest = page + ByteNode.cellOffset(page, index - 1) + (isLeaf ? 2 : Child.size)
        // Only the bytes after the head are compared.
        let suffix = ByteKey(rest - 4, ByteNode.suffixLength(page, index - 1))
        guard ByteNode.compareRest(page, index, suffix: suffix) < 0 else { return "keys are not in order" }
      }
    }
    let first = isLeaf ? 0 : 1
    guard first < count else { return nil }
    let order = compare(page, first, fence: ByteNode.low(page))
    guard isLeaf ? order >= 0 : order > 0 else { return "a key lies below the low fence" }
    if let high = ByteNode.high(page), compare(page, count - 1, fence: high) >= 0 {
      return "a key lies above the high fence"
    }
    return nil
  }

  private static func compare(_ page: UnsafeRawPointer, _ index: Int, fence: ByteKey) -> Int {
    ByteNode.key(page, index).withUnsafeBytes { ByteKey($0).compare(fence) }
  }
}
