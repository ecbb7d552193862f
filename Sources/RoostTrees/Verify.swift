internal import RoostBytes
internal import RoostFile
package import RoostPages

/// An error in a tree.
package struct Finding: Hashable, Sendable, CustomStringConvertible {
  package var page: PageID
  package var sentence: String
  /// Whether the page could not be read or is not the one that its parent names. Otherwise it
  /// contradicts itself or other pages.
  package var isUnreadable = false

  package var description: String { "page \(page.place): \(sentence)" }
}

/// A page or extent that a walk reached.
package enum Reached {
  case page(PageID)
  case extents(ExtentList)
}

extension ByteTree {
  /// Examines every page and reports all errors. See ``Draft`` for the invariants.
  package func verify(
    stampBound: UInt64 = .max, extents: UInt64? = nil, _ reach: (Reached) -> Void = { _ in }
  ) -> [Finding] {
    var examination = Examination<ByteForm>(view: view, tree: id, stampBound: stampBound)
    examination.run(root, extents: extents, reach)
    return examination.findings
  }
}

extension IntegerTree {
  /// Examines every page and reports all errors. See ``Draft`` for the invariants.
  package func verify(
    stampBound: UInt64 = .max, extents: UInt64? = nil, _ reach: (Reached) -> Void = { _ in }
  ) -> [Finding] {
    var examination = Examination<IntegerForm>(view: view, tree: id, stampBound: stampBound)
    examination.run(root, extents: extents, reach)
    return examination.findings
  }
}

/// A walk through all pages of a tree, which continues beside damaged subtrees.
private struct Examination<F: Form> {
  let view: PageView
  let tree: UInt32
  let stampBound: UInt64
  var findings: [Finding] = []
  private var seen = Set<PageID>()
  private var extents: UInt64 = 0

  /// The parent's data about a child.
  private struct Expected {
    var reference: PageReference
    var level: UInt8
    var count: UInt64
    var low: F.OwnKey
    var high: F.OwnKey?
  }

  init(view: PageView, tree: UInt32, stampBound: UInt64) {
    self.view = view
    self.tree = tree
    self.stampBound = stampBound
  }

  mutating func run(_ root: Root, extents: UInt64?, _ reach: (Reached) -> Void) {
    guard !root.isEmpty else {
      if root.count != 0 || root.level != 0 { report(.none, "an empty tree counts entries") }
      return
    }
    guard root.level <= Node.maximumLevel else { return report(root.reference.page, "the root's level is impossible") }
    var open = [
      Expected(reference: root.reference, level: root.level, count: root.count, low: F.lowest, high: nil)
    ]
    while let expected = open.popLast() {
      let page = expected.reference.page
      guard seen.insert(page).inserted else {
        report(page, "the page is referenced twice")
        continue
      }
      view.slot.enter()
      defer { view.slot.leave() }
      do throws(StoreError) {
        let memory = try view.frames.page(expected.reference)
        reach(.page(page))
        if examine(memory, expected) { open.append(contentsOf: below(memory, expected, reach: reach)) }
      } catch {
        findings.append(Finding(page: page, sentence: error.detail, isUnreadable: true))
      }
    }
    if let extents, extents != self.extents {
      report(root.reference.page, "\(self.extents) values lie outside, the tree says \(extents)")
    }
  }

  private mutating func report(_ page: PageID, _ sentence: String) {
    findings.append(Finding(page: page, sentence: sentence))
  }

  /// Checks a page. Returns whether its content may be read.
  private mutating func examine(_ memory: UnsafeRawPointer, _ expected: Expected) -> Bool {
    let page = expected.reference.page
    if let complaint = Complaint.about(page, memory) {
      report(page, complaint)
      return false
    }
    let kind = expected.level == 0 ? F.leafKind : F.branchKind
    guard Node.mark(memory) == Node.mark(kind, level: expected.level, tree: tree) else {
      report(page, "the kind, level or tree is not the one that its parent names")
      return false
    }
    if Node.stamp(memory) > stampBound {
      report(page, "the page is younger (\(Node.stamp(memory))) than its snapshot (\(stampBound))")
    }
    if F.lowFence(memory) != expected.low { report(page, "the low fence is not its parent's key") }
    if F.highFence(memory) != expected.high { report(page, "the high fence is not its parent's next key") }
    let total = Branch.total(memory)
    if total != expected.count { report(page, "\(total) entries lie below, the parent counts \(expected.count)") }
    return true
  }

  private mutating func below(
    _ memory: UnsafeRawPointer, _ expected: Expected, reach: (Reached) -> Void
  ) -> [Expected] {
    let count = Node.count(memory)
    if expected.level == 0 {
      for index in 0..<count where F.value(memory, index).isExtents {
        extents += 1
        if let list = ExtentList(decoding: F.value(memory, index).bytes) { reach(.extents(list)) }
      }
      return []
    }
    return (0..<count).map { index in
      let cell = Branch.cell(memory, index)
      return Expected(
        reference: Child.reference(cell), level: expected.level - 1, count: Child.count(cell),
        low: F.branchKey(memory, index),
        high: index + 1 < count ? F.branchKey(memory, index + 1) : F.highFence(memory))
    }
  }
}
