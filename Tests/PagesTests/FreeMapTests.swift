import RoostBytes
import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// The durable map of free places: a later opening reads what was written.
@Suite struct FreeMapTests {
  private let file: any StorageFile

  init() throws { file = try SimulatedFileSystem().open("/a", .writeOrCreate) }

  /// Prepares and writes the map. Returns the part of it that a checkpoint puts into the
  /// superblock.
  private func write(
    _ disk: inout FreeMapDisk, _ space: inout Space, stamp: UInt64, pins: [UInt64]? = nil
  ) throws -> (root: PageReference, pageCount: UInt32) {
    let image = try disk.prepare(&space, stamp: stamp, pins: pins ?? [stamp], durable: stamp)
    for (page, bytes) in image.pages { try file.write(bytes, at: page.byteOffset) }
    return (image.root, max(2, space.usedLimit))
  }

  private func load(_ root: PageReference, _ pageCount: UInt32) throws -> (FreeMapDisk, Space) {
    var space = Space(limit: pageCount)
    let disk = try FreeMapDisk.load(root, from: file, into: &space, stamp: 1)
    return (disk, space)
  }

  private func expectSame(_ space: Space, _ root: PageReference, _ pageCount: UInt32) throws {
    let (_, found) = try load(root, pageCount)
    for word in 0..<(Int(pageCount) + 63) / 64 {
      let rest = Int(pageCount) - word * 64
      let mask = rest >= 64 ? UInt64.max : (1 << UInt64(rest)) - 1
      #expect(found.free.word(word) == space.spare.word(word) & mask, "places from \(word * 64) on")
    }
    #expect(found.checkInvariants() == [])
  }

  @Test(arguments: UInt64(1)...4) func `a prepared map is loaded, repeatedly`(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    var space = Space(limit: 2)
    var disk = FreeMapDisk()
    var taken: [UInt32] = []
    for round in 1...20 {
      for _ in 0..<generator.below(200) { taken.append(try space.take()) }
      for _ in 0..<generator.below(150) where !taken.isEmpty {
        space.giveBack(taken.remove(at: generator.below(taken.count)))
      }
      let (root, pageCount) = try write(&disk, &space, stamp: UInt64(round + 1))
      #expect(space.changed.isEmpty)
      #expect(space.checkInvariants() == [])
      try expectSame(space, root, pageCount)
      for page in disk.ownPages { #expect(!space.spare.contains(page.place)) }
      #expect(Set(disk.ownPages).isDisjoint(with: Set(taken.map { PageID($0) })))
      if round % 5 == 0 { (disk, space) = try load(root, pageCount) }
    }
  }

  /// Before the fix, the regions were counted by those that had changed, and the depth by the size
  /// of the file.
  @Test(arguments: [31_990, 32_010, 100_000, 8_000_500, 16_100_000] as [UInt32]) func `a sparse map is loaded`(
    limit: UInt32
  ) throws {
    var space = Space(limit: limit)
    var disk = FreeMapDisk()
    let place = try space.take()
    let (root, pageCount) = try write(&disk, &space, stamp: 2)
    try expectSame(space, root, pageCount)
    space.giveBack(place)
    let next = try write(&disk, &space, stamp: 3)
    try expectSame(space, next.root, next.pageCount)
  }

  /// Before the fix, a file of two regions that shrank to one was reported as damaged.
  @Test func `a map that shrank is loaded, and its pages are freed`() throws {
    var space = Space(limit: 2)
    var disk = FreeMapDisk()
    let places = try (0..<70_000).map { _ throws(StoreError) in try space.take() }
    let large = try write(&disk, &space, stamp: 2)
    #expect(large.pageCount > 70_000)
    for place in places { space.giveBack(place) }
    var root = PageReference.none
    var pageCount: UInt32 = 0
    for round in UInt64(3)...8 {
      (root, pageCount) = try write(&disk, &space, stamp: round)
      space.reclaim(pins: [round], durable: round) { _ in }
      while space.trimTail() {}
      try expectSame(space, root, pageCount)
    }
    #expect(pageCount < 20)
    #expect(disk.ownPages.count == 2)
    let (loaded, _) = try load(root, pageCount)
    #expect(Set(loaded.ownPages) == Set(disk.ownPages))
  }

  /// Before the fix, it marked the old pages as free, then found no room for the new ones. The next
  /// checkpoint marked them again, and their places were given out twice.
  @Test func `a preparation without room changes nothing`() throws {
    var space = Space(limit: 2)
    var disk = FreeMapDisk()
    _ = try space.take()
    _ = try write(&disk, &space, stamp: 2)
    while space.free.count > 0 { _ = try space.take() }
    for room in UInt32(0)..<3 {
      space.largest = space.limit + room
      let before = (space.free.count, space.spare.count, space.waitingCount, space.limit)
      if failure({ () throws(StoreError) in
        _ = try disk.prepare(&space, stamp: 3, pins: [2, 3], durable: 2)
      }) == .diskFull {
        #expect(before == (space.free.count, space.spare.count, space.waitingCount, space.limit))
        #expect(space.checkInvariants() == [])
      }
    }
  }

  @Test func `each flipped byte of the map is noticed`() throws {
    var space = Space(limit: 2)
    var disk = FreeMapDisk()
    for _ in 0..<100 { _ = try space.take() }
    for place in UInt32(20)..<40 { space.giveBack(place) }
    let (root, pageCount) = try write(&disk, &space, stamp: 2)
    for page in disk.ownPages {
      for offset in stride(from: UInt64(0), to: 4096, by: 37) {
        let old = try file.bytes(1, at: page.byteOffset + offset)
        try file.write([old[0] ^ 4], at: page.byteOffset + offset)
        #expect(
          failure { () throws(StoreError) in
            var space = Space(limit: pageCount)
            _ = try FreeMapDisk.load(root, from: file, into: &space, stamp: 1)
          } == .damaged)
        try file.write(old, at: page.byteOffset + offset)
      }
    }
  }

  @Test func `a map never gives out the superblocks`() throws {
    var space = Space(limit: 10)
    space.load(word: 0, bits: .max)
    #expect(try space.take() >= 2)
  }
}
