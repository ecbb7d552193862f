package import RoostFile
package import RoostPages

/// Builds a tree with byte keys from a sorted stream, in one pass.
package struct ByteTreeBuilder {
  private let builder: Builder<ByteForm>

  /// - Parameter fill: how full nodes get, in percent. Leave some room if keys will be inserted
  ///   between.
  package init(id: UInt32, fill: Int = 100, in transaction: WriteTransaction) {
    builder = Builder(tree: id, fill: fill, in: transaction)
  }

  /// Whether the key is greater than all before.

  /// Adds an entry. Its key must be greater than all before.
  package func append(_ key: ByteKey, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    try builder.append(key, value)
  }
  /// Adds an entry whose value is already in extents.
  package func append(_ key: ByteKey, extents list: ExtentList) throws(StoreError) { try builder.append(key, list) }

  /// The tree and the number of its values in extents. The builder cannot be used after that.
  package func finish() throws(StoreError) -> (root: Root, extents: UInt64) { (try builder.finish(), builder.extents) }
}

/// Builds a tree with integer keys from a sorted stream, in one pass.
package struct IntegerTreeBuilder {
  private let builder: Builder<IntegerForm>

  /// - Parameter fill: how full nodes get, in percent. Leave some room if keys will be inserted
  ///   between.
  package init(id: UInt32, fill: Int = 100, in transaction: WriteTransaction) {
    builder = Builder(tree: id, fill: fill, in: transaction)
  }

  /// Whether the key is greater than all before.

  /// Adds an entry. Its key must be greater than all before.
  package func append(_ key: UInt64, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    try builder.append(key, value)
  }
  /// Adds an entry whose value is already in extents.
  package func append(_ key: UInt64, extents list: ExtentList) throws(StoreError) { try builder.append(key, list) }

  /// The tree and the number of its values in extents. The builder cannot be used after that.
  package func finish() throws(StoreError) -> (root: Root, extents: UInt64) { (try builder.finish(), builder.extents) }
}
