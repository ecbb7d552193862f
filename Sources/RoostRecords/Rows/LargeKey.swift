internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// The keys of the tree of large values: u64 row and u16 field, big-endian.
enum LargeKey {
  static func with(_ row: RowID, _ field: FieldID, body: (UnsafeRawBufferPointer) -> Void) {
    withUnsafeTemporaryAllocation(byteCount: 10, alignment: 8) { memory in
      memory.baseAddress!.set64(0, row.number.byteSwapped)
      memory.baseAddress!.set16(8, field.number.byteSwapped)
      body(UnsafeRawBufferPointer(memory))
    }
  }

  /// The row of a key; nil if it is not a key of this tree.
  static func row(_ key: [UInt8]) -> UInt64? {
    key.count == 10 ? key.withUnsafeBytes { $0.baseAddress!.u64(0).byteSwapped } : nil
  }

  static func read(_ row: RowID, _ field: FieldID, in tree: ByteTree) throws(StoreError) -> [UInt8] {
    var result: Result<[UInt8]?, StoreError> = .success(nil)
    with(row, field) { key in
      do throws(StoreError) { result = .success(try tree.value(of: ByteKey(key))) } catch { result = .failure(error) }
    }
    guard let found = try result.get() else {
      throw StoreError(.damaged, "the large value of field \(field.number) of row \(row.number) is missing")
    }
    return found
  }
}
