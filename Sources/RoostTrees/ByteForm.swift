internal import RoostBytes
internal import RoostFile
internal import RoostPages

/// Trees whose keys are bytes.
enum ByteForm: Form {
  typealias Key = ByteKey

  static var leafKind: UInt8 { Node.byteLeaf }
  static var branchKind: UInt8 { Node.byteBranch }
  static var seeksShortFences: Bool { true }
  static var slack: Int { 12 }

  static func checkKey(_ key: ByteKey) throws(StoreError) {
    guard key.count <= Limits.keyBytes else {
      throw StoreError(.keyTooLong, "a key of \(key.count) bytes; at most \(Limits.keyBytes) are possible")
    }
  }
  static func keepsInline(_ key: ByteKey, _ count: Int) -> Bool {
    count <= Limits.shortValueBytes || ByteNode.slotSize + 2 + key.count + count <= Limits.entryBytes
  }

  static func admits(_ page: UnsafeRawPointer, _ key: ByteKey) -> Bool { key.count >= ByteNode.prefixLength(page) }
  static func covers(_ page: UnsafeRawPointer, _ key: ByteKey) -> Bool { ByteNode.covers(page, key) }
  static func isLast(_ page: UnsafeRawPointer) -> Bool { page.u16(ByteNode.highField) == ByteNode.unbounded }
  static func child(_ branch: UnsafeRawPointer, _ key: ByteKey) -> Int { ByteNode.child(branch, key) }
  static func search(_ leaf: UnsafeRawPointer, _ key: ByteKey) -> Position { ByteNode.search(leaf, key) }
  static func value(_ leaf: UnsafeRawPointer, _ index: Int) -> StoredValue { ByteNode.value(leaf, index) }
  static func used(_ page: UnsafeRawPointer) -> Int { ByteNode.used(page) }
  static func room(_ page: UnsafeRawPointer) -> Int { ByteNode.heapEnd(page) - Node.slots }

  static func insert(_ leaf: UnsafeMutableRawPointer, at index: Int, key: ByteKey, value: StoredValue) -> Bool {
    ByteNode.insert(leaf, at: index, key: key, value: value)
  }
  static func replace(_ leaf: UnsafeMutableRawPointer, at index: Int, _ value: StoredValue) -> Bool {
    ByteNode.replace(leaf, at: index, value)
  }
  static func remove(_ leaf: UnsafeMutableRawPointer, from: Int, to: Int) { ByteNode.remove(leaf, from: from, to: to) }

  /// Always false, because the bound determines the prefix that is stripped from all keys of the
  /// leaf.
  static func end(_ leaf: UnsafeMutableRawPointer, before key: ByteKey, _ pack: Pack) -> Bool { false }

  static func exchange(
    _ branch: UnsafeMutableRawPointer, at index: Int, dropping: Int, _ fresh: [FreshNode]
  ) -> Bool {
    let prefix = ByteNode.prefixLength(branch)
    var needed = 0
    for node in fresh.dropFirst() {
      let suffix = ByteNode.low(node.memory).count - prefix
      needed += ByteNode.slotSize + Child.size + ByteNode.restLength(suffix)
    }
    for dropped in index + 1..<max(index + 1, index + dropping) {
      needed -= ByteNode.slotSize + ByteNode.cellSize(branch, dropped)
    }
    guard needed <= room(branch) - used(branch) else { return false }
    guard let first = fresh.first else {
      ByteNode.remove(branch, from: index, to: index + dropping)
      return true
    }
    ByteNode.remove(branch, from: index + 1, to: index + dropping)
    Child.write(Branch.mutableCell(branch, index), first.page, count: first.count)
    for (offset, node) in fresh.enumerated().dropFirst() {
      guard ByteNode.insert(branch, at: index + offset, node) else { preconditionFailure("room was counted") }
    }
    return true
  }

  static func meet(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer) -> Bool {
    guard let high = ByteNode.high(left) else { return false }
    return high.compare(ByteNode.low(right)) == 0
  }
  static func holds(_ parent: UnsafeRawPointer, _ child: UnsafeRawPointer) -> Bool {
    guard ByteNode.covers(parent, ByteNode.low(child)) else { return false }
    guard let end = ByteNode.high(parent) else { return true }
    return ByteNode.high(child).map { $0.compare(end) <= 0 } ?? false
  }
}
