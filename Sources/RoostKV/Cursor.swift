public import RoostFile
import RoostPages
import RoostTrees

/// A position in a ``Tree``, which moves through the keys in order.
///
/// ```swift
/// var cursor = try tree.cursor()
/// while try cursor.next() { print(try cursor.key().count) }
/// ```
///
/// If a page cannot be read, the move throws. Every further move throws the same error, until
/// `first`, `last`, `seek` or `move` positions the cursor again.
public struct Cursor: ~Copyable {
  var scoped: ScopedCursor<ByteCursor>

  /// Moves to the next entry, or from the start to the first one. Returns false after the last one.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func next() throws(StoreError) -> Bool { try scoped.go(.next) }

  /// Moves to the previous entry, or from the start to the last one. Returns false before the first
  /// one.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func previous() throws(StoreError) -> Bool { try scoped.go(.previous) }

  /// Moves to the first entry. Returns false if the tree is empty.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func first() throws(StoreError) -> Bool { try scoped.go(.first) }

  /// Moves to the last entry. Returns false if the tree is empty.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func last() throws(StoreError) -> Bool { try scoped.go(.last) }

  /// Moves to the first entry whose key is not below `key`. Returns false if there is none.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func seek(_ key: some Bytes) throws -> Bool {
    try key.withBytes { try scoped.go(.atLeast(ByteKey($0))) }
  }

  /// Moves to the last entry whose key is not above `key`. Returns false if there is none.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func seek(atMost key: some Bytes) throws -> Bool {
    try key.withBytes { try scoped.go(.atMost(ByteKey($0))) }
  }

  /// Moves to the entry with this index, counted from 0, in the time of a look-up.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func move(to number: Int) throws(StoreError) -> Bool { try scoped.go(.number(number)) }

  /// Whether the cursor is at an entry.
  public var isAtEntry: Bool { scoped.isAtEntry }

  /// Calls `body` with the entry in place, without copying. The cursor must be at an entry.
  ///
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the transaction has
  ///   ended or the tree was changed since the cursor began, and `notFound` if the cursor is at no
  ///   entry. If the value is large, `damaged`, `truncated` or `ioError` if it cannot be read, and
  ///   `outOfMemory` if there is no memory for it.
  @inlinable
  public mutating func withEntry<Result>(
    _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Result
  ) throws -> Result {
    let (key, value) = try entry()
    return try value.read { try body(RawSpan(_unsafeBytes: key), $0) }
  }

  @usableFromInline
  mutating func entry() throws(StoreError) -> (key: UnsafeRawBufferPointer, value: FoundValue) {
    let (key, value) = try scoped.entry()
    return (key.bytes, try FoundValue(value, scoped.cursor.view))
  }

  /// The entry's key, copied.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `notFound` if the cursor is at no entry. If the value is
  ///   large, `damaged`, `truncated` or `ioError` if it cannot be read, and `outOfMemory` if there
  ///   is no memory for it.
  public mutating func key() throws -> [UInt8] { try withEntry { key, _ in key.withUnsafeBytes { [UInt8]($0) } } }

  /// The entry's value, copied.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the tree was
  ///   changed since the cursor began, and `notFound` if the cursor is at no entry. If the value is
  ///   large, `damaged`, `truncated` or `ioError` if it cannot be read, and `outOfMemory` if there
  ///   is no memory for it.
  public mutating func value() throws -> [UInt8] { try withEntry { _, value in value.withUnsafeBytes { [UInt8]($0) } } }

  mutating func isKey(atLeast bound: [UInt8]) throws -> Bool {
    try bound.withUnsafeBytes { try scoped.entry().key.compare(ByteKey($0)) >= 0 }
  }
}

/// A position in a ``Table``, which moves through the keys in order.
public struct TableCursor: ~Copyable {
  var scoped: ScopedCursor<IntegerCursor>

  /// Moves to the next entry, or from the start to the first one. Returns false after the last one.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func next() throws(StoreError) -> Bool { try scoped.go(.next) }

  /// Moves to the previous entry, or from the start to the last one. Returns false before the first
  /// one.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func previous() throws(StoreError) -> Bool { try scoped.go(.previous) }

  /// Moves to the first entry. Returns false if the table is empty.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func first() throws(StoreError) -> Bool { try scoped.go(.first) }

  /// Moves to the last entry. Returns false if the table is empty.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func last() throws(StoreError) -> Bool { try scoped.go(.last) }

  /// Moves to the first entry whose key is not below `key`. Returns false if there is none.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func seek(_ key: UInt64) throws(StoreError) -> Bool { try scoped.go(.atLeast(key)) }

  /// Moves to the last entry whose key is not above `key`. Returns false if there is none.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func seek(atMost key: UInt64) throws(StoreError) -> Bool { try scoped.go(.atMost(key)) }

  /// Moves to the entry with this index, counted from 0, in the time of a look-up.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read.
  public mutating func move(to number: Int) throws(StoreError) -> Bool { try scoped.go(.number(number)) }

  /// Whether the cursor is at an entry.
  public var isAtEntry: Bool { scoped.isAtEntry }

  /// The entry's key. The cursor must be at an entry.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `notFound` if the cursor is at no entry.
  public var key: UInt64 { get throws(StoreError) { try scoped.entry().key } }

  /// Calls `body` with the entry's value in place, without copying. The cursor must be at an entry.
  ///
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the transaction has
  ///   ended or the table was changed since the cursor began, and `notFound` if the cursor is at no
  ///   entry. If the value is large, `damaged`, `truncated` or `ioError` if it cannot be read, and
  ///   `outOfMemory` if there is no memory for it.
  @inlinable
  public func withValue<Result>(_ body: (RawSpan) throws -> Result) throws -> Result { try entry().value.read(body) }

  /// Calls `body` with the entry in place, without copying. The cursor must be at an entry.
  ///
  /// - Throws: the error of the closure. `StoreError` with the code `closed` if the transaction has
  ///   ended or the table was changed since the cursor began, and `notFound` if the cursor is at no
  ///   entry. If the value is large, `damaged`, `truncated` or `ioError` if it cannot be read, and
  ///   `outOfMemory` if there is no memory for it.
  @inlinable
  public func withEntry<Result>(_ body: (_ key: UInt64, _ value: RawSpan) throws -> Result) throws -> Result {
    let (key, value) = try entry()
    return try value.read { try body(key, $0) }
  }

  @usableFromInline
  func entry() throws(StoreError) -> (key: UInt64, value: FoundValue) {
    let (key, value) = try scoped.entry()
    return (key, try FoundValue(value, scoped.cursor.view))
  }

  /// The entry's value, copied.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended or the table was
  ///   changed since the cursor began, and `notFound` if the cursor is at no entry. If the value is
  ///   large, `damaged`, `truncated` or `ioError` if it cannot be read, and `outOfMemory` if there
  ///   is no memory for it.
  public func value() throws -> [UInt8] { try withValue { $0.withUnsafeBytes { [UInt8]($0) } } }
}
