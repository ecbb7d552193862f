internal import RoostBytes
package import RoostFile
package import RoostPages

/// A tree with byte keys that a transaction changes. Copies share it.
package struct ByteTreeDraft {
  let draft: Draft<ByteForm>

  /// - Parameter extents: the number of entries whose values are in extents.
  package init(_ root: Root, id: UInt32, extents: UInt64 = 0, in transaction: WriteTransaction) {
    draft = Draft(root, tree: id, extents: extents, in: transaction)
  }

  package var transaction: WriteTransaction { draft.transaction }
  package var root: Root { draft.root }
  package var extents: UInt64 { draft.extents }
  /// The tree with all changes, valid for reading until the next change.
  package var tree: ByteTree { ByteTree(draft.root, id: draft.tree, view: draft.transaction.view) }

  /// Inserts the key with this value, or replaces its value.
  @discardableResult
  package func put(_ key: ByteKey, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Put {
    try draft.put(key, value)
  }
  /// Stores a value that is already in extents.
  @discardableResult
  package func put(_ key: ByteKey, extents: ExtentList) throws(StoreError) -> Put { try draft.put(key, extents) }
  /// Removes the key. Returns false if it is not there.
  package func remove(_ key: ByteKey) throws(StoreError) -> Bool { try draft.remove(key) }
  /// Removes a key that is known to be there: pages are copied without searching first.
  package func removeExpected(_ key: ByteKey) throws(StoreError) -> Bool { try draft.remove(key, isExpected: true) }
  /// Removes all keys from `low` up to, but without, `high` (nil: to the end). Returns their
  /// number.
  @discardableResult
  package func removeRange(_ low: ByteKey, _ high: ByteKey?) throws(StoreError) -> UInt64 {
    try draft.removeRange(low, high)
  }
  package func removeAll() throws(StoreError) { try draft.removeAll() }
  /// Replaces an empty tree by one that was built. Returns false if this tree is not empty.
  package func adopt(_ root: Root, extents: UInt64) -> Bool { draft.adopt(root, extents: extents) }
  /// Moves pages and extents at the end of the file to lower places.
  package func relocate(_ job: inout Relocation) throws(StoreError) { try draft.relocate(&job) }
}

/// A tree with integer keys that a transaction changes. Copies share it.
package struct IntegerTreeDraft {
  let draft: Draft<IntegerForm>

  /// - Parameter extents: the number of entries whose values are in extents.
  package init(_ root: Root, id: UInt32, extents: UInt64 = 0, in transaction: WriteTransaction) {
    draft = Draft(root, tree: id, extents: extents, in: transaction)
  }

  package var transaction: WriteTransaction { draft.transaction }
  package var root: Root { draft.root }
  package var extents: UInt64 { draft.extents }
  /// The tree with all changes, valid for reading until the next change.
  package var tree: IntegerTree { IntegerTree(draft.root, id: draft.tree, view: draft.transaction.view) }

  /// Inserts the key with this value, or replaces its value.
  @discardableResult
  package func put(_ key: UInt64, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Put {
    try draft.put(key, value)
  }
  /// Stores a value that is already in extents.
  @discardableResult
  package func put(_ key: UInt64, extents: ExtentList) throws(StoreError) -> Put { try draft.put(key, extents) }
  /// Removes the key. Returns false if it is not there.
  package func remove(_ key: UInt64) throws(StoreError) -> Bool { try draft.remove(key) }
  /// Removes a key that is known to be there: pages are copied without searching first.
  package func removeExpected(_ key: UInt64) throws(StoreError) -> Bool { try draft.remove(key, isExpected: true) }
  /// Removes all keys from `low` up to, but without, `high` (nil: to the end). Returns their
  /// number.
  @discardableResult
  package func removeRange(_ low: UInt64, _ high: UInt64?) throws(StoreError) -> UInt64 {
    try draft.removeRange(low, high)
  }
  package func removeAll() throws(StoreError) { try draft.removeAll() }
  /// Replaces an empty tree by one that was built. Returns false if this tree is not empty.
  package func adopt(_ root: Root, extents: UInt64) -> Bool { draft.adopt(root, extents: extents) }
  /// Moves pages and extents at the end of the file to lower places.
  package func relocate(_ job: inout Relocation) throws(StoreError) { try draft.relocate(&job) }
}
