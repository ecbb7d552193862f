internal import RoostBytes
internal import RoostFile
internal import RoostRecords

/// A range of an index's keys.
struct KeyRange: Hashable {
  private(set) var low = KeyBytes()
  /// The first key after the range; nil means that it has no upper end.
  private(set) var high: KeyBytes?

  /// The whole index.
  init() {}

  /// All keys that begin with these bytes.
  init(prefix: KeyBytes) {
    low = prefix
    high = prefix.behind
  }

  init(_ low: KeyBytes, _ high: KeyBytes?) {
    self.low = low
    self.high = high
  }

  var isEmpty: Bool { high.map { !(low < $0) } ?? false }

  /// The exact number of its entries.
  func count(in index: IndexReader) throws(StoreError) -> Int {
    if isEmpty { return 0 }
    return try low.withBytes { (low) throws(StoreError) in
      guard let high else { return try index.count(from: low, to: nil) }
      return try high.withBytes { (high) throws(StoreError) in try index.count(from: low, to: high) }
    }
  }

  /// Calls `body` with each entry's row, key and the number of key bytes that are values, until it
  /// returns false.
  func forEach(
    in index: IndexReader, _ body: (RowID, UnsafeRawBufferPointer, Int) throws -> Bool
  ) throws {
    if isEmpty { return }
    var cursor = try index.cursor()
    var isThere = try seek(&cursor)
    while isThere {
      let (row, key, valueBytes) = try cursor.entry()
      if isBehind(key) { return }
      guard try body(row, key, valueBytes) else { return }
      isThere = try cursor.next()
    }
  }

  private func seek(_ cursor: inout IndexCursor) throws(StoreError) -> Bool {
    // The key is copied so that the cursor is not accessed while it is borrowed.
    var key = ByteBuffer(capacity: low.count)
    try low.withBytes { (low) throws(StoreError) in key.append(contentsOf: low) }
    return try cursor.seek(key.bytes)
  }

  /// Whether the key sorts after this range.
  @inline(__always)
  func isBehind(_ key: UnsafeRawBufferPointer) -> Bool {
    guard let high else { return false }
    return !high.isAbove(key)
  }
}
