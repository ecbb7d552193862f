public import RoostFile
import RoostPages
import RoostTrees

/// An ordered map from bytes to bytes that a transaction can change.
public struct WritableTree {
  let writer: Writer
  let id: UInt32
  private let name: [UInt8]
  private let handedOut: ByteTreeDraft
  /// The age of the writer when the draft was looked up.
  private let age: Int

  init(_ opened: Forest.Opened, _ draft: ByteTreeDraft, of writer: Writer) {
    self.writer = writer
    id = opened.id
    name = opened.name
    handedOut = draft
    age = writer.age
  }

  /// The draft of the tree. The first one is stale after a rollback to a savepoint, or a drop.
  private var draft: ByteTreeDraft {
    get throws(StoreError) {
      if writer.age == age { return handedOut }
      guard case .bytes(let draft) = try writer.trunk(id, name) else { throw Writer.isGone }
      return draft
    }
  }

  @usableFromInline
  func beginBuilding(fill: Int) throws(StoreError) -> Building {
    try Building(writer, id, trunk: .bytes(draft), fill: fill)
  }

  private func now() throws(StoreError) -> Tree { Tree(tree: try draft.tree, scope: writer.scope) }

  /// The tree with all changes so far. It is stale after the next change. A tree that was dropped
  /// or rolled back is empty.
  public var reading: Tree {
    if let now = try? now() { return now }
    return Tree(tree: ByteTreeDraft(.empty, id: id, in: writer.transaction).tree, scope: writer.scope)
  }

  /// The number of keys, including the changes of the transaction.
  public var count: Int { reading.count }
  /// A copy of the key's value; nil if there is none. Includes the changes of the transaction.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   tree was dropped or rolled back, `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read, and `outOfMemory` if there is no memory for a large value.
  public func value(_ key: some Bytes) throws -> [UInt8]? { try now().value(key) }
  /// The value of a key as text; bytes that are not UTF-8 are replaced. Includes the changes of the
  /// transaction.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   tree was dropped or rolled back, `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read, and `outOfMemory` if there is no memory for a large value.
  public func string(_ key: some Bytes) throws -> String? { try now().string(key) }
  /// Whether a key has a value, including the changes of the transaction.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   tree was dropped or rolled back, `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read, and `outOfMemory` if there is no memory for a large value.
  public func contains(_ key: some Bytes) throws -> Bool { try now().contains(key) }

  /// Inserts the key with this value, or replaces its value. Returns true if the key is new.
  ///
  /// - Throws: `StoreError` with the code `keyTooLong` or `valueTooLarge`, `closed` if the
  ///   transaction has ended, `notFound` if the tree was dropped or rolled back, and `nestedWrite`
  ///   during ``build(from:fill:)``; then nothing is changed. `diskFull`, `ioError` or `damaged` if
  ///   pages or the log cannot be read or written; then the transaction cannot commit.
  @discardableResult
  @inlinable
  public func put(_ key: some Bytes, _ value: some Bytes) throws -> Bool {
    try key.withBytes { key in try value.withBytes { value in try put(bytes: key, value) } }
  }

  @usableFromInline
  func put(bytes key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    try writer.put(ByteKey(key), value, in: draft, id: id)
  }

  /// Removes the key. Returns false if it is not there.
  ///
  /// - Throws: `StoreError` with the code `keyTooLong` if the key is too long, `closed` if the
  ///   transaction has ended, `notFound` if the tree was dropped or rolled back, and `nestedWrite`
  ///   during ``build(from:fill:)``; then nothing is changed. `diskFull`, `ioError` or `damaged` if
  ///   pages or the log cannot be read or written; then the transaction cannot commit.
  @discardableResult
  public func remove(_ key: some Bytes) throws -> Bool {
    try key.withBytes { try writer.remove(ByteKey($0), in: draft, id: id) }
  }

  /// Removes all keys from `low` up to, but without, `high` (nil: to the end). Returns their
  /// number.
  ///
  /// - Throws: `StoreError` with the code `keyTooLong` if a bound is too long, `closed` if the
  ///   transaction has ended, `notFound` if the tree was dropped or rolled back, and `nestedWrite`
  ///   during ``build(from:fill:)``; then nothing is changed. `diskFull`, `ioError` or `damaged` if
  ///   pages or the log cannot be read or written; then the transaction cannot commit.
  @discardableResult
  public func removeAll(from low: [UInt8] = [], to high: [UInt8]? = nil) throws -> Int {
    try low.withUnsafeBytes { low in
      guard let high else { return try writer.removeRange(ByteKey(low), nil, in: draft, id: id) }
      return try high.withUnsafeBytes { try writer.removeRange(ByteKey(low), ByteKey($0), in: draft, id: id) }
    }
  }
}

