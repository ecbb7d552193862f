public import RoostFile
import RoostPages
import RoostTrees

/// A place in a ``Tree``, to be moved through its keys in order.
///
/// ```swift
/// var cursor = try tree.cursor()
/// while try cursor.next() { print(try cursor.key().count) }
/// ```
///
/// Where a page cannot be read the move throws, and every further move throws it again, until the cursor is placed anew
/// with `first`, `last`, `seek` or `move`.
public struct Cursor: ~Copyable {
  var scoped: ScopedCursor<ByteCursor>

  /// Goes to the next entry, at first to the first one; false behind the last.
  public mutating func next() throws(StoreError) -> Bool { try scoped.go(.next) }

  /// Goes to the entry before, at first to the last one; false before the first.
  public mutating func previous() throws(StoreError) -> Bool { try scoped.go(.previous) }

  /// Goes to the first entry; false if the tree is empty.
  public mutating func first() throws(StoreError) -> Bool { try scoped.go(.first) }

  /// Goes to the last entry; false if the tree is empty.
  public mutating func last() throws(StoreError) -> Bool { try scoped.go(.last) }

  /// Goes to the first entry whose key is not below `key`; false if there is none.
  public mutating func seek(_ key: some Bytes) throws -> Bool {
    try key.withBytes { try scoped.go(.atLeast(ByteKey($0))) }
  }

  /// Goes to the last entry whose key is not above `key`; false if there is none.
  public mutating func seek(atMost key: some Bytes) throws -> Bool {
    try key.withBytes { try scoped.go(.atMost(ByteKey($0))) }
  }

  /// Goes to the entry that has `number` others before it, in the time of a look-up.
  public mutating func move(to number: Int) throws(StoreError) -> Bool { try scoped.go(.number(number)) }

  /// Whether the cursor stands on an entry.
  public var isAtEntry: Bool { scoped.isAtEntry }

  /// Calls `body` with the entry where it lies. The cursor must stand on one.
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
  public mutating func key() throws -> [UInt8] { try withEntry { key, _ in key.withUnsafeBytes { [UInt8]($0) } } }

  /// The entry's value, copied.
  public mutating func value() throws -> [UInt8] { try withEntry { _, value in value.withUnsafeBytes { [UInt8]($0) } } }

  mutating func isKey(atLeast bound: [UInt8]) throws -> Bool {
    try bound.withUnsafeBytes { try scoped.entry().key.compare(ByteKey($0)) >= 0 }
  }
}

/// A place in a ``Table``, to be moved through its keys in order.
public struct TableCursor: ~Copyable {
  var scoped: ScopedCursor<IntegerCursor>

  /// Goes to the next entry, at first to the first one; false behind the last.
  public mutating func next() throws(StoreError) -> Bool { try scoped.go(.next) }

  /// Goes to the entry before, at first to the last one; false before the first.
  public mutating func previous() throws(StoreError) -> Bool { try scoped.go(.previous) }

  /// Goes to the first entry; false if the table is empty.
  public mutating func first() throws(StoreError) -> Bool { try scoped.go(.first) }

  /// Goes to the last entry; false if the table is empty.
  public mutating func last() throws(StoreError) -> Bool { try scoped.go(.last) }

  /// Goes to the first entry whose key is not below `key`; false if there is none.
  public mutating func seek(_ key: UInt64) throws(StoreError) -> Bool { try scoped.go(.atLeast(key)) }

  /// Goes to the last entry whose key is not above `key`; false if there is none.
  public mutating func seek(atMost key: UInt64) throws(StoreError) -> Bool { try scoped.go(.atMost(key)) }

  /// Goes to the entry that has `number` others before it, in the time of a look-up.
  public mutating func move(to number: Int) throws(StoreError) -> Bool { try scoped.go(.number(number)) }

  /// Whether the cursor stands on an entry.
  public var isAtEntry: Bool { scoped.isAtEntry }

  /// The entry's key. The cursor must stand on one.
  public var key: UInt64 { get throws(StoreError) { try scoped.entry().key } }

  /// Calls `body` with the entry's value where it lies. The cursor must stand on one.
  @inlinable
  public func withValue<Result>(_ body: (RawSpan) throws -> Result) throws -> Result { try entry().value.read(body) }

  /// Calls `body` with the entry where it lies. The cursor must stand on one.
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
  public func value() throws -> [UInt8] { try withValue { $0.withUnsafeBytes { [UInt8]($0) } } }
}
