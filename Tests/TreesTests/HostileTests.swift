@testable import RoostPages
import RoostBytes
import RoostFile
import RoostTestSupport
@testable import RoostTrees
import Testing

/// A page of memory, and a pack to write it.
private final class Scrap {
  let page = UnsafeMutableRawPointer.allocate(byteCount: Page.size, alignment: 8)
  let pack = Pack()
  init() { page.initializeMemory(as: UInt8.self, repeating: 0, count: Page.size) }
  deinit {
    pack.discard()
    page.deallocate()
  }

  func write(_ keys: [[UInt8]]) {
    ByteForm.beginUnbounded(pack)
    for key in keys {
      key.withUnsafeBytes { ByteForm.append(pack, key: ByteKey($0), value: StoredValue($0.baseAddress!, 8)) }
    }
    ByteForm.write(pack, from: 0, to: keys.count, low: pack.low, high: pack.high, level: 0, tree: 7, into: page)
  }

  var complaint: String? { Complaint.about(UnsafeRawPointer(page)) }
}

@Suite struct HostileTests {
  @Test func `a key that is longer than a cursor's buffer is refused`() {
    let scrap = Scrap()
    scrap.write([[UInt8](repeating: 1, count: 1024)])
    #expect(scrap.complaint == nil)
    scrap.write([[UInt8](repeating: 1, count: 1025)])
    #expect(scrap.complaint == "a key is too long")
  }

  @Test func `a value that ends after the heap is refused even if the sums agree`() {
    let scrap = Scrap()
    scrap.write([[1, 1, 1, 1, 1, 1, 1, 1], [2, 2, 2, 2, 2, 2, 2, 2], [3, 3, 3, 3, 3, 3, 3, 3]])
    ByteNode.remove(scrap.page, from: 1, to: 2)
    #expect(scrap.complaint == nil)
    // The first cell ends at the end of the heap.
    let cell = ByteNode.cellOffset(scrap.page, 0)
    scrap.page.set16(cell, scrap.page.u16(cell) + 8)
    scrap.page.set16(Header.garbage, scrap.page.u16(Header.garbage) - 8)
    #expect(scrap.complaint == "a cell lies outside the heap")
  }

  @Test func `cursors and counts skip an empty leaf`() throws {
    let ground = try Ground(fanout: 4)
    // A cursor must end before its store; in optimized code, a constant ends with its last use.
    defer { withExtendedLifetime(ground) {} }
    let draft = IntegerTreeDraft(.empty, id: 9, in: ground.transaction)
    try withUnsafeBytes(of: UInt64(5)) { value in for key in 0..<12 { try draft.put(UInt64(key), value) } }
    let root = ground.transaction.frames.memory(draft.root.reference.page)
    #expect(draft.root.level == 1 && Node.count(root) >= 3)
    // A leaf without entries may be below a branch. Here the test makes one by hand.
    var gone: UInt64 = 0
    for child in [1, Node.count(root) - 1] {
      let cell = Branch.mutableCell(root, child)
      let leaf = ground.transaction.frames.memory(Child.reference(cell).page)
      gone += UInt64(Node.count(leaf))
      IntegerLeaf.remove(leaf, from: 0, to: Node.count(leaf))
      cell.set64(Child.count, 0)
    }
    let before = draft.root
    let tree = IntegerTree(
      Root(reference: before.reference, level: 1, count: before.count - gone), id: 9, view: draft.tree.view)
    #expect(tree.verify().isEmpty)
    var forward: [UInt64] = []
    var cursor = IntegerCursor(tree)
    while try cursor.next() { forward.append(cursor.key) }
    #expect(try !cursor.next())
    var backward: [UInt64] = []
    while try cursor.previous() { backward.append(cursor.key) }
    #expect(forward.count == Int(tree.root.count))
    #expect(backward == forward.reversed())
    for (number, key) in forward.enumerated() {
      #expect(try tree.rank(of: key) == UInt64(number))
      #expect(try cursor.move(to: UInt64(number)) && cursor.key == key)
    }
  }

  @Test(arguments: 0..<24)
  func `pages that are valid alone and wrong together give an error, never a trap`(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    let ground = try Ground(fanout: seed % 3 == 0 ? .max : 5)
    defer { withExtendedLifetime(ground) {} }
    let subject = ByteSubject(.empty, extents: 0, in: ground.transaction)
    for shape in KeyShape.allCases {
      for _ in 0..<50 { _ = try subject.put(ByteSubject.key(shape, &dice), [1, 2, 3]) }
    }
    var pages: [PageID] = []
    _ = subject.verify { if case .page(let page) = $0 { pages.append(page) } }
    // Pages exchange their places, and references point elsewhere, as in a hostile file.
    for _ in 0..<3 {
      let victim = ground.transaction.frames.memory(dice.pick(pages))
      let kept = [UInt8](UnsafeRawBufferPointer(start: victim, count: Page.size))
      let other = dice.pick(pages)
      if Node.level(victim) > 0, dice.chance(2, in: 3) {
        Branch.mutableCell(victim, dice.below(Node.count(victim))).set32(Child.place, other.place)
      } else {
        let place = victim.u32(Header.place)
        victim.copyMemory(from: ground.transaction.frames.memory(other), byteCount: Page.size)
        victim.set32(Header.place, place)
      }
      if Complaint.about(victim) != nil {
        kept.withUnsafeBytes { victim.copyMemory(from: $0.baseAddress!, byteCount: Page.size) }
      }
    }
    for _ in 0..<300 {
      let key = ByteSubject.key(dice.pick(KeyShape.allCases), &dice)
      do throws(StoreError) {
        switch dice.below(6) {
        case 0: _ = try subject.value(of: key)
        case 1: _ = try subject.rank(of: key)
        case 2: _ = try subject.around(key, atMost: dice.chance(1, in: 2), in: subject.root)
        case 3: _ = try subject.remove(key)
        default: _ = try subject.put(key, [4])
        }
      } catch {
        #expect(error.code == .damaged)
      }
    }
    _ = subject.verify { _ in }
  }
}
