internal import RoostBytes
internal import RoostFile
internal import RoostPages

extension Draft {
  /// Copies the pages at the end of the file, and the branches above them, to lower places.
  func relocate(_ job: inout Relocation) throws(StoreError) {
    guard !root.isEmpty else { return }
    fingerStamp = 0
    if let moved = try relocate(root.reference, root.level, job: &job) { root.reference = PageReference(moved) }
  }

  /// Returns the node's new place if it was moved. The recursion depth is the depth of the tree.
  private func relocate(
    _ reference: PageReference, _ level: UInt8, job: inout Relocation
  ) throws(StoreError) -> PageID? {
    var fresh: PathNode?
    if level > 0 {
      for (index, child) in try children(reference, level).enumerated() {
        guard job.goesOn else { break }
        // Only leaves with extents must be read to find out whether some of those must be moved.
        if level == 1, extents == 0, child.page.place < job.bound { continue }
        guard let moved = try relocate(child, level - 1, job: &job) else { continue }
        let node = try take(fresh, reference, level: level, job: &job)
        Child.move(Branch.mutableCell(node.memory, index), to: moved)
        fresh = node
      }
    } else if extents > 0 {
      for (index, list) in try lists(reference) {
        guard let moved = try transaction.relocate(list, &job) else { continue }
        let leaf = try take(fresh, reference, level: level, job: &job)
        guard replace(leaf.memory, index, encoded: moved.encoded) else {
          throw damage("a list of extents cannot be replaced", reference.page)
        }
        fresh = leaf
      }
    }
    if fresh == nil, job.goesOn, reference.page.place >= job.bound {
      fresh = try take(nil, reference, level: level, job: &job)
    }
    guard let fresh, fresh.page != reference.page else { return nil }
    return fresh.page
  }

  /// Makes the node editable, unless it already is.
  private func take(
    _ known: PathNode?, _ reference: PageReference, level: UInt8, job: inout Relocation
  ) throws(StoreError) -> PathNode {
    if let known { return known }
    let edited = try transaction.edit(reference)
    try expect(edited.memory, edited.page, level: level)
    if edited.moved { job.note(1) }
    return PathNode(memory: edited.memory, page: edited.page, index: 0)
  }

  private func replace(_ leaf: UnsafeMutableRawPointer, _ index: Int, encoded: [UInt8]) -> Bool {
    encoded.withUnsafeBytes {
      F.replace(leaf, at: index, StoredValue($0.baseAddress!, UInt16($0.count) | Node.extentFlag))
    }
  }

  private func children(_ branch: PageReference, _ level: UInt8) throws(StoreError) -> [PageReference] {
    let view = transaction.view
    view.slot.enter()
    defer { view.slot.leave() }
    let page = try view.frames.page(branch)
    try expect(page, branch.page, level: level)
    return (0..<Node.count(page)).map { Branch.reference(page, $0) }
  }

  private func lists(_ leaf: PageReference) throws(StoreError) -> [(Int, ExtentList)] {
    let view = transaction.view
    view.slot.enter()
    defer { view.slot.leave() }
    let page = try view.frames.page(leaf)
    try expect(page, leaf.page, level: 0)
    var found: [(Int, ExtentList)] = []
    for index in 0..<Node.count(page) where F.value(page, index).isExtents {
      found.append((index, try TreeDamage.extents(F.value(page, index))))
    }
    return found
  }
}
