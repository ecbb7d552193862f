public import RoostFile
import RoostPages
import RoostTrees

/// An ordered map from 64-bit numbers to bytes in one snapshot.
public struct Table {
  let tree: IntegerTree
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
  public func value(_ key: UInt64) throws -> [UInt8]? {
    try withValue(key) { $0.withUnsafeBytes { [UInt8]($0) } }
  }

  /// The value of a key as text; bytes that are not UTF-8 are replaced.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if there is no memory
  ///   for a large value.
  @inlinable
  public func string(_ key: UInt64) throws -> String? {
    try withValue(key) { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
  }

  /// Whether a key has a value.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if there is no memory
  ///   for a large value.
  @inlinable
  public func contains(_ key: UInt64) throws -> Bool { try withValue(key) { _ in true } ?? false }

  /// Calls `body` with the value in place, without copying; nil if there is none.
  ///
  /// The closure must not change the store.
  ///
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the transaction has
  ///   ended, `damaged`, `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if
  ///   there is no memory for a large value.
  @inlinable
  public func withValue<Result>(_ key: UInt64, _ body: (RawSpan) throws -> Result) throws -> Result? {
    guard let found = try find(key) else { return nil }
    defer { if found.outside == nil { leave() } }
    return try found.read(body)
  }

  @usableFromInline
  func find(_ key: UInt64) throws(StoreError) -> FoundValue? {
    try scope.find(in: tree.view) { () throws(StoreError) in try tree.find(key) }
  }

  @usableFromInline func leave() { tree.view.slot.leave() }

  // MARK: Order

  /// The number of keys below `key`.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, and `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read.
  public func rank(of key: UInt64) throws(StoreError) -> Int {
    try scope.check()
    return Int(clamping: try tree.rank(of: key))
  }

  /// The number of keys in the range, in the time of two look-ups.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, and `damaged`,
  ///   `truncated` or `ioError` if a page cannot be read.
  public func count(in range: Range<UInt64>) throws(StoreError) -> Int {
    try scope.check()
    return Int(clamping: try tree.count(from: range.lowerBound, to: range.upperBound))
  }

  /// A cursor before the first entry.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended.
  public func cursor() throws(StoreError) -> TableCursor {
    try scope.check()
    return TableCursor(scoped: ScopedCursor(IntegerCursor(tree), scope))
  }

  /// Calls `body` for each entry from `low` on in order, until it returns false.
  ///
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the transaction has
  ///   ended, `damaged`, `truncated` or `ioError` if a page cannot be read, and `outOfMemory` if
  ///   there is no memory for a large value.
  public func forEach(from low: UInt64 = 0, _ body: (_ key: UInt64, _ value: RawSpan) throws -> Bool) throws {
    var cursor = try cursor()
    var isThere = try cursor.seek(low)
    while isThere {
      let (key, value) = try cursor.entry()
      let goesOn = try value.read { try body(key, $0) }
      if !goesOn { return }
      isThere = try cursor.next()
    }
  }
}
