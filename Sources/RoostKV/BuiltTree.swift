import RoostBytes
import RoostFile
import RoostPages
import RoostTrees

/// A tree that was built from its leaves up, before it replaces an empty one and is logged.
struct BuiltTree {
  static let byteCount = 29

  let root: Root
  let extents: UInt64

  init(_ built: (root: Root, extents: UInt64)) {
    root = built.root
    extents = built.extents
  }

  /// Decodes the log form of ``Replay``, which must have `byteCount` bytes.
  init(_ bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count == Self.byteCount)
    let memory = bytes.baseAddress!
    root = Root(
      reference: PageReference(PageID(memory.u32(1)), check: memory.u64(5)), level: memory.u8(0),
      count: memory.u64(13))
    extents = memory.u64(21)
  }

  /// Replaces an empty tree. Returns false if the tree is not empty.
  func give(to trunk: Forest.Trunk) -> Bool { trunk.adopt(root, extents: extents) }

  func record(_ transaction: WriteTransaction, _ tree: UInt32) throws(StoreError) {
    let head = Varint.byteCount(UInt64(tree))
    try transaction.record(Replay.Kind.adopt.rawValue, count: head + Self.byteCount) { memory in
      Varint.encode(UInt64(tree), to: memory)
      let fields = memory + head
      fields.set8(0, root.level)
      fields.set32(1, root.reference.page.place)
      fields.set64(5, root.reference.check)
      fields.set64(13, root.count)
      fields.set64(21, extents)
    }
  }
}
