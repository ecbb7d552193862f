internal import RoostFile
internal import RoostText
internal import RoostTrees

/// The entries of a full text index, in a snapshot or at a moment of a transaction.
final class TextTree: TextEntries {
  private let tree: ByteTree
  private let bond: ReadBond?

  init(_ tree: ByteTree, _ bond: ReadBond?) {
    self.tree = tree
    self.bond = bond
  }

  func visit(
    from key: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError) {
    try bond?.check()
    try tree.visit(from: key, body)
  }
}
