internal import RoostBytes
internal import RoostFile
internal import RoostRecords

/// A stretch of an index, as keys see it.
struct KeyRange: Hashable {
  private(set) var low: [UInt8] = []
  /// The first key that does not belong to it; nil stands for the end.
  private(set) var high: [UInt8]?

  /// The whole index.
  init() {}

  /// Everything that begins with these bytes.
  init(prefix: [UInt8]) {
    low = prefix
    high = Self.behind(prefix)
  }

  init(_ low: [UInt8], _ high: [UInt8]?) {
    self.low = low
    self.high = high
  }

  var isEmpty: Bool { high.map { !low.lexicographicallyPrecedes($0) } ?? false }

  /// The first key behind all that begin with these bytes; nil where there can be none.
  static func behind(_ prefix: [UInt8]) -> [UInt8]? {
    var next = prefix
    while let last = next.popLast() {
      if last < 255 { return next + [last + 1] }
    }
    return nil
  }

  /// How many entries it has, exactly.
  func count(in index: IndexReader) throws(StoreError) -> Int {
    if isEmpty { return 0 }
    return try Self.withBytes(low) { (low) throws(StoreError) in
      guard let high else { return try index.count(from: low, to: nil) }
      return try Self.withBytes(high) { (high) throws(StoreError) in try index.count(from: low, to: high) }
    }
  }

  /// Calls `body` with each entry's row, key and how many bytes of it are values, until it says false.
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

  private func seek(_ cursor: inout IndexCursor) throws(StoreError) -> Bool { try cursor.seek(low) }

  /// Whether the key stands behind this range.
  @inline(__always)
  func isBehind(_ key: UnsafeRawBufferPointer) -> Bool {
    guard let high else { return false }
    return !high.withUnsafeBytes { TextBytes.bytesAreLess(key, $0) }
  }

  /// Whether the key stands in front of this range.
  @inline(__always)
  func isBefore(_ key: UnsafeRawBufferPointer) -> Bool { low.withUnsafeBytes { TextBytes.bytesAreLess(key, $0) } }

  static func withBytes<Result>(
    _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let result = bytes.withUnsafeBytes { bytes -> Swift.Result<Result, StoreError> in
      do throws(StoreError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}

extension IndexCursor {
  mutating func seek(_ key: [UInt8]) throws(StoreError) -> Bool {
    // The key is copied on the way down, so the borrowed bytes need not outlive the call.
    let count = key.count
    let memory = UnsafeMutableRawPointer.allocate(byteCount: max(count, 1), alignment: 8)
    defer { memory.deallocate() }
    key.withUnsafeBytes { if let start = $0.baseAddress { memory.copyMemory(from: start, byteCount: count) } }
    return try seek(UnsafeRawBufferPointer(start: memory, count: count))
  }
}
