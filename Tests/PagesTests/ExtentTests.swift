import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// Values too large for a leaf.
@Suite struct ExtentTests {
  private let fileSystem = SimulatedFileSystem()

  private func value(_ count: Int, compressible: Bool) -> [UInt8] {
    var generator = SplitMix64(seed: UInt64(count))
    return compressible ? [UInt8](repeating: 42, count: count) : generator.bytes(count)
  }

  private static let sizes = [1, 4096, 5000, 300_000, 1 << 20, (1 << 20) + 1, 3_000_001, 9 << 20]

  @Test(arguments: sizes, [false, true]) func `a value is read back from drafts, log and file`(
    count: Int, compressible: Bool
  ) throws {
    let bytes = value(count, compressible: compressible)
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in try writer.put(0, bytes) }
    let list = try store.read { reader throws(StoreError) in try reader.list(0) }
    #expect(list?.isNamed == (count >= ExtentList.namedFrom))
    #expect(list?.isIndirect == (count > 8 << 20))
    func expect(_ store: Store) throws {
      let seen = try store.read { reader throws(StoreError) in try reader.value(0) }
      #expect(seen == bytes)
      #expect(try store.findings() == [])
    }
    try expect(store)
    try expect(try Store.words(fileSystem.crashImage(.none)))
    try store.checkpoint()
    try expect(store)
    try store.write { writer throws(StoreError) in try writer.put(1, [1, 2, 3]) }
    try expect(try Store.words(fileSystem.crashImage(.none)))
    try store.close()
    let again = try Store.words(fileSystem)
    try expect(again)
    try again.write { writer throws(StoreError) in try writer.remove(0) }
    #expect(try again.findings() == [])
    try again.close()
  }

  @Test(arguments: [5000, 9 << 20]) func `a store in memory has them too`(count: Int) throws {
    let bytes = value(count, compressible: false)
    let store = try Store.inMemory(options: .forTests, floor: WordFloor.floor)
    try store.write { writer throws(StoreError) in
      try writer.put(0, bytes)
      try writer.put(1, bytes)
      try writer.remove(1)
    }
    #expect(try store.read { reader throws(StoreError) in try reader.value(0) } == bytes)
    try store.write { writer throws(StoreError) in try writer.remove(0) }
    #expect(try store.checkInvariants() == [])
    #expect(store.space.spare.count > count / Page.size)
  }

  /// Before the fix, a named extent without frames was returned through the frames that it did not
  /// have.
  @Test func `named values beyond the frames are freed`() throws {
    let store = try Store.words(fileSystem)
    let bytes = value(9 << 20, compressible: false)
    for _ in 0..<9 {
      try store.write { writer throws(StoreError) in
        for cell in 0..<2 { try writer.put(cell, bytes) }
      }
    }
    try store.write { writer throws(StoreError) in
      for cell in 0..<2 { try writer.remove(cell) }
    }
    try store.checkpoint()
    try store.write { writer throws(StoreError) in try writer.set(1, 1) }
    #expect(try store.findings() == [])
    try store.checkpoint()
    try store.checkpoint()
    #expect(try store.findings() == [])
  }

  @Test func `a full disk in the middle of a value frees its places`() throws {
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in try writer.set(1, 1) }
    let transaction = try store.beginWrite()
    let writer = WordWriter.of(transaction)
    try writer.set(1, 2)
    fileSystem.capacity = 3 << 20
    let bytes = value(5 << 20, compressible: false)
    #expect(failure { () throws(StoreError) in try writer.put(0, bytes) } == .diskFull)
    fileSystem.capacity = nil
    try writer.commit()
    #expect(try store.findings() == [])
    #expect(try store.read { reader throws(StoreError) in try reader.word(1) } == 2)
  }

  /// Before the fix, the pages of an extent left the cache one by one; the first one stayed, and
  /// the others were read as zeros.
  @Test func `a value with some evicted pages is read from the file`() throws {
    let store = try Store.words(fileSystem)
    let bytes = value(100_000, compressible: false)
    try store.write { writer throws(StoreError) in try writer.put(0, bytes) }
    try store.checkpoint()
    let list = try store.read { reader throws(StoreError) in try reader.list(0) }
    let first = try #require(list?.extents.first)
    for place in first.place + 1..<first.place + first.pages {
      store.frames.end(PageID(place))
      store.frames.map.memory(PageID(place)).initializeMemory(as: UInt8.self, repeating: 0, count: Page.size)
    }
    #expect(try store.read { reader throws(StoreError) in try reader.value(0) } == bytes)
  }

  @Test func `each flipped byte of a value is noticed`() throws {
    let bytes = value(10_000, compressible: false)
    let store = try Store.words(fileSystem)
    try store.write { writer throws(StoreError) in try writer.put(0, bytes) }
    let list = try store.read { reader throws(StoreError) in try reader.list(0) }
    let first = try #require(list?.extents.first)
    try store.close()
    let whole = try #require(fileSystem.contents(of: "/a.roost"))
    for offset in stride(from: 0, to: bytes.count, by: 501) {
      var broken = whole
      broken[Int(first.place) * Page.size + offset] ^= 3
      #expect(fileSystem.overwrite("/a.roost", with: broken))
      let again = try Store.words(fileSystem)
      #expect(
        failure { () throws(StoreError) in
          _ = try again.read { reader throws(StoreError) in try reader.value(0) }
        } == .damaged)
      try again.close()
    }
  }

  @Test func `no bytes decode to a list that reaches beyond its bounds`() {
    var generator = SplitMix64(seed: 3)
    let list = ExtentList(
      isNamed: true, isIndirect: false, byteCount: 5000, born: 3,
      extents: [.init(place: 9, storedBytes: 4000, rawBytes: 5000, check: 7)])
    for _ in 0..<20_000 {
      var bytes = list.encoded
      for _ in 0...generator.below(3) { bytes[generator.below(bytes.count)] = UInt8(generator.below(256)) }
      let found = bytes.withUnsafeBytes { ExtentList(decoding: $0) }
      guard let found else { continue }
      #expect(found.byteCount <= UInt64(ExtentList.largestValue))
      for extent in found.extents {
        #expect(extent.place >= 2 && UInt64(extent.place) + UInt64(extent.pages) <= UInt64(UInt32.max))
        #expect(extent.storedBytes <= extent.rawBytes)
      }
    }
  }
}
