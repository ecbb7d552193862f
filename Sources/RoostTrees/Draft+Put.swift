internal import RoostBytes
internal import RoostFile
internal import RoostPages

/// The result of a put.
package enum Put: Sendable {
  case inserted, replaced
}

extension Draft {
  /// Inserts the key with this value, or replaces its value.
  func put(_ key: F.Key, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Put {
    try F.checkKey(key)
    if F.keepsInline(key, value.count) {
      let start = value.baseAddress ?? UnsafeRawPointer(path)
      return try put(key, StoredValue(start, UInt16(truncatingIfNeeded: value.count)))
    }
    guard value.count <= Limits.valueBytes else { throw Self.valueTooLarge(value.count) }
    let encoded = try transaction.writeExtents(value).encoded
    return try putEncoded(key, encoded)
  }

  static func valueTooLarge(_ count: Int) -> StoreError {
    StoreError(.valueTooLarge, "a value of \(count) bytes; at most \(Limits.valueBytes) are possible")
  }

  /// Stores a value that is already in extents.
  func put(_ key: F.Key, _ extents: ExtentList) throws(StoreError) -> Put {
    try F.checkKey(key)
    return try putEncoded(key, extents.encoded)
  }

  private func putEncoded(_ key: F.Key, _ encoded: [UInt8]) throws(StoreError) -> Put {
    let count = encoded.count
    extents &+= 1
    return try withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { copy throws(StoreError) -> Put in
      let start = copy.baseAddress!
      encoded.withUnsafeBytes { start.copyMemory(from: $0.baseAddress!, byteCount: count) }
      return try put(key, StoredValue(start, UInt16(count) | Node.extentFlag))
    }
  }

  func put(_ key: F.Key, _ value: StoredValue) throws(StoreError) -> Put {
    if root.isEmpty { try plant() }
    try descend(key)
    let leaf = path[bottom].memory
    let position = F.search(leaf, key)
    let index = position.index
    if position.isFound {
      try killValue(F.value(leaf, index))
      if !F.replace(leaf, at: index, value) { try spread(bottom, at: index, dropping: 1, .entry(key, value)) }
      return .replaced
    }
    bump(1)
    run = index == lastIndex &+ 1 ? run &+ 1 : 0
    lastIndex = index
    if Node.count(leaf) >= limit || !F.insert(leaf, at: index, key: key, value: value) {
      try spread(bottom, at: index, dropping: 0, .entry(key, value))
    }
    return .inserted
  }

  /// Makes the first leaf of an empty tree.
  func plant() throws(StoreError) {
    let leaf = try allocate()
    F.beginUnbounded(pack)
    F.write(pack, from: 0, to: 0, low: pack.low, high: pack.high, level: 0, tree: tree, into: leaf.memory)
    root = Root(reference: PageReference(leaf.page), level: 0, count: 0)
    fingerStamp = 0
  }

  /// Frees the extents of a removed value.
  func killValue(_ value: StoredValue) throws(StoreError) {
    guard value.isExtents else { return }
    extents &-= 1
    try transaction.killExtents(TreeDamage.extents(value))
  }
}
