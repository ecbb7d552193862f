package import RoostFile
package import RoostPages

/// The tree of all trees of one snapshot: name → ``TreeDescriptor``.
///
/// The empty name holds the next tree id, so that no id is reused.
package struct TreeCatalog {
  package static let treeID = Page.catalogTree
  package static let firstFreeID: UInt32 = 1
  package static let nameBytes = 255

  let tree: ByteTree

  package init(_ snapshot: Snapshot, view: PageView) { self.init(root: snapshot.catalog, view: view) }
  init(root: Root, view: PageView) { tree = ByteTree(root, id: Self.treeID, view: view) }

  /// The tree with this name, if there is one.
  package func descriptor(_ name: [UInt8]) throws(StoreError) -> TreeDescriptor? {
    try Self.checkName(name)
    let found = try ByteKey.borrowing(name) { (key) throws(StoreError) in
      try tree.withValue(of: key) { TreeDescriptor($0) }
    }
    guard let found else { return nil }
    return try Self.known(found, name)
  }

  /// All trees, by name.
  package func all() throws(StoreError) -> [(name: [UInt8], descriptor: TreeDescriptor)] {
    var found: [(name: [UInt8], descriptor: TreeDescriptor)] = []
    var cursor = ByteCursor(tree)
    var isThere = try cursor.first()
    while isThere {
      let name = [UInt8](cursor.key.bytes)
      if !name.isEmpty { found.append((name, try Self.decode([UInt8](cursor.value.bytes), name))) }
      isThere = try cursor.next()
    }
    return found
  }

  static func decode(_ value: [UInt8], _ name: [UInt8]) throws(StoreError) -> TreeDescriptor {
    try known(value.withUnsafeBytes { TreeDescriptor($0) }, name)
  }

  private static func known(_ descriptor: TreeDescriptor?, _ name: [UInt8]) throws(StoreError) -> TreeDescriptor {
    guard let descriptor else {
      throw StoreError(.damaged, "the catalog's entry for \"\(String(decoding: name, as: UTF8.self))\" is unreadable")
    }
    return descriptor
  }

  static func checkName(_ name: [UInt8]) throws(StoreError) {
    guard !name.isEmpty, name.count <= nameBytes else {
      throw StoreError(.invalidName, "a tree's name has 1 to \(nameBytes) bytes, this one has \(name.count)")
    }
  }
}

extension ByteKey {
  /// Borrows an array as a key during a call that may throw.
  @inlinable @inline(__always)
  package static func borrowing<Result>(
    _ bytes: [UInt8], _ body: (ByteKey) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let result = bytes.withUnsafeBytes { buffer -> Swift.Result<Result, StoreError> in
      do throws(StoreError) { return .success(try body(ByteKey(buffer))) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
