public import RoostFile
import RoostPages
import RoostTrees

/// An ordered map from bytes to bytes in one snapshot.
public struct Tree {
  let tree: ByteTree
  let scope: Scope

  /// The number of keys.
  public var count: Int { Int(clamping: tree.root.count) }
  /// Whether there are no keys.
  public var isEmpty: Bool { tree.root.isEmpty || tree.root.count == 0 }

  /// A copy of the key's value; nil if there is none.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if there is no memory
  ///   for a large value.
  @inlinable
  public func value(_ key: some Bytes) throws -> [UInt8]? {
    try withValue(key) { $0.withUnsafeBytes { [UInt8]($0) } }
  }

  /// The value of a key as text; bytes that are not UTF-8 are replaced.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if there is no memory
  ///   for a large value.
  @inlinable
  public func string(_ key: some Bytes) throws -> String? {
    try withValue(key) { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
  }

  /// Whether a key has a value. Keys that are longer than the limit have none.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if there is no memory
  ///   for a large value.
  @inlinable
  public func contains(_ key: some Bytes) throws -> Bool { try withValue(key) { _ in true } ?? false }

  /// Calls `body` with the value in place, without copying; nil if there is none.
  ///
  /// The closure must not change the store.
  ///
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the transaction has
  ///   ended, `damaged`, `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if
  ///   there is no memory for a large value.
  @inlinable
  public func withValue<Result>(_ key: some Bytes, _ body: (RawSpan) throws -> Result) throws -> Result? {
    try key.withBytes { key in
      guard let found = try find(key) else { return nil }
      defer { if found.outside == nil { leave() } }
      return try found.read(body)
    }
  }

  @usableFromInline
  func find(_ key: UnsafeRawBufferPointer) throws(StoreError) -> FoundValue? {
    try scope.find(in: tree.view) { () throws(StoreError) in
      key.count > Limits.keyBytes ? nil : try tree.find(ByteKey(key))
    }
  }

  @usableFromInline func leave() { tree.view.slot.leave() }

  // MARK: Order

  /// The number of keys below `key`.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, and `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read.
  public func rank(of key: some Bytes) throws -> Int {
    try scope.check()
    return try key.withBytes { Int(clamping: try tree.rank(of: ByteKey($0))) }
  }

  /// The number of keys from `low` up to, but without, `high`, in the time of two look-ups.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, and `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read.
  public func count(from low: some Bytes, to high: some Bytes) throws -> Int {
    max(0, try rank(of: high) - rank(of: low))
  }

  /// A cursor before the first entry.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended.
  public func cursor() throws -> Cursor {
    try scope.check()
    return Cursor(scoped: ScopedCursor(ByteCursor(tree), scope))
  }

  /// Calls `body` for each entry in order, from `low` (nil: the first) up to, but without, `high`
  /// (nil: to the end), until it returns false.
  ///
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the transaction has
  ///   ended, `damaged`, `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if
  ///   there is no memory for a large value.
  public func forEach(
    from low: [UInt8]? = nil, to high: [UInt8]? = nil, _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Bool
  ) throws {
    var cursor = try cursor()
    var isThere = if let low { try cursor.seek(low) } else { try cursor.first() }
    while isThere {
      if let high, try cursor.isKey(atLeast: high) { return }
      let goesOn = try cursor.withEntry { try body($0, $1) }
      if !goesOn { return }
      isThere = try cursor.next()
    }
  }
}
