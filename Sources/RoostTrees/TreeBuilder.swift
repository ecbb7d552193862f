package import RoostFile
package import RoostPages

/// Makes a tree with byte keys out of a sorted stream, in one pass.
package struct ByteTreeBuilder {
  private let builder: Builder<ByteForm>

  /// - Parameter fill: how full nodes get, in percent; leave some room where keys will come between.
  package init(id: UInt32, fill: Int = 100, in transaction: WriteTransaction) {
    builder = Builder(tree: id, fill: fill, in: transaction)
  }

  /// Whether the key is above all before.

  /// Adds an entry. Its key must be above all before.
  package func append(_ key: ByteKey, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    try builder.append(key, value)
  }
  /// Adds an entry whose value is written already.
  package func append(_ key: ByteKey, extents list: ExtentList) throws(StoreError) { try builder.append(key, list) }

  /// The tree and how many of its values lie outside. The builder is then used up.
  package func finish() throws(StoreError) -> (root: Root, extents: UInt64) { (try builder.finish(), builder.extents) }
}

/// Makes a tree with integer keys out of a sorted stream, in one pass.
package struct IntegerTreeBuilder {
  private let builder: Builder<IntegerForm>

  /// - Parameter fill: how full nodes get, in percent; leave some room where keys will come between.
  package init(id: UInt32, fill: Int = 100, in transaction: WriteTransaction) {
    builder = Builder(tree: id, fill: fill, in: transaction)
  }

  /// Whether the key is above all before.

  /// Adds an entry. Its key must be above all before.
  package func append(_ key: UInt64, _ value: UnsafeRawBufferPointer) throws(StoreError) {
    try builder.append(key, value)
  }
  /// Adds an entry whose value is written already.
  package func append(_ key: UInt64, extents list: ExtentList) throws(StoreError) { try builder.append(key, list) }

  /// The tree and how many of its values lie outside. The builder is then used up.
  package func finish() throws(StoreError) -> (root: Root, extents: UInt64) { (try builder.finish(), builder.extents) }
}
