internal import RoostBytes
internal import RoostFile
internal import RoostPages

extension IntegerForm {
  static var lowest: UInt64 { 0 }
  static func lowFence(_ page: UnsafeRawPointer) -> UInt64 { page.u64(IntegerBranch.low) }
  static func highFence(_ page: UnsafeRawPointer) -> UInt64? { isLast(page) ? nil : page.u64(IntegerBranch.high) }
  static func own(_ key: UInt64) -> UInt64 { key }
  static func withKey(_ own: UInt64, _ body: (UInt64) throws(StoreError) -> Void) throws(StoreError) {
    try body(own)
  }
  static func isBelow(_ key: UInt64, _ other: UInt64) -> Bool { key < other }
  static func branchKey(_ branch: UnsafeRawPointer, _ index: Int) -> UInt64 { IntegerBranch.key(branch, index) }

  static func firstChild(_ branch: UnsafeRawPointer, _ low: UInt64) -> Int { IntegerBranch.child(branch, low) }

  static func side(_ branch: UnsafeRawPointer, _ index: Int, low: UInt64, high: UInt64?) -> Side {
    let start = IntegerBranch.key(branch, index)
    // 0 means no bound, so subtracting one always gives the last key.
    let last =
      (index + 1 < Node.count(branch) ? IntegerBranch.key(branch, index + 1) : branch.u64(IntegerBranch.high)) &- 1
    if last < low { return .below }
    guard let high else { return start >= low ? .inside : .across }
    if start >= high { return .above }
    return start >= low && last < high ? .inside : .across
  }

  static func firstAtLeast(_ leaf: UnsafeRawPointer, _ key: UInt64) -> Int { IntegerLeaf.search(leaf, key).index }

  static func begin(_ pack: Pack, _ branch: UnsafeRawPointer, from: Int, to: Int) {
    pack.clear()
    pack.low = Fence(key: IntegerBranch.key(branch, from), length: 8)
    let high = to < Node.count(branch) ? IntegerBranch.key(branch, to) : branch.u64(IntegerBranch.high)
    pack.high = high == 0 ? .unbounded : Fence(key: high, length: 8)
  }
}

extension ByteForm {
  static var lowest: [UInt8] { [] }
  static func lowFence(_ page: UnsafeRawPointer) -> [UInt8] { [UInt8](ByteNode.low(page).bytes) }
  static func highFence(_ page: UnsafeRawPointer) -> [UInt8]? { ByteNode.high(page).map { [UInt8]($0.bytes) } }
  static func own(_ key: ByteKey) -> [UInt8] { [UInt8](key.bytes) }
  static func withKey(_ own: [UInt8], _ body: (ByteKey) throws(StoreError) -> Void) throws(StoreError) {
    try own.withUnsafeBufferPointer { (bytes) throws(StoreError) in
      try body(ByteKey(UnsafeRawBufferPointer(bytes)))
    }
  }
  static func isBelow(_ key: ByteKey, _ other: ByteKey) -> Bool { key.compare(other) < 0 }
  static func branchKey(_ branch: UnsafeRawPointer, _ index: Int) -> [UInt8] { ByteNode.key(branch, index) }

  static func firstChild(_ branch: UnsafeRawPointer, _ low: ByteKey) -> Int {
    ByteNode.covers(branch, low) ? ByteNode.child(branch, low) : 0
  }

  static func side(_ branch: UnsafeRawPointer, _ index: Int, low: ByteKey, high: ByteKey?) -> Side {
    ByteNode.key(branch, index).withUnsafeBytes { bytes in
      let start = ByteKey(bytes)
      if let high, start.compare(high) >= 0 { return .above }
      guard let end = end(branch, index) else {
        return start.compare(low) >= 0 && high == nil ? .inside : .across
      }
      return end.withUnsafeBytes { bytes in
        let end = ByteKey(bytes)
        if end.compare(low) <= 0 { return .below }
        let isInside = start.compare(low) >= 0 && (high.map { end.compare($0) <= 0 } ?? true)
        return isInside ? .inside : .across
      }
    }
  }

  /// The end of a child's range; nil if it has no upper bound.
  private static func end(_ branch: UnsafeRawPointer, _ index: Int) -> [UInt8]? {
    if index + 1 < Node.count(branch) { return ByteNode.key(branch, index + 1) }
    return ByteNode.high(branch).map { [UInt8]($0.bytes) }
  }

  static func firstAtLeast(_ leaf: UnsafeRawPointer, _ key: ByteKey) -> Int {
    if key.compare(ByteNode.low(leaf)) < 0 { return 0 }
    if let high = ByteNode.high(leaf), key.compare(high) >= 0 { return Node.count(leaf) }
    return ByteNode.search(leaf, key).index
  }

  static func begin(_ pack: Pack, _ branch: UnsafeRawPointer, from: Int, to: Int) {
    pack.clear()
    let low = ByteNode.key(branch, from)
    pack.low = Fence(key: 0, length: low.count)
    low.withUnsafeBytes { _ = pack.store(ByteKey($0).start, $0.count) }
    pack.high = .unbounded
    guard let high = end(branch, to - 1) else { return }
    high.withUnsafeBytes {
      let offset = pack.store(ByteKey($0).start, $0.count)
      pack.high = Fence(key: UInt64(offset), length: $0.count)
    }
  }
}
