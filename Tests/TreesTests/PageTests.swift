@testable import RoostPages
import RoostBytes
import RoostFile
import RoostTestSupport
@testable import RoostTrees
import Testing

/// Pages from trees: leaves and branches of both kinds, some with extents, some with long prefixes.
private func samples<S: Subject>(_ kind: S.Type, seed: Int, fanout: Int) throws -> [[UInt8]] {
  let ground = try Ground(fanout: fanout)
  defer { withExtendedLifetime(ground) {} }
  var dice = SplitMix64(seed: UInt64(seed))
  let subject = S(.empty, extents: 0, in: ground.transaction)
  for shape in KeyShape.allCases {
    for _ in 0..<60 {
      let value = [UInt8](repeating: 9, count: dice.pick([0, 4, 30, 400, 1200]))
      _ = try subject.put(S.key(shape, &dice), value)
    }
  }
  var pages: [[UInt8]] = []
  _ = subject.verify { reached in
    guard case .page(let page) = reached else { return }
    let memory = ground.transaction.frames.memory(page)
    pages.append([UInt8](UnsafeRawBufferPointer(start: memory, count: Page.size)))
  }
  return pages
}

/// Calls everything that trusts a page, so that an access outside the page would be seen.
private func use(_ page: UnsafeMutableRawPointer, _ dice: inout SplitMix64) {
  let isInteger = page.u8(0) <= 2
  let key = dice.bytes(dice.below(40)) + [UInt8](repeating: 0, count: 1024)
  key.withUnsafeBytes { bytes in
    let count = Node.count(page)
    if isInteger {
      if Node.level(page) > 0 {
        _ = Branch.reference(page, IntegerBranch.child(page, dice.next()))
      } else {
        let position = IntegerLeaf.search(page, dice.next())
        _ = IntegerLeaf.insert(page, at: position.index, key: 5, value: StoredValue(bytes.baseAddress!, 20))
        for index in 0..<count { _ = IntegerLeaf.value(page, index).count }
      }
    } else {
      let long = ByteKey(bytes)
      if Node.level(page) > 0 {
        _ = Branch.reference(page, ByteNode.child(page, long))
      } else {
        _ = ByteNode.search(page, long)
        for index in 0..<count { _ = ByteNode.value(page, index).count }
        if count > 0 { _ = ByteNode.replace(page, at: dice.below(count), StoredValue(bytes.baseAddress!, 700)) }
        _ = ByteNode.insert(page, at: dice.below(count + 1), key: long, value: StoredValue(bytes.baseAddress!, 20))
      }
      for index in 0..<count { _ = ByteNode.key(page, index) }
    }
  }
}

private func fuzz<S: Subject>(_ kind: S.Type, seed: Int) throws {
  var dice = SplitMix64(seed: UInt64(seed) &+ 500)
  // Guards of known bytes around the page show a write outside it.
  let room = UnsafeMutableRawPointer.allocate(byteCount: 3 * Page.size, alignment: 4096)
  defer { room.deallocate() }
  let page = room + Page.size
  let untouched = [UInt8](repeating: 0xA5, count: Page.size)
  var accepted = 0
  for sample in try samples(kind, seed: seed, fanout: seed % 2 == 0 ? 5 : .max) {
    for _ in 0..<25 {
      room.initializeMemory(as: UInt8.self, repeating: 0xA5, count: 3 * Page.size)
      sample.withUnsafeBytes { page.copyMemory(from: $0.baseAddress!, byteCount: Page.size) }
      for _ in 0...dice.below(4) {
        let slots = 40 + Node.count(page) * 12
        let at = dice.chance(1, in: 3) ? dice.below(40) : dice.below(dice.chance(2, in: 3) ? min(slots, 4096) : 4096)
        let small = UInt8(truncatingIfNeeded: dice.below(5))
        let chance = UInt8(truncatingIfNeeded: dice.next())
        page.set8(at, dice.pick([0, 255, page.u8(at) ^ 1, page.u8(at) &+ small, chance]))
      }
      guard Complaint.about(UnsafeRawPointer(page)) == nil else { continue }
      accepted += 1
      use(page, &dice)
      guard Array(UnsafeRawBufferPointer(start: room, count: Page.size)) == untouched,
        Array(UnsafeRawBufferPointer(start: page + Page.size, count: Page.size)) == untouched
      else {
        Issue.record("a write beside the page")
        return
      }
    }
  }
  // Values may change without damage to the structure.
  #expect(accepted > 20)
}

@Suite struct PageTests {
  @Test func `kinds of pages have the numbers of the floor below`() {
    #expect(Node.pageSize == Page.size)
    #expect(Node.slots == Page.headerSize)
    #expect(Node.end == Page.end)
    #expect(Node.integerBranch == Page.Kind.integerBranch.rawValue)
    #expect(Node.integerLeaf == Page.Kind.integerLeaf.rawValue)
    #expect(Node.byteBranch == Page.Kind.byteBranch.rawValue)
    #expect(Node.byteLeaf == Page.Kind.byteLeaf.rawValue)
    #expect(Header.kind == Page.Field.kind)
    #expect(Header.level == Page.Field.level)
    #expect(Header.count == Page.Field.count)
    #expect(Header.place == Page.Field.place)
    #expect(Header.heapStart == Page.Field.heapStart)
    #expect(Header.garbage == Page.Field.garbage)
    #expect(Header.stamp == Page.Field.stamp)
    #expect(Header.own == Page.Field.own)
  }

  @Test(arguments: 0..<2)
  func `every page that a tree makes passes examination`(seed: Int) throws {
    let bytes = try samples(ByteSubject.self, seed: seed, fanout: .max)
    for page in try bytes + samples(IntegerSubject.self, seed: seed, fanout: 6) {
      page.withUnsafeBytes { #expect(Complaint.about($0.baseAddress!) == nil) }
    }
  }

  @Test(arguments: 0..<4)
  func `a damaged byte page is refused or harmless`(seed: Int) throws { try fuzz(ByteSubject.self, seed: seed) }

  @Test(arguments: 0..<4)
  func `a damaged integer page is refused or harmless`(seed: Int) throws { try fuzz(IntegerSubject.self, seed: seed) }

  @Test(arguments: 0..<4)
  func `random bytes are refused`(seed: Int) {
    var dice = SplitMix64(seed: UInt64(seed))
    for _ in 0..<2000 {
      var page = dice.bytes(64) + [UInt8](repeating: UInt8(dice.below(256)), count: Page.size - 64)
      page[0] = UInt8(dice.below(8))
      page.withUnsafeBytes { _ = Complaint.about($0.baseAddress!) }
    }
  }
}
