internal import RoostBytes
package import RoostFile
package import RoostPages

/// A part of a tree that cannot be read, and the range of its keys.
package struct Gap<Key> {
  package var page: PageID
  package var low: Key
  /// Nil if the part has no upper bound.
  package var high: Key?
  /// The number of entries in the part, according to the parent.
  package var count: UInt64
  package var sentence: String
}

extension ByteTree {
  /// Passes every readable entry to `body`, in order, and reports unreadable parts.
  ///
  /// A damaged leaf becomes a gap, and none of its entries are passed.
  package func survey(
    gap: (Gap<[UInt8]>) -> Void, reach: (PageID) -> Void = { _ in },
    _ entry: (_ key: [UInt8], _ value: StoredValue) throws(StoreError) -> Void
  ) throws(StoreError) {
    var survey = Survey<ByteForm>(view: view, tree: id)
    try survey.run(root, gap, reach: reach) { (leaf, index) throws(StoreError) in
      try entry(ByteNode.key(leaf, index), ByteNode.value(leaf, index))
    }
  }
}

extension IntegerTree {
  /// Passes every readable entry to `body`, in order, and reports unreadable parts.
  package func survey(
    gap: (Gap<UInt64>) -> Void, reach: (PageID) -> Void = { _ in },
    _ entry: (_ key: UInt64, _ value: StoredValue) throws(StoreError) -> Void
  ) throws(StoreError) {
    var survey = Survey<IntegerForm>(view: view, tree: id)
    try survey.run(root, gap, reach: reach) { (leaf, index) throws(StoreError) in
      try entry(IntegerLeaf.key(leaf, index), IntegerLeaf.value(leaf, index))
    }
  }
}

/// A walk through the leaves of a tree that continues after damage.
private struct Survey<F: Form> {
  let view: PageView
  let tree: UInt32
  private var seen = Set<PageID>()

  private struct Part {
    var reference: PageReference
    var level: UInt8
    var count: UInt64
    var low: F.OwnKey
    var high: F.OwnKey?
  }

  init(view: PageView, tree: UInt32) {
    self.view = view
    self.tree = tree
  }

  mutating func run(
    _ root: Root, _ gap: (Gap<F.OwnKey>) -> Void, reach: (PageID) -> Void,
    entry: (_ leaf: UnsafeRawPointer, _ index: Int) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !root.isEmpty else { return }
    var open = [Part(reference: root.reference, level: root.level, count: root.count, low: F.lowest, high: nil)]
    while let part = open.popLast() {
      view.slot.enter()
      defer { view.slot.leave() }
      let memory: UnsafeRawPointer
      do throws(StoreError) { memory = try read(part) } catch {
        gap(
          Gap(
            page: part.reference.page, low: part.low, high: part.high, count: part.count, sentence: error.detail))
        continue
      }
      reach(part.reference.page)
      let count = Node.count(memory)
      if part.level == 0 {
        for index in 0..<count { try entry(memory, index) }
        continue
      }
      for index in (0..<count).reversed() {
        let cell = Branch.cell(memory, index)
        open.append(
          Part(
            reference: Child.reference(cell), level: part.level - 1, count: Child.count(cell),
            low: F.branchKey(memory, index),
            high: index + 1 < count ? F.branchKey(memory, index + 1) : F.highFence(memory)))
      }
    }
  }

  /// The page, if it is a valid node of this tree and level that was not read before.
  private mutating func read(_ part: Part) throws(StoreError) -> UnsafeRawPointer {
    let page = part.reference.page
    func damage(_ what: String) -> StoreError { StoreError(.damaged, what, page: UInt64(page.place)) }
    guard seen.insert(page).inserted else { throw damage("the page is referenced twice") }
    let memory = try view.frames.page(part.reference)
    if let complaint = Complaint.about(page, memory) { throw damage(complaint) }
    let kind = part.level == 0 ? F.leafKind : F.branchKind
    guard Node.mark(memory) == Node.mark(kind, level: part.level, tree: tree) else {
      throw damage("the kind, level or tree is not the one that its parent names")
    }
    return memory
  }
}
