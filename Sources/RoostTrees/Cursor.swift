internal import RoostBytes
package import RoostFile
package import RoostPages

/// A position in a tree with byte keys, for reading in order.
///
/// It is at an entry, before the first or after the last one. Results are valid until it moves. It
/// must end before its transaction, and does not see changes made after it began.
package struct ByteCursor: ~Copyable {
  @usableFromInline let walk: UnsafeMutablePointer<Walk>

  package init(_ tree: ByteTree) {
    walk = Walk.make(tree.root, tree: tree.id, isInteger: false, view: tree.view)
  }

  deinit {
    walk.deinitialize(count: 1)
    walk.deallocate()
  }

  package var view: PageView { walk.pointee.view }
  @inlinable package var isAtEntry: Bool { walk.pointee.isAtEntry }
  package mutating func first() throws(StoreError) -> Bool { try walk.pointee.moveToEnd(first: true) }
  package mutating func last() throws(StoreError) -> Bool { try walk.pointee.moveToEnd(first: false) }
  @inlinable package mutating func next() throws(StoreError) -> Bool { try walk.pointee.next() }
  @inlinable package mutating func previous() throws(StoreError) -> Bool { try walk.pointee.previous() }
  /// Moves to the entry with this index.
  package mutating func move(to number: UInt64) throws(StoreError) -> Bool { try walk.pointee.move(to: number) }

  /// Moves to the first entry whose key is not below `key`.
  package mutating func seek(_ key: ByteKey) throws(StoreError) -> Bool {
    try walk.pointee.seek(key, as: ByteForm.self, atMost: false)
  }
  /// Moves to the last entry whose key is not above `key`.
  package mutating func seek(atMost key: ByteKey) throws(StoreError) -> Bool {
    try walk.pointee.seek(key, as: ByteForm.self, atMost: true)
  }

  @inlinable @inline(__always)
  package var value: StoredValue {
    assert(isAtEntry)
    return ByteNode.value(walk.pointee.leaf, walk.pointee.index)
  }

  /// The entry at the cursor; nil if the cursor is at none.
  package func entry() -> (key: ByteKey, value: StoredValue)? {
    guard walk.pointee.isAtEntry else { return nil }
    return (walk.pointee.byteKey(), ByteNode.value(walk.pointee.leaf, walk.pointee.index))
  }

  /// The last bytes of the entry's key if they are contiguous; nil if the key must be assembled.
  ///
  /// More of the page precedes them, so eight bytes that end with them can be read.
  @inlinable @inline(__always)
  package func tail(_ count: Int) -> UnsafeRawPointer? {
    guard isAtEntry else { return nil }
    return ByteNode.tail(walk.pointee.leaf, index: walk.pointee.index, count: count)
  }

  @inlinable
  package var key: ByteKey {
    mutating get {
      assert(isAtEntry)
      return walk.pointee.byteKey()
    }
  }
}

/// A position in a tree with integer keys, for reading in order. See ``ByteCursor``.
package struct IntegerCursor: ~Copyable {
  @usableFromInline let walk: UnsafeMutablePointer<Walk>

  package init(_ tree: IntegerTree) {
    walk = Walk.make(tree.root, tree: tree.id, isInteger: true, view: tree.view)
  }

  deinit {
    walk.deinitialize(count: 1)
    walk.deallocate()
  }

  package var view: PageView { walk.pointee.view }
  @inlinable package var isAtEntry: Bool { walk.pointee.isAtEntry }
  package mutating func first() throws(StoreError) -> Bool { try walk.pointee.moveToEnd(first: true) }
  package mutating func last() throws(StoreError) -> Bool { try walk.pointee.moveToEnd(first: false) }
  @inlinable package mutating func next() throws(StoreError) -> Bool { try walk.pointee.next() }
  @inlinable package mutating func previous() throws(StoreError) -> Bool { try walk.pointee.previous() }
  /// Moves to the entry with this index.
  package mutating func move(to number: UInt64) throws(StoreError) -> Bool { try walk.pointee.move(to: number) }

  /// Moves to the first entry whose key is not below `key`.
  package mutating func seek(_ key: UInt64) throws(StoreError) -> Bool {
    try walk.pointee.seek(key, as: IntegerForm.self, atMost: false)
  }
  /// Moves to the last entry whose key is not above `key`.
  package mutating func seek(atMost key: UInt64) throws(StoreError) -> Bool {
    try walk.pointee.seek(key, as: IntegerForm.self, atMost: true)
  }

  /// The entry at the cursor; nil if the cursor is at none.
  package func entry() -> (key: UInt64, value: StoredValue)? {
    guard walk.pointee.isAtEntry else { return nil }
    let (leaf, index) = (walk.pointee.leaf, walk.pointee.index)
    return (IntegerLeaf.key(leaf, index), IntegerLeaf.value(leaf, index))
  }

  @inlinable @inline(__always)
  package var value: StoredValue {
    assert(isAtEntry)
    return IntegerLeaf.value(walk.pointee.leaf, walk.pointee.index)
  }

  @inlinable @inline(__always)
  package var key: UInt64 {
    assert(isAtEntry)
    return IntegerLeaf.key(walk.pointee.leaf, walk.pointee.index)
  }
}

extension Walk {
  /// Moves to the entry nearest to the key on the requested side. Returns false if there is none.
  mutating func seek<F: Form>(_ key: F.Key, as form: F.Type, atMost: Bool) throws(StoreError) -> Bool {
    guard !root.isEmpty else { return false }
    view.slot.enter()
    defer { view.slot.leave() }
    do throws(StoreError) { return try seekInside(key, as: form, atMost: atMost) } catch { throw fail(error) }
  }

  private mutating func seekInside<F: Form>(_ key: F.Key, as form: F.Type, atMost: Bool) throws(StoreError) -> Bool {
    var reference = root.reference
    var level = root.level
    while level > 0 {
      let page = try load(reference, level)
      guard F.admits(page, key) else { throw damage("a key does not fit its node", reference.page) }
      reference = push(reference, page, child: F.child(page, key), level: level)
      level -= 1
    }
    try place(reference)
    guard F.admits(leaf, key) else { throw damage("a key does not fit its node", reference.page) }
    let position = F.search(leaf, key)
    index = position.isFound || !atMost ? position.index : position.index - 1
    if index >= 0, index < count { return true }
    return try turnInside(forward: !atMost)
  }
}
