internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// A key of the tree of large values: u64 row and u16 field, big-endian. From the second piece of a value on, u8 piece
/// (1, 2 or 3) follows.
struct LargeKey: Equatable {
  static let byteCount = 10

  let row: RowID
  let field: FieldID
  let piece: Int

  /// Nil if the bytes are no such key.
  init?(_ key: [UInt8]) {
    guard key.count == Self.byteCount || key.count == Self.byteCount + 1 else { return nil }
    row = RowID(key[..<8].reduce(0) { $0 << 8 | UInt64($1) })
    field = FieldID(key[8..<10].reduce(0) { $0 << 8 | UInt16($1) })
    piece = key.count == Self.byteCount ? 0 : Int(key[Self.byteCount])
    if key.count > Self.byteCount, piece == 0 || piece >= LargeValue.mostPieces { return nil }
  }

  static func with<Result>(
    _ row: RowID, _ field: FieldID, piece: Int = 0, body: (ByteKey) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let count = byteCount + (piece > 0 ? 1 : 0)
    return try withUnsafeTemporaryAllocation(byteCount: byteCount + 1, alignment: 8) {
      memory throws(StoreError) -> Result in
      memory.baseAddress!.set64(0, row.number.byteSwapped)
      memory.baseAddress!.set16(8, field.number.byteSwapped)
      memory.baseAddress!.set8(byteCount, UInt8(truncatingIfNeeded: piece))
      return try body(ByteKey(UnsafeRawBufferPointer(rebasing: memory[..<count])))
    }
  }
}
