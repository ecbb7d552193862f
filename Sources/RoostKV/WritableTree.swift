public import RoostFile
import RoostPages
import RoostTrees

/// An ordered map from bytes to bytes, while a transaction changes it.
public struct WritableTree {
  let writer: Writer
  let id: UInt32
  private let name: [UInt8]
  private let handedOut: ByteTreeDraft
  /// The age of the writer when the draft was handed out.
  private let age: Int

  init(_ opened: Forest.Opened, _ draft: ByteTreeDraft, of writer: Writer) {
    self.writer = writer
    id = opened.id
    name = opened.name
    handedOut = draft
    age = writer.age
  }

  /// The draft that changes go to. The one that was handed out is stale after a rollback to a savepoint, or a drop.
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

  /// The tree as it is now. It is stale after the next change. A tree that was dropped or undone is empty.
  public var reading: Tree {
    if let now = try? now() { return now }
    return Tree(tree: ByteTreeDraft(.empty, id: id, in: writer.transaction).tree, scope: writer.scope)
  }

  /// How many keys there are, with the changes of the transaction.
  public var count: Int { reading.count }
  /// The value of a key, copied; nil if there is none. The changes of the transaction count.
  public func value(_ key: some Bytes) throws -> [UInt8]? { try now().value(key) }
  /// The value of a key as text; bytes that are not UTF-8 are replaced. The changes of the transaction count.
  public func string(_ key: some Bytes) throws -> String? { try now().string(key) }
  /// Whether a key has a value, with the changes of the transaction.
  public func contains(_ key: some Bytes) throws -> Bool { try now().contains(key) }

  /// Gives the key this value, whether it is there or not; true if it was not.
  ///
  /// - Throws: `StoreError` with the code `keyTooLong` or `valueTooLarge`; then nothing is changed.
  @discardableResult
  @inlinable
  public func put(_ key: some Bytes, _ value: some Bytes) throws -> Bool {
    try key.withBytes { key in try value.withBytes { value in try put(bytes: key, value) } }
  }

  @usableFromInline
  func put(bytes key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    try writer.put(ByteKey(key), value, in: draft, id: id)
  }

  /// Removes the key; false if it is not there.
  @discardableResult
  public func remove(_ key: some Bytes) throws -> Bool {
    try key.withBytes { try writer.remove(ByteKey($0), in: draft, id: id) }
  }

  /// Removes all keys from `low` up to and without `high` (nil: to the end); returns how many there were.
  @discardableResult
  public func removeAll(from low: [UInt8] = [], to high: [UInt8]? = nil) throws -> Int {
    try low.withUnsafeBytes { low in
      guard let high else { return try writer.removeRange(ByteKey(low), nil, in: draft, id: id) }
      return try high.withUnsafeBytes { try writer.removeRange(ByteKey(low), ByteKey($0), in: draft, id: id) }
    }
  }
}

/// An ordered map from 64-bit numbers to bytes, while a transaction changes it.
public struct WritableTable {
  let writer: Writer
  let id: UInt32
  private let name: [UInt8]
  private let handedOut: IntegerTreeDraft
  /// The age of the writer when the draft was handed out.
  private let age: Int

  init(_ opened: Forest.Opened, _ draft: IntegerTreeDraft, of writer: Writer) {
    self.writer = writer
    id = opened.id
    name = opened.name
    handedOut = draft
    age = writer.age
  }

  /// The draft that changes go to. The one that was handed out is stale after a rollback to a savepoint, or a drop.
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

  /// The table as it is now. It is stale after the next change. A table that was dropped or undone is empty.
  public var reading: Table {
    if let now = try? now() { return now }
    return Table(tree: IntegerTreeDraft(.empty, id: id, in: writer.transaction).tree, scope: writer.scope)
  }

  /// How many keys there are, with the changes of the transaction.
  public var count: Int { reading.count }
  /// The value of a key, copied; nil if there is none. The changes of the transaction count.
  public func value(_ key: UInt64) throws -> [UInt8]? { try now().value(key) }
  /// The value of a key as text; bytes that are not UTF-8 are replaced. The changes of the transaction count.
  public func string(_ key: UInt64) throws -> String? { try now().string(key) }
  /// Whether a key has a value, with the changes of the transaction.
  public func contains(_ key: UInt64) throws -> Bool { try now().contains(key) }

  /// Gives the key this value, whether it is there or not; true if it was not.
  ///
  /// - Throws: `StoreError` with the code `valueTooLarge`; then nothing is changed.
  @discardableResult
  @inlinable
  public func put(_ key: UInt64, _ value: some Bytes) throws -> Bool {
    try value.withBytes { value in try put(bytes: value, at: key) }
  }

  @usableFromInline
  func put(bytes value: UnsafeRawBufferPointer, at key: UInt64) throws(StoreError) -> Bool {
    try writer.put(key, value, in: draft, id: id)
  }

  /// Removes the key; false if it is not there.
  @discardableResult
  public func remove(_ key: UInt64) throws -> Bool { try writer.remove(key, in: draft, id: id) }

  /// Removes all keys from `low` up to and without `high` (nil: to the end); returns how many there were.
  @discardableResult
  public func removeAll(from low: UInt64 = 0, to high: UInt64? = nil) throws -> Int {
    try writer.removeRange(low, high, in: draft, id: id)
  }
}
