internal import RoostBytes
internal import RoostFile
package import RoostPages

/// The functions of this module for the one below. The module above replays records.
extension Store.Floor {
  package init(replay: @escaping Store.Replay, seal: @escaping Store.Seal) {
    self.init(
      validate: { page, memory in Complaint.about(page, memory) },
      settleChecks: { page, frames in
        if Page.level(page) > 0 {
          Branch.settleChecks(page, frames)
        } else {
          TreeCatalog.settleChecks(page, frames)
        }
      }, replay: replay, seal: seal, essentials: { TreeCatalog.essentials($0, $1) },
      relocate: { (transaction, job) throws(StoreError) in
        let forest = Forest(in: transaction)
        try forest.relocate(&job)
        return try forest.seal()
      })
  }
}

extension Branch {
  /// Puts checksums into a copy of a branch that is about to be written.
  static func settleChecks(_ branch: UnsafeMutableRawPointer, _ frames: FrameMap) {
    for index in 0..<count(branch) {
      let cell = mutableCell(branch, index)
      if UnsafeRawPointer(cell).u64(Child.check) == 0 {
        cell.set64(Child.check, frames.check(Child.reference(cell).page))
      }
    }
  }
}

extension TreeCatalog {
  /// Puts checksums into a copy of a leaf of the catalog, whose values refer to the roots of trees.
  static func settleChecks(_ leaf: UnsafeMutableRawPointer, _ frames: FrameMap) {
    for index in 0..<Node.count(leaf) {
      let value = ByteNode.value(leaf, index)
      guard !value.isExtents, let descriptor = TreeDescriptor(value.bytes) else { continue }
      let root = descriptor.root.reference
      if root != .none && root.check == 0 {
        UnsafeMutableRawPointer(mutating: value.start).set64(TreeDescriptor.checkOffset, frames.check(root.page))
      }
    }
  }
}
