public import RoostFile
import RoostPages
import RoostTrees

/// A place in a ``Tree``, to be moved through its keys in order.
///
/// ```swift
/// var cursor = try tree.cursor()
/// while try cursor.next() { print(cursor.key.byteCount) }
/// ```
///
/// Where a page cannot be read the move throws, and every further move throws it again, until the cursor is placed anew
/// with `first`, `last`, `seek` or `move`.
public struct Cursor: ~Copyable {
  private var cursor: ByteCursor
  private let scope: Scope
  private let generation: Int
  private var hasBegun = false
  /// Declared behind the cursor, so that it is destroyed after it.
  private let stay: CursorStay

  init(_ cursor: consuming ByteCursor, _ scope: Scope) {
    self.cursor = cursor
    self.scope = scope
    stay = CursorStay(scope)
    generation = scope.generation
  }

  private func check() throws(StoreError) {
    try scope.check()
    if scope.generation != generation { throw scope.stale }
  }

  /// Goes to the next entry, at first to the first one; false behind the last.
  public mutating func next() throws(StoreError) -> Bool {
    try check()
    if hasBegun { return try cursor.next() }
    return try begin(atFirst: true)
  }

  /// Goes to the entry before, at first to the last one; false before the first.
  public mutating func previous() throws(StoreError) -> Bool {
    try check()
    if hasBegun { return try cursor.previous() }
    return try begin(atFirst: false)
  }

  private mutating func begin(atFirst: Bool) throws(StoreError) -> Bool { atFirst ? try first() : try last() }

  public mutating func first() throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.first()
  }

  public mutating func last() throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.last()
  }

  /// Goes to the first entry whose key is not below `key`; false if there is none.
  public mutating func seek(_ key: some Bytes) throws -> Bool {
    try check()
    hasBegun = true
    return try key.withBytes { try cursor.seek(ByteKey($0)) }
  }

  /// Goes to the last entry whose key is not above `key`; false if there is none.
  public mutating func seek(atMost key: some Bytes) throws -> Bool {
    try check()
    hasBegun = true
    return try key.withBytes { try cursor.seek(atMost: ByteKey($0)) }
  }

  /// Goes to the entry that has `number` others before it, in the time of a look-up.
  public mutating func move(to number: Int) throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.move(to: UInt64(clamping: number))
  }

  /// Whether the cursor stands on an entry.
  public var isAtEntry: Bool { cursor.isAtEntry && scope.isOpen && scope.generation == generation }

  /// Calls `body` with the entry where it lies. The cursor must stand on one.
  @inlinable
  public mutating func withEntry<Result>(
    _ body: (_ key: RawSpan, _ value: RawSpan) throws -> Result
  ) throws -> Result {
    let (key, value) = try entry()
    if let outside = value.outside { return try body(RawSpan(_unsafeBytes: key), outside.span.bytes) }
    return try body(RawSpan(_unsafeBytes: key), RawSpan(_unsafeBytes: value.bytes))
  }

  @usableFromInline
  mutating func entry() throws(StoreError) -> (key: UnsafeRawBufferPointer, value: Tree.Found) {
    try check()
    guard let (key, value) = cursor.entry() else { throw scope.nowhere }
    if !value.isExtents { return (key.bytes, Tree.Found(bytes: value.bytes, outside: nil)) }
    return (key.bytes, Tree.Found(bytes: value.bytes, outside: try value.load(cursor.view)))
  }

  /// The entry's key, copied.
  public mutating func key() throws -> [UInt8] { try withEntry { key, _ in key.withUnsafeBytes { [UInt8]($0) } } }

  /// The entry's value, copied.
  public mutating func value() throws -> [UInt8] { try withEntry { _, value in value.withUnsafeBytes { [UInt8]($0) } } }

  mutating func isKey(atLeast bound: [UInt8]) throws -> Bool {
    bound.withUnsafeBytes { cursor.key.compare(ByteKey($0)) >= 0 }
  }
}

/// A place in a ``Table``, to be moved through its keys in order.
public struct TableCursor: ~Copyable {
  private var cursor: IntegerCursor
  private let scope: Scope
  private let generation: Int
  private var hasBegun = false
  /// Declared behind the cursor, so that it is destroyed after it.
  private let stay: CursorStay

  init(_ cursor: consuming IntegerCursor, _ scope: Scope) {
    self.cursor = cursor
    self.scope = scope
    stay = CursorStay(scope)
    generation = scope.generation
  }

  private func check() throws(StoreError) {
    try scope.check()
    if scope.generation != generation { throw scope.stale }
  }

  /// Goes to the next entry, at first to the first one; false behind the last.
  public mutating func next() throws(StoreError) -> Bool {
    try check()
    if hasBegun { return try cursor.next() }
    return try first()
  }

  /// Goes to the entry before, at first to the last one; false before the first.
  public mutating func previous() throws(StoreError) -> Bool {
    try check()
    if hasBegun { return try cursor.previous() }
    return try last()
  }

  public mutating func first() throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.first()
  }

  public mutating func last() throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.last()
  }

  /// Goes to the first entry whose key is not below `key`; false if there is none.
  public mutating func seek(_ key: UInt64) throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.seek(key)
  }

  /// Goes to the last entry whose key is not above `key`; false if there is none.
  public mutating func seek(atMost key: UInt64) throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.seek(atMost: key)
  }

  /// Goes to the entry that has `number` others before it, in the time of a look-up.
  public mutating func move(to number: Int) throws(StoreError) -> Bool {
    try check()
    hasBegun = true
    return try cursor.move(to: UInt64(clamping: number))
  }

  /// Whether the cursor stands on an entry.
  public var isAtEntry: Bool { cursor.isAtEntry && scope.isOpen && scope.generation == generation }

  /// The entry's key. The cursor must stand on one.
  public var key: UInt64 {
    get throws(StoreError) {
      try check()
      if !cursor.isAtEntry { throw scope.nowhere }
      return cursor.key
    }
  }

  /// Calls `body` with the entry's value where it lies. The cursor must stand on one.
  @inlinable
  public func withValue<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
    let (_, value) = try entry()
    if let outside = value.outside { return try body(outside.span.bytes) }
    return try body(RawSpan(_unsafeBytes: value.bytes))
  }

  /// Calls `body` with the entry where it lies. The cursor must stand on one.
  @inlinable
  public func withEntry<Result>(_ body: (_ key: UInt64, _ value: RawSpan) throws -> Result) throws -> Result {
    let (key, value) = try entry()
    if let outside = value.outside { return try body(key, outside.span.bytes) }
    return try body(key, RawSpan(_unsafeBytes: value.bytes))
  }

  @usableFromInline
  func entry() throws(StoreError) -> (key: UInt64, value: Tree.Found) {
    try check()
    guard let (key, value) = cursor.entry() else { throw scope.nowhere }
    if !value.isExtents { return (key, Tree.Found(bytes: value.bytes, outside: nil)) }
    return (key, Tree.Found(bytes: value.bytes, outside: try value.load(cursor.view)))
  }

  /// The entry's value, copied.
  public func value() throws -> [UInt8] { try withValue { $0.withUnsafeBytes { [UInt8]($0) } } }
}

/// Keeps a transaction's slot until its last cursor is gone, should one outlive the transaction.
@usableFromInline struct CursorStay: ~Copyable {
  let scope: Scope

  init(_ scope: Scope) {
    self.scope = scope
    scope.cursors += 1
  }

  deinit { scope.cursorEnded() }
}
