internal import RoostBytes
package import RoostFile
package import RoostPages

/// A tree with byte keys in one snapshot, for reading.
///
/// Trivially copyable: a look-up touches no reference count.
package struct ByteTree {
  package let view: PageView
  package let root: Root
  package let id: UInt32

  @inlinable
  package init(_ root: Root, id: UInt32, view: PageView) {
    self.root = root
    self.id = id
    self.view = view
  }

  /// Finds a value. Call it between the slot's `enter` and `leave`: the result is valid until
  /// `leave`.
  @inlinable
  package func find(_ key: ByteKey) throws(StoreError) -> StoredValue? {
    if root.isEmpty { return nil }
    var reference = root.reference
    var level = root.level
    while level > 0 {
      let page = try view.frames.page(reference)
      guard Node.mark(page) == Node.mark(Node.byteBranch, level: level, tree: id),
        ByteNode.prefixLength(page) <= key.count
      else { throw TreeDamage.wrongNode(reference.page) }
      let index = ByteNode.child(page, key)
      reference = Child.reference(page + ByteNode.cellOffset(page, index))
      level &-= 1
    }
    let page = try view.frames.page(reference)
    page.touch(from: 64, to: 512)
    guard Node.mark(page) == Node.mark(Node.byteLeaf, level: 0, tree: id), ByteNode.prefixLength(page) <= key.count
    else { throw TreeDamage.wrongNode(reference.page) }
    let position = ByteNode.search(page, key)
    return position.isFound ? ByteNode.value(page, position.index) : nil
  }

  /// Calls `body` with the value, if there is one.
  @inlinable
  package func withValue<Result>(
    of key: ByteKey, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StoreError) -> Result? {
    guard key.count <= Limits.keyBytes else { return nil }
    var outside: ExtentList?
    do {
      view.slot.enter()
      defer { view.slot.leave() }
      guard let value = try find(key) else { return nil }
      guard value.isExtents else { return body(value.bytes) }
      outside = try TreeDamage.extents(value)
    }
    let bytes = try view.readExtents(outside!)
    return bytes.withUnsafeBytes { body($0) }
  }

  /// The value as an array, if there is one.
  package func value(of key: ByteKey) throws(StoreError) -> [UInt8]? { try withValue(of: key) { [UInt8]($0) } }

  /// The number of keys below `key`.
  package func rank(of key: ByteKey) throws(StoreError) -> UInt64 {
    try view.rank(of: key, in: root, tree: id, as: ByteForm.self)
  }

  /// The number of keys from `low` up to, but without, `high`; nil means the end.
  package func count(from low: ByteKey, to high: ByteKey?) throws(StoreError) -> UInt64 {
    guard let high else {
      let before = try rank(of: low)
      return root.count > before ? root.count - before : 0
    }
    return try view.count(from: low, to: high, in: root, tree: id, as: ByteForm.self)
  }
}

/// A tree with integer keys in one snapshot, for reading.
package struct IntegerTree {
  package let view: PageView
  package let root: Root
  package let id: UInt32

  @inlinable
  package init(_ root: Root, id: UInt32, view: PageView) {
    self.root = root
    self.id = id
    self.view = view
  }

  /// Finds a value. Call it between the slot's `enter` and `leave`: the result is valid until
  /// `leave`.
  @inlinable
  package func find(_ key: UInt64) throws(StoreError) -> StoredValue? {
    if root.isEmpty { return nil }
    var reference = root.reference
    var level = root.level
    while level > 0 {
      let page = try view.frames.page(reference)
      guard Node.mark(page) == Node.mark(Node.integerBranch, level: level, tree: id) else {
        throw TreeDamage.wrongNode(reference.page)
      }
      let index = IntegerBranch.child(page, key)
      reference = Child.reference(page + IntegerBranch.cellOffset(index))
      level &-= 1
    }
    let page = try view.frames.page(reference)
    page.touch(from: 64, to: 320)
    guard Node.mark(page) == Node.mark(Node.integerLeaf, level: 0, tree: id) else {
      throw TreeDamage.wrongNode(reference.page)
    }
    let position = IntegerLeaf.search(page, key)
    return position.isFound ? IntegerLeaf.value(page, position.index) : nil
  }

  /// Calls `body` with the value, if there is one.
  @inlinable
  package func withValue<Result>(
    of key: UInt64, _ body: (UnsafeRawBufferPointer) -> Result
  ) throws(StoreError) -> Result? {
    var outside: ExtentList?
    do {
      view.slot.enter()
      defer { view.slot.leave() }
      guard let value = try find(key) else { return nil }
      guard value.isExtents else { return body(value.bytes) }
      outside = try TreeDamage.extents(value)
    }
    let bytes = try view.readExtents(outside!)
    return bytes.withUnsafeBytes { body($0) }
  }

  /// The value as an array, if there is one.
  package func value(of key: UInt64) throws(StoreError) -> [UInt8]? { try withValue(of: key) { [UInt8]($0) } }

  /// The number of keys below `key`.
  package func rank(of key: UInt64) throws(StoreError) -> UInt64 {
    try view.rank(of: key, in: root, tree: id, as: IntegerForm.self)
  }

  /// The number of keys from `low` up to, but without, `high`; nil means the end.
  package func count(from low: UInt64, to high: UInt64?) throws(StoreError) -> UInt64 {
    let behind = if let high { try rank(of: high) } else { root.count }
    let before = try rank(of: low)
    return behind > before ? behind - before : 0
  }
}
