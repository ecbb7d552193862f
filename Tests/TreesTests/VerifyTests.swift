@testable import RoostPages
import RoostBytes
import RoostFile
@testable import RoostTrees
import Testing

/// A tree of three levels, whose pages can be damaged.
private struct Spoilt {
  let ground: Ground
  let draft: IntegerTreeDraft
  var pages: [PageID] = []

  init() throws {
    ground = try Ground(fanout: 4)
    draft = IntegerTreeDraft(.empty, id: 9, in: ground.transaction)
    try withUnsafeBytes(of: UInt64(5)) { value in for key in 1...40 { try draft.put(UInt64(key) * 10, value) } }
    var found: [PageID] = []
    _ = draft.tree.verify { if case .page(let page) = $0 { found.append(page) } }
    pages = found
  }

  func page(level: UInt8) -> UnsafeMutableRawPointer {
    pages.map { ground.transaction.frames.memory($0) }.last { Node.level($0) == level }!
  }

  var sentences: [String] { draft.tree.verify(stampBound: ground.transaction.stamp, extents: 0).map(\.sentence) }
}

@Suite struct VerifyTests {
  @Test func `a good tree has no findings`() throws {
    let spoilt = try Spoilt()
    defer { withExtendedLifetime(spoilt.ground) {} }
    #expect(spoilt.draft.root.level >= 2)
    #expect(spoilt.sentences == [])
  }

  @Test func `a wrong count is found above and below`() throws {
    let spoilt = try Spoilt()
    defer { withExtendedLifetime(spoilt.ground) {} }
    let branch = spoilt.page(level: 1)
    let cell = Branch.mutableCell(branch, 0)
    cell.set64(Child.count, cell.u64(Child.count) + 1)
    #expect(spoilt.sentences.filter { $0.contains("the parent counts") }.count == 2)
  }

  @Test func `keys out of order, a foreign tree and a young page are found`() throws {
    for (change, sentence) in [
      ({ $0.set64(IntegerLeaf.slot(1), 0) }, "keys are not in order"),
      ({ $0.set32(4, 8) }, "the kind, level or tree is not the one that its parent names"),
      ({ $0.set64(Header.stamp, 1 << 40) }, "the page is younger (1099511627776)"),
      ({ $0.set64(IntegerBranch.high, $0.u64(IntegerBranch.high) + 1) }, "the high fence is not its parent's next key"),
      ({ $0.set32(Header.place, 3) }, "the page says it belongs elsewhere"),
      ({ $0.set16(Header.garbage, 1) }, "the heap is not filled"),
    ] as [((UnsafeMutableRawPointer) -> Void, String)] {
      let spoilt = try Spoilt()
      defer { withExtendedLifetime(spoilt.ground) {} }
      change(spoilt.page(level: 0))
      let sentences = spoilt.sentences
      #expect(sentences.contains { $0.hasPrefix(sentence) }, "\(sentence): \(sentences)")
    }
  }

  @Test func `a page that is reached twice is found, and the walk continues`() throws {
    let spoilt = try Spoilt()
    defer { withExtendedLifetime(spoilt.ground) {} }
    let branch = spoilt.page(level: 1)
    Branch.mutableCell(branch, 1).set32(Child.place, Branch.reference(branch, 0).page.place)
    spoilt.page(level: 0).set16(Header.garbage, 1)
    let sentences = spoilt.sentences
    #expect(sentences.contains("the page is referenced twice"))
    #expect(sentences.contains("the heap is not filled"))
  }

  @Test func `a descent refuses a page that is not its child`() throws {
    let spoilt = try Spoilt()
    defer { withExtendedLifetime(spoilt.ground) {} }
    let root = spoilt.ground.transaction.frames.memory(spoilt.draft.root.reference.page)
    // A leaf from two levels below becomes the root's first child.
    let leaf = spoilt.pages.first { Node.level(spoilt.ground.transaction.frames.memory($0)) == 0 }!
    Branch.mutableCell(root, 0).set32(Child.place, leaf.place)
    #expect(throws: StoreError.self) { try spoilt.draft.tree.value(of: 10) }
    #expect(throws: StoreError.self) { try spoilt.draft.tree.rank(of: 10) }
    #expect(throws: StoreError.self) {
      try withUnsafeBytes(of: UInt64(5)) { value in _ = try spoilt.draft.put(11, value) }
    }
    var cursor = IntegerCursor(spoilt.draft.tree)
    do {
      _ = try cursor.first()
      Issue.record("the cursor went into a foreign page")
    } catch {
      #expect(error.code == .damaged)
    }
  }

  @Test func `a list of extents that the tree does not count is found`() throws {
    let ground = try Ground()
    defer { withExtendedLifetime(ground) {} }
    let draft = IntegerTreeDraft(.empty, id: 9, in: ground.transaction)
    let value = [UInt8](repeating: 1, count: 9000)
    try value.withUnsafeBytes { _ = try draft.put(1, $0) }
    #expect(draft.extents == 1)
    #expect(draft.tree.verify(extents: 1).isEmpty)
    #expect(draft.tree.verify(extents: 0).count == 1)
  }
}
