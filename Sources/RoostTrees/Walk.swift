internal import RoostBytes
package import RoostFile
package import RoostPages

/// The position of a walk in one branch.
package struct TrailStep {
  @usableFromInline var reference: PageReference
  @usableFromInline var index: Int
}

/// A position among the leaves of a tree, and the path to it; shared by cursors of both kinds.
///
/// Only the leaf is kept in memory between calls. The branches above are found again by their
/// references, which costs a look-up for each leaf instead of each entry.
///
/// ## Invariants
/// 1. If there is a leaf, `trail` names the branches above it and the child taken in each.
/// 2. `index` is in -1 ... count: -1 is before the first entry of the tree, `count` is after the
///    last one.
/// 3. After an error it has no position: moves fail, so that a caller that continues does not
///    mistake the rest for everything.
package struct Walk: ~Copyable {
  package let view: PageView
  package let root: Root
  package let tree: UInt32
  let leafKind: UInt8
  let branchKind: UInt8
  private let trail: UnsafeMutablePointer<TrailStep>
  private var hold: HoldIndex?
  /// The leaf that was prefetched when the previous one was entered.
  private var fetched: UnsafeRawPointer?

  @usableFromInline var leaf: UnsafeRawPointer
  @usableFromInline var isPlaced = false
  @usableFromInline var index = -1
  @usableFromInline var count = 0
  /// The error of the last move. Every move fails with it until the walk is positioned again.
  private var failure: StoreError?

  /// The leaves requested in advance.
  private var ahead = LeavesAhead()

  /// The memory in which a byte key is assembled.
  @usableFromInline let buffer: UnsafeMutableRawPointer
  /// The leaf whose prefix is in the buffer.
  @usableFromInline var bufferedLeaf: UnsafeRawPointer?

  /// Makes a walk in memory of its own, so that a cursor is one word.
  static func make(_ root: Root, tree: UInt32, isInteger: Bool, view: PageView) -> UnsafeMutablePointer<Walk> {
    let pointer = UnsafeMutablePointer<Walk>.allocate(capacity: 1)
    pointer.initialize(to: Walk(root, tree: tree, isInteger: isInteger, view: view))
    return pointer
  }

  init(_ root: Root, tree: UInt32, isInteger: Bool, view: PageView) {
    buffer = .allocate(byteCount: isInteger ? 8 : Limits.keyBytes + 8, alignment: 8)
    self.view = view
    self.root = root
    self.tree = tree
    leafKind = isInteger ? Node.integerLeaf : Node.byteLeaf
    branchKind = isInteger ? Node.integerBranch : Node.byteBranch
    trail = .allocate(capacity: Int(Node.maximumLevel) + 1)
    // Never read: `isPlaced` and `count` say that there is no leaf.
    leaf = UnsafeRawPointer(trail)
  }

  deinit {
    if let hold { view.slot.drop(hold) }
    trail.deallocate()
    buffer.deallocate()
  }

  @inlinable @inline(__always)
  package var isAtEntry: Bool { index >= 0 && index < count }

  /// Moves to the next entry. Returns false after the last one.
  @inlinable @inline(__always)
  package mutating func next() throws(StoreError) -> Bool {
    index &+= 1
    if index < count { return true }
    return try turn(forward: true)
  }

  /// Moves to the previous entry. Returns false before the first one.
  @inlinable @inline(__always)
  package mutating func previous() throws(StoreError) -> Bool {
    index &-= 1
    if index >= 0 { return true }
    return try turn(forward: false)
  }

  /// Moves to the first or the last entry of the tree.
  package mutating func moveToEnd(first: Bool) throws(StoreError) -> Bool {
    guard !root.isEmpty else { return false }
    view.slot.enter()
    defer { view.slot.leave() }
    do throws(StoreError) {
      try descend(root.reference, root.level, toFirst: first)
      if count > 0 { return true }
      return try turnInside(forward: first)
    } catch { throw fail(error) }
  }

  /// Moves to the entry with this index.
  package mutating func move(to number: UInt64) throws(StoreError) -> Bool {
    guard number < root.count else { return false }
    view.slot.enter()
    defer { view.slot.leave() }
    do throws(StoreError) { return try moveInside(to: number) } catch { throw fail(error) }
  }

  private mutating func moveInside(to number: UInt64) throws(StoreError) -> Bool {
    var rest = number
    var reference = root.reference
    var level = root.level
    while level > 0 {
      let page = try load(reference, level)
      let last = Node.count(page) - 1
      var child = 0
      var below = Child.count(Branch.cell(page, 0))
      while rest >= below, child < last {
        rest -= below
        child += 1
        below = Child.count(Branch.cell(page, child))
      }
      reference = push(reference, page, child: child, level: level)
      level -= 1
    }
    try place(reference)
    guard rest < UInt64(count) else { throw damage("the counts above a leaf are wrong", reference.page) }
    index = Int(rest)
    return true
  }

  /// The key of the entry, assembled from the leaf's prefix and the entry's suffix.
  @inlinable @inline(__always)
  package mutating func byteKey() -> ByteKey {
    let prefix = ByteNode.prefixLength(leaf)
    if bufferedLeaf != leaf {
      buffer.copyMemory(from: ByteNode.low(leaf).start, byteCount: prefix)
      bufferedLeaf = leaf
    }
    ByteNode.copySuffix(leaf, index, to: buffer + prefix)
    return ByteKey(buffer, prefix &+ ByteNode.suffixLength(leaf, index))
  }

  // MARK: For searches of cursors

  /// Loads the page of a reference, if it is the node that its parent names.
  func load(_ reference: PageReference, _ level: UInt8) throws(StoreError) -> UnsafeRawPointer {
    let page = try view.frames.page(reference)
    let kind = level == 0 ? leafKind : branchKind
    guard Node.mark(page) == Node.mark(kind, level: level, tree: tree), level == 0 || Node.count(page) > 0 else {
      throw damage("the page is not the node that its parent names", reference.page)
    }
    return page
  }

  /// Notes the child taken in a branch.
  func push(_ reference: PageReference, _ page: UnsafeRawPointer, child: Int, level: UInt8) -> PageReference {
    trail[Int(root.level - level)] = TrailStep(reference: reference, index: child)
    return Branch.reference(page, child)
  }

  /// Positions the walk before the first entry of this leaf and holds the leaf.
  mutating func place(_ reference: PageReference) throws(StoreError) {
    isPlaced = false
    count = 0
    index = -1
    leaf = try load(reference, 0)
    if let hold {
      view.slot.move(hold, to: reference.page)
    } else {
      hold = try view.slot.hold(reference.page)
    }
    // All cache lines are prefetched at once. Otherwise each would be waited for when its entries
    // are read.
    if leaf != fetched { leaf.touch(from: 64, to: Page.size) }
    count = Node.count(leaf)
    isPlaced = true
    failure = nil
  }

  /// Loses the position, and keeps the error.
  @inline(never)
  mutating func fail(_ error: StoreError) -> StoreError {
    isPlaced = false
    count = 0
    index = -1
    failure = error
    return error
  }

  func damage(_ what: String, _ page: PageID) -> StoreError {
    StoreError(.damaged, what, page: UInt64(page.place))
  }

  // MARK: From leaf to leaf

  @usableFromInline @inline(never)
  mutating func turn(forward: Bool) throws(StoreError) -> Bool {
    guard isPlaced else {
      index = -1
      if let failure { throw failure }
      return try moveToEnd(first: forward)
    }
    view.slot.enter()
    defer { view.slot.leave() }
    do throws(StoreError) { return try turnInside(forward: forward) } catch { throw fail(error) }
  }

  /// Moves to the nearest leaf that is not empty. The caller has entered the slot.
  mutating func turnInside(forward: Bool) throws(StoreError) -> Bool {
    repeat {
      guard try turnOnce(forward: forward) else {
        index = forward ? count : -1
        return false
      }
    } while count == 0
    return true
  }

  private mutating func turnOnce(forward: Bool) throws(StoreError) -> Bool {
    var depth = Int(root.level) - 1
    while depth >= 0 {
      let step = trail[depth]
      let level = root.level - UInt8(depth)
      let page = try load(step.reference, level)
      let next = forward ? step.index + 1 : step.index - 1
      if next >= 0, next < Node.count(page) {
        let reference = push(step.reference, page, child: next, level: level)
        if level > 1 {
          try descend(reference, level - 1, toFirst: forward)
          return true
        }
        if view.frames.isAbsent(reference.page) {
          ahead.ask(step.reference.page, page, next: next, forward: forward, frames: view.frames)
        }
        try place(reference)
        index = forward ? 0 : count - 1
        fetchLeaf(page, forward ? next + 1 : next - 1)
        return true
      }
      depth -= 1
    }
    return false
  }

  /// Prefetches the leaf that probably comes next, while this one is read.
  private mutating func fetchLeaf(_ branch: UnsafeRawPointer, _ child: Int) {
    fetched = nil
    guard child >= 0, child < Node.count(branch) else { return }
    fetched = view.frames.present(Branch.reference(branch, child).page)
    fetched?.fetchAhead(from: 0, to: Page.size)
  }

  private mutating func descend(
    _ reference: PageReference, _ level: UInt8, toFirst: Bool
  ) throws(StoreError) {
    var reference = reference
    var level = level
    while level > 0 {
      let page = try load(reference, level)
      reference = push(reference, page, child: toFirst ? 0 : Node.count(page) - 1, level: level)
      level -= 1
    }
    try place(reference)
    index = toFirst ? 0 : count - 1
  }
}