/// An ordered map from 64-bit numbers to bytes that a transaction can change.
public struct WritableTable {
  let writer: Writer
  let id: UInt32
  private let name: [UInt8]
  private let handedOut: IntegerTreeDraft
  /// The age of the writer when the draft was looked up.
  private let age: Int

  init(_ opened: Forest.Opened, _ draft: IntegerTreeDraft, of writer: Writer) {
    self.writer = writer
    id = opened.id
    name = opened.name
    handedOut = draft
    age = writer.age
  }

  /// The draft of the table. The first one is stale after a rollback to a savepoint, or a drop.
  private var draft: IntegerTreeDraft {
    get throws(StoreError) {
      if writer.age == age { return handedOut }
      guard case .integers(let draft) = try writer.trunk(id, name) else { throw Writer.isGone }
      return draft
    }
  }

  @usableFromInline
  func beginBuilding(fill: Int) throws(StoreError) -> Building {
    try Building(writer, id, trunk: .integers(draft), fill: fill)
  }

  private func now() throws(StoreError) -> Table { Table(tree: try draft.tree, scope: writer.scope) }

  /// The table with all changes so far. It is stale after the next change. A table that was dropped
  /// or rolled back is empty.
  public var reading: Table {
    if let now = try? now() { return now }
    return Table(tree: IntegerTreeDraft(.empty, id: id, in: writer.transaction).tree, scope: writer.scope)
  }

  /// The number of keys, including the changes of the transaction.
  public var count: Int { reading.count }
  /// A copy of the key's value; nil if there is none. Includes the changes of the transaction.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   table was dropped or rolled back, `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read, and `outOfMemory` if there is no memory for a large value.
  public func value(_ key: UInt64) throws -> [UInt8]? { try now().value(key) }
  /// The value of a key as text; bytes that are not UTF-8 are replaced. Includes the changes of the
  /// transaction.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   table was dropped or rolled back, `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read, and `outOfMemory` if there is no memory for a large value.
  public func string(_ key: UInt64) throws -> String? { try now().string(key) }
  /// Whether a key has a value, including the changes of the transaction.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   table was dropped or rolled back, `damaged`, `truncated` or `ioError` if a page cannot be
  ///   read, and `outOfMemory` if there is no memory for a large value.
  public func contains(_ key: UInt64) throws -> Bool { try now().contains(key) }

  /// Inserts the key with this value, or replaces its value. Returns true if the key is new.
  ///
  /// - Throws: `StoreError` with the code `valueTooLarge`, `closed` if the transaction has ended,
  ///   `notFound` if the table was dropped or rolled back, and `nestedWrite` during
  ///   ``build(from:fill:)``; then nothing is changed. `diskFull`, `ioError` or `damaged` if pages
  ///   or the log cannot be read or written; then the transaction cannot commit.
  @discardableResult
  @inlinable
  public func put(_ key: UInt64, _ value: some Bytes) throws -> Bool {
    try value.withBytes { value in try put(bytes: value, at: key) }
  }

  @usableFromInline
  func put(bytes value: UnsafeRawBufferPointer, at key: UInt64) throws(StoreError) -> Bool {
    try writer.put(key, value, in: draft, id: id)
  }

  /// Removes the key. Returns false if it is not there.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   table was dropped or rolled back, and `nestedWrite` during ``build(from:fill:)``; then
  ///   nothing is changed. `diskFull`, `ioError` or `damaged` if pages or the log cannot be read or
  ///   written; then the transaction cannot commit.
  @discardableResult
  public func remove(_ key: UInt64) throws -> Bool { try writer.remove(key, in: draft, id: id) }

  /// Removes all keys from `low` up to, but without, `high` (nil: to the end). Returns their
  /// number.
  ///
  /// - Throws: `StoreError` with the code `closed` if the transaction has ended, `notFound` if the
  ///   table was dropped or rolled back, and `nestedWrite` during ``build(from:fill:)``; then
  ///   nothing is changed. `diskFull`, `ioError` or `damaged` if pages or the log cannot be read or
  ///   written; then the transaction cannot commit.
  @discardableResult
  public func removeAll(from low: UInt64 = 0, to high: UInt64? = nil) throws -> Int {
    try writer.removeRange(low, high, in: draft, id: id)
  }
}
