public import RoostFile
import RoostPages
import RoostTrees

/// An ordered map from bytes to bytes, while a transaction changes it.
public struct WritableTree {
  private let writer: Writer
  private let id: UInt32
  private let draft: ByteTreeDraft

  init(_ writer: Writer, _ id: UInt32, draft: ByteTreeDraft) {
    self.writer = writer
    self.id = id
    self.draft = draft
  }

  @usableFromInline
  func beginBuilding(fill: Int) throws(StoreError) -> Building {
    try Building(writer, id, trunk: .bytes(draft), fill: fill)
  }

  /// The tree as it is now. It is stale after the next change.
  public var reading: Tree { Tree(draft.tree, writer.scope) }

  public var count: Int { reading.count }
  public func value(_ key: some Bytes) throws -> [UInt8]? { try reading.value(key) }
  public func string(_ key: some Bytes) throws -> String? { try reading.string(key) }
  public func contains(_ key: some Bytes) throws -> Bool { try reading.contains(key) }

  /// Gives the key this value, whether it is there or not; true if it was not.
  @discardableResult
  @inlinable
  public func put(_ key: some Bytes, _ value: some Bytes) throws -> Bool {
    try key.withBytes { key in try value.withBytes { value in try put(bytes: key, value) } }
  }

  @usableFromInline
  func put(bytes key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool {
    try writer.change { () throws(StoreError) in
      let transaction = writer.transaction
      let key = ByteKey(key)
      let put: Put
      if value.count >= ExtentList.namedFrom, transaction.canName {
        guard key.count <= Limits.keyBytes else {
          throw StoreError(.keyTooLong, "a key of \(key.count) bytes; at most \(Limits.keyBytes) are possible")
        }
        let list = try transaction.writeExtents(value)
        put = try draft.put(key, extents: list)
        try Replay.recordPut(transaction, id, key: key, extents: list)
      } else {
        put = try draft.put(key, value)
        try Replay.recordPut(transaction, id, key: key, value: value)
      }
      try transaction.relieve()
      return put == .inserted
    }
  }

  /// Removes the key; false if it is not there.
  @discardableResult
  public func remove(_ key: some Bytes) throws -> Bool {
    try key.withBytes { key in
      try writer.change { () throws(StoreError) in
        guard try draft.remove(ByteKey(key)) else { return false }
        try Replay.recordRemove(writer.transaction, id, key: ByteKey(key))
        try writer.transaction.relieve()
        return true
      }
    }
  }

  /// Removes all keys from `low` up to and without `high` (nil: to the end); returns how many there were.
  @discardableResult
  public func removeAll(from low: [UInt8] = [], to high: [UInt8]? = nil) throws -> Int {
    try low.withUnsafeBytes { low in
      try writer.change { () throws(StoreError) in
        let removed: UInt64
        if let high {
          removed = try ByteKey.borrowing(high) { (high) throws(StoreError) in
            try draft.removeRange(ByteKey(low), high)
          }
        } else {
          removed = try draft.removeRange(ByteKey(low), nil)
        }
        try Replay.recordRemoveRange(writer.transaction, id, low: ByteKey(low), high: high)
        return Int(clamping: removed)
      }
    }
  }
}

/// An ordered map from 64-bit numbers to bytes, while a transaction changes it.
public struct WritableTable {
  private let writer: Writer
  private let id: UInt32
  private let draft: IntegerTreeDraft

  init(_ writer: Writer, _ id: UInt32, draft: IntegerTreeDraft) {
    self.writer = writer
    self.id = id
    self.draft = draft
  }

  @usableFromInline
  func beginBuilding(fill: Int) throws(StoreError) -> Building {
    try Building(writer, id, trunk: .integers(draft), fill: fill)
  }

  /// The table as it is now. It is stale after the next change.
  public var reading: Table { Table(draft.tree, writer.scope) }

  public var count: Int { reading.count }
  public func value(_ key: UInt64) throws -> [UInt8]? { try reading.value(key) }
  public func string(_ key: UInt64) throws -> String? { try reading.string(key) }
  public func contains(_ key: UInt64) throws -> Bool { try reading.contains(key) }

  /// Gives the key this value, whether it is there or not; true if it was not.
  @discardableResult
  @inlinable
  public func put(_ key: UInt64, _ value: some Bytes) throws -> Bool {
    try value.withBytes { value in try put(bytes: value, at: key) }
  }

  @usableFromInline
  func put(bytes value: UnsafeRawBufferPointer, at key: UInt64) throws(StoreError) -> Bool {
    try writer.change { () throws(StoreError) in
      let transaction = writer.transaction
      let put: Put
      if value.count >= ExtentList.namedFrom, transaction.canName {
        let list = try transaction.writeExtents(value)
        put = try draft.put(key, extents: list)
        try Replay.recordPut(transaction, id, key: key, extents: list)
      } else {
        put = try draft.put(key, value)
        try Replay.recordPut(transaction, id, key: key, value: value)
      }
      try transaction.relieve()
      return put == .inserted
    }
  }

  /// Removes the key; false if it is not there.
  @discardableResult
  public func remove(_ key: UInt64) throws -> Bool {
    try writer.change { () throws(StoreError) in
      guard try draft.remove(key) else { return false }
      try Replay.recordRemove(writer.transaction, id, key: key)
      try writer.transaction.relieve()
      return true
    }
  }

  /// Removes all keys from `low` up to and without `high` (nil: to the end); returns how many there were.
  @discardableResult
  public func removeAll(from low: UInt64 = 0, to high: UInt64? = nil) throws -> Int {
    try writer.change { () throws(StoreError) in
      let removed = try draft.removeRange(low, high)
      try Replay.recordRemoveRange(writer.transaction, id, low: low, high: high)
      return Int(clamping: removed)
    }
  }
}
