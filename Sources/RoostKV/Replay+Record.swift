import RoostBytes
import RoostFile
import RoostPages
import RoostTrees

/// Writing the pieces that ``Replay`` reads.
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

  // MARK: Keys of bytes

  @inline(__always)
  static func recordPut(
    _ transaction: WriteTransaction, _ tree: UInt32, key: ByteKey, value: UnsafeRawBufferPointer
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree)) + Varint.byteCount(UInt64(key.count))
    try transaction.record(Kind.put.rawValue, count: head + key.count + value.count) { memory in
      var at = Varint.encode(UInt64(tree), to: memory)
      at += Varint.encode(UInt64(key.count), to: memory + at)
      (memory + at).copyMemory(from: key.start, byteCount: key.count)
      at += key.count
      if let start = value.baseAddress { (memory + at).copyMemory(from: start, byteCount: value.count) }
    }
  }

  static func recordPut(
    _ transaction: WriteTransaction, _ tree: UInt32, key: ByteKey, extents list: ExtentList
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree)) + Varint.byteCount(UInt64(key.count))
    try transaction.record(Kind.putExtents.rawValue, count: head + key.count + list.encodedCount) { memory in
      var at = Varint.encode(UInt64(tree), to: memory)
      at += Varint.encode(UInt64(key.count), to: memory + at)
      (memory + at).copyMemory(from: key.start, byteCount: key.count)
      list.encode(into: memory + at + key.count)
    }
  }

  @inline(__always)
  static func recordRemove(_ transaction: WriteTransaction, _ tree: UInt32, key: ByteKey) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree))
    try transaction.record(Kind.remove.rawValue, count: head + key.count) { memory in
      let at = Varint.encode(UInt64(tree), to: memory)
      (memory + at).copyMemory(from: key.start, byteCount: key.count)
    }
  }

  static func recordRemoveRange(
    _ transaction: WriteTransaction, _ tree: UInt32, low: ByteKey, high: [UInt8]?
  ) throws(StoreError) {
    var piece: [UInt8] = []
    append(UInt64(tree), to: &piece)
    piece.append(high == nil ? 0 : 1)
    append(UInt64(low.count), to: &piece)
    piece.append(contentsOf: low.bytes)
    piece.append(contentsOf: high ?? [])
    try transaction.record(Kind.removeRange.rawValue, count: piece.count) {
      $0.copyMemory(from: piece, byteCount: piece.count)
    }
  }

  // MARK: Numbers

  @inline(__always)
  static func recordPut(
    _ transaction: WriteTransaction, _ tree: UInt32, key: UInt64, value: UnsafeRawBufferPointer
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree))
    try transaction.record(Kind.putNumber.rawValue, count: head + 8 + value.count) { memory in
      let at = Varint.encode(UInt64(tree), to: memory)
      memory.set64(at, key)
      if let start = value.baseAddress { (memory + at + 8).copyMemory(from: start, byteCount: value.count) }
    }
  }

  static func recordPut(
    _ transaction: WriteTransaction, _ tree: UInt32, key: UInt64, extents list: ExtentList
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree))
    try transaction.record(Kind.putNumberExtents.rawValue, count: head + 8 + list.encodedCount) { memory in
      let at = Varint.encode(UInt64(tree), to: memory)
      memory.set64(at, key)
      list.encode(into: memory + at + 8)
    }
  }

  static func recordRemove(_ transaction: WriteTransaction, _ tree: UInt32, key: UInt64) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree))
    try transaction.record(Kind.removeNumber.rawValue, count: head + 8) { memory in
      memory.set64(Varint.encode(UInt64(tree), to: memory), key)
    }
  }

  static func recordRemoveRange(
    _ transaction: WriteTransaction, _ tree: UInt32, low: UInt64, high: UInt64?
  ) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree))
    try transaction.record(Kind.removeNumbers.rawValue, count: head + 17) { memory in
      let at = Varint.encode(UInt64(tree), to: memory)
      memory.set8(at, high == nil ? 0 : 1)
      memory.set64(at + 1, low)
      memory.set64(at + 9, high ?? 0)
    }
  }
}
