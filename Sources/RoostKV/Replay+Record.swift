import RoostBytes
import RoostFile
import RoostPages
import RoostTrees

/// Writes the pieces that ``Replay`` reads.
extension Replay {
  static func record(
    _ transaction: WriteTransaction, _ kind: Kind, name: [UInt8], other: [UInt8]? = nil, id: UInt32? = nil
  ) throws(StoreError) {
    var head: [UInt8] = []
    if let id { append(UInt64(id), to: &head) }
    if other != nil { append(UInt64(name.count), to: &head) }
    let piece = head + name + (other ?? [])
    try transaction.record(kind.rawValue, count: piece.count) { $0.copyMemory(from: piece, byteCount: piece.count) }
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(byteCount: Varint.most, alignment: 1) { buffer in
      let count = Varint.encode(number, to: buffer.baseAddress!)
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  // MARK: Entries

  /// Writes a put; `rest` is the value or its extents.
  @inline(__always)
  static func record(
    _ transaction: WriteTransaction, _ kind: Kind, tree: UInt32, key: some TreeKey, rest: UnsafeRawBufferPointer
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree)) + key.byteCount(isLast: false)
    try transaction.record(kind.rawValue, count: head + rest.count) { memory in
      let at = Varint.encode(UInt64(tree), to: memory)
      _ = key.encode(to: memory + at, isLast: false)
      if let start = rest.baseAddress { (memory + head).copyMemory(from: start, byteCount: rest.count) }
    }
  }

  /// Writes the removal of one entry.
  @inline(__always)
  static func record<Key: TreeKey>(
    _ transaction: WriteTransaction, removalIn tree: UInt32, of key: Key
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree))
    try transaction.record(Key.kinds.remove.rawValue, count: head + key.byteCount(isLast: true)) { memory in
      _ = key.encode(to: memory + Varint.encode(UInt64(tree), to: memory), isLast: true)
    }
  }

  /// Writes the removal of all entries from `low` up to, but without, `high`.
  static func record<Key: TreeKey>(
    _ transaction: WriteTransaction, removalIn tree: UInt32, from low: Key, to high: Key?
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree)) + 1
    let last = high ?? .lowest
    let count = head + low.byteCount(isLast: false) + last.byteCount(isLast: true)
    try transaction.record(Key.kinds.removeRange.rawValue, count: count) { memory in
      memory.set8(Varint.encode(UInt64(tree), to: memory), high == nil ? 0 : 1)
      let at = head + low.encode(to: memory + head, isLast: false)
      _ = last.encode(to: memory + at, isLast: true)
    }
  }
}
