import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

@Suite struct SuperblockTests {
  private var sample: Superblock {
    Superblock(
      identityHigh: 11, identityLow: 12, sequence: 13,
      snapshot: Snapshot(
        stamp: 14, transaction: 15,
        catalog: Root(reference: PageReference(PageID(16), check: 17), level: 3, count: 19)),
      freeMap: PageReference(PageID(20), check: 21), pageCount: 22,
      log: Superblock.LogStart(segment: 23, salt: 24, position: 25),
      copies: [
        PageCopy(page: PageID(16), copy: PageID(3)), PageCopy(page: PageID(18), copy: PageID(21)),
      ])
  }

  private func read(_ bytes: [UInt8]) -> Superblock? {
    if case .valid(let found) = Superblock.read(bytes) { found } else { nil }
  }

  private func sealed(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = bytes
    change(&bytes)
    let check = Checksum.of(Array(bytes[..<Superblock.checkOffset]))
    for index in 0..<8 { bytes[Superblock.checkOffset + index] = UInt8(truncatingIfNeeded: check >> UInt64(8 * index)) }
    return bytes
  }

  @Test func `an encoded superblock is read`() {
    var superblock = sample
    #expect(read(superblock.encoded()) == superblock)
    superblock.log = nil
    #expect(read(superblock.encoded()) == superblock)
  }

  @Test func `each flipped byte is refused`() {
    let bytes = sample.encoded()
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x10
      #expect(read(other) == nil, "byte \(index)")
    }
  }

  @Test func `a future version and another page size are distinguished from damage`() {
    let future = sealed(sample.encoded()) { $0[8] = UInt8(Superblock.version) + 1 }
    if case .futureVersion(let version) = Superblock.read(future) {
      #expect(version == Superblock.version + 1)
    } else {
      Issue.record("not a future version")
    }
    let sized = sealed(sample.encoded()) { $0[13] = 0x20 }
    if case .wrongPageSize(8192) = Superblock.read(sized) {} else { Issue.record("not a wrong page size") }
  }

  /// A superblock that is written again in its place keeps its bytes: otherwise, torn, it would be
  /// lost.
  @Test func `a superblock of version 1 is read without copies, and encoded as it was`() throws {
    var old = sample
    (old.version, old.copies) = (1, [])
    let bytes = old.encoded()
    #expect(bytes[8] == 1)
    let found = try #require(read(bytes))
    #expect(found == old && found.encoded() == bytes)
    // The fields of later versions there have no meaning in it.
    #expect(read(sealed(bytes) { $0[120] = 9 })?.copies == [])
  }

  @Test func `a superblock has room for the largest number of copies`() {
    var full = sample
    full.pageCount = 2 + 2 * UInt32(PageCopies.most)
    full.copies = (0..<UInt32(PageCopies.most)).map {
      PageCopy(page: PageID(2 + $0), copy: PageID(2 + UInt32(PageCopies.most) + $0))
    }
    #expect(read(full.encoded()) == full)
    #expect(read(sealed(full.encoded()) { $0[120] &+= 1 }) == nil)
  }

  /// A place that is freed twice is given to two pages.
  @Test(arguments: [(16, 16), (16, 1), (16, 22), (1, 3), (22, 3), (18, 3), (16, 21), (18, 16)] as [(UInt32, UInt32)])
  func `an impossible list of copies is refused`(page: UInt32, copy: UInt32) {
    var other = sample
    other.copies[0] = PageCopy(page: PageID(page), copy: PageID(copy))
    #expect(read(other.encoded()) == nil)
  }

  /// Numbers that the store increments must leave room to increment.
  @Test(arguments: [32, 40, 48, 112]) func `numbers that would overflow are refused`(offset: Int) {
    #expect(read(sealed(sample.encoded()) { for index in 0..<8 { $0[offset + index] = 0xFF } }) == nil)
  }

  /// A stamp of 0 is not a pin: readers would wait forever for a snapshot that never appears.
  @Test func `a snapshot without a stamp is refused`() {
    #expect(read(sealed(sample.encoded()) { for index in 0..<8 { $0[40 + index] = 0 } }) == nil)
  }

  /// Before the fix, a superblock said that the store was closed, and still had the place of its
  /// log. The log was ignored, and an older state was shown.
  @Test(arguments: [100, 104, 112]) func `a closed store that has the place of a log is refused`(offset: Int) {
    var superblock = sample
    superblock.log = nil
    #expect(read(sealed(superblock.encoded()) { $0[offset] = 1 }) == nil)
    #expect(read(sealed(sample.encoded()) { $0[96] = 1 }) == nil)
  }

  private func file(_ slots: [[UInt8]], pages: Int = 22) throws -> any StorageFile {
    let file = try SimulatedFileSystem().open("/a", .writeOrCreate)
    try file.truncate(to: UInt64(pages * Page.size))
    for (index, bytes) in slots.enumerated() { try file.write(bytes, at: UInt64(index * Page.size)) }
    return file
  }

  @Test func `the newer of two superblocks is used, and a damaged one is noticed`() throws {
    var newer = sample
    newer.sequence = 14
    var broken = newer.encoded()
    broken[100] ^= 1
    let both = try SuperblockPair.read(from: file([sample.encoded(), newer.encoded()]))
    #expect(both.newest == newer && both.slot == 1 && !both.otherIsDamaged)
    let swapped = try SuperblockPair.read(from: file([newer.encoded(), sample.encoded()]))
    #expect(swapped.newest == newer && swapped.slot == 0)
    let one = try SuperblockPair.read(from: file([sample.encoded(), broken]))
    #expect(one.newest == sample && one.slot == 0 && one.otherIsDamaged)
  }

  /// Before the fix, a changed number made both superblocks equally new, and the older state was
  /// shown.
  @Test func `two superblocks with one number are refused unless they are equal`() throws {
    var other = sample
    other.snapshot.transaction += 1
    for slots in [[sample, other], [other, sample]] {
      let file = try file(slots.map { $0.encoded() })
      #expect(failure { () throws(StoreError) in _ = try SuperblockPair.read(from: file) } == .damaged)
    }
    #expect(try SuperblockPair.read(from: file([sample.encoded(), sample.encoded()])).newest == sample)
  }

  @Test func `a file that is not a store is refused with a reason`() throws {
    func code(_ file: any StorageFile) -> StoreError.Code? {
      failure { () throws(StoreError) in _ = try SuperblockPair.read(from: file) }
    }
    var broken = sample.encoded()
    broken[100] ^= 1
    #expect(code(try file([broken, broken])) == .damaged)
    #expect(code(try file([[UInt8](repeating: 7, count: 4096)])) == .notAStore)
    #expect(code(try file([], pages: 0)) == .truncated)
    #expect(code(try file([sample.encoded(), sample.encoded()], pages: 21)) == .truncated)
    let future = sealed(sample.encoded()) { $0[8] = UInt8(Superblock.version) + 1 }
    #expect(code(try file([sample.encoded(), future])) == .futureVersion)
  }
}
