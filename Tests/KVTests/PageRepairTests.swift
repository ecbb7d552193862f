import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Synchronization
import Testing

/// One bit of a page flips at rest. The page's check determines the bit, so the page is read as it
/// was written.
@Suite struct PageRepairTests {
  private static let path = "/a.roost"

  /// The messages of a store on standard error.
  private final class Sayings: Sendable {
    let all = Mutex<[String]>([])
    var count: Int { all.withLock { $0.count } }
    func note(_ text: String) { all.withLock { $0.append(text) } }
  }

  private func options(_ sayings: Sayings) -> StoreOptions {
    var options = Care.options
    options.say = { sayings.note($0) }
    return options
  }

  private struct Healthy {
    var fileSystem = SimulatedFileSystem()
    var contents: [String: [[UInt8]: [UInt8]]] = [:]
    var bytes: [UInt8] = []
    /// Places in use, with the superblocks, but without copies of pages.
    var used: [Int] = []
  }

  private func healthy(_ count: Int = 400) throws -> Healthy {
    var healthy = Healthy()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: healthy.fileSystem)
    try store.write { writer in
      for index in 0..<count {
        try writer.tree("names").put("name \(index * 7919 % count)", "value \(index)")
        try writer.table("rows").put(UInt64(index * 3), Care.value(index, index % 200))
      }
      _ = try writer.tree("empty")
      // Values beside their leaves, with as many bytes as the search for a bit allows.
      try writer.tree("large").put("random", Care.value(1, 6000))
      try writer.tree("large").put("text", Care.text(3, 9000))
      try writer.table("numbers").put(9, Care.value(5, 3000))
    }
    healthy.contents = try Care.contents(store)
    try store.close()
    healthy.bytes = try #require(healthy.fileSystem.contents(of: Self.path))
    let head = try #require(Reach.newest(healthy.bytes))
    let copies = Set(head.copies.map(\.copy))
    healthy.used = [0, 1] + Reach(head, in: healthy.bytes).places.subtracting(copies).map { Int($0) }.sorted()
    return healthy
  }

  /// A copy of the file system with flipped bits at each of these places.
  private func spoil(
    _ healthy: Healthy, _ places: [Int], bits: [Int] = [103 * 8 + 2]
  ) throws -> SimulatedFileSystem {
    let image = healthy.fileSystem.crashImage(.all)
    var bytes = healthy.bytes
    for place in places { for bit in bits { bytes[place * Page.size + bit / 8] ^= 1 << UInt8(bit % 8) } }
    try #require(image.overwrite(Self.path, with: bytes))
    return image
  }

  /// Before the fix, each of sixty flips in the page with the catalog made a store unreadable,
  /// although the page's check determines each of them.
  @Test func `a flipped bit in any used page is repaired in memory, counted, and reported once`() throws {
    let healthy = try healthy(60)
    #expect(healthy.used.count > 12)
    for place in healthy.used {
      let image = try spoil(healthy, [place])
      let sayings = Sayings()
      #expect(try !KeyValueStore.verify(Self.path, fileSystem: image).isSound || place < 2, "page \(place)")
      let store = try KeyValueStore(Self.path, options: options(sayings), fileSystem: image)
      #expect(try Care.contents(store) == healthy.contents, "page \(place)")
      #expect(try Care.contents(store) == healthy.contents, "page \(place)")
      let repaired = try store.statistics().repairedPages
      #expect(repaired == 1 && sayings.count == 1, "page \(place): \(repaired), \(sayings.all.withLock { $0 })")
      let text = "/a.roost: page \(place): bit 2 of byte 103 had flipped. It was repaired in memory"
      #expect(sayings.all.withLock { $0.first?.hasPrefix(text) } == true)
      try store.close()
    }
  }

  /// The search takes time that grows with the square of the bytes.
  @Test func `a flipped bit in a value of many pages is an error`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    let value = Care.value(1, 30_000)
    try store.write { try $0.tree("large").put("random", value) }
    try store.close()
    var bytes = try #require(fileSystem.contents(of: Self.path))
    let at = try #require(bytes.indices.first { bytes[$0...].prefix(16).elementsEqual(value[4096..<4112]) })
    bytes[at] ^= 1
    try #require(fileSystem.overwrite(Self.path, with: bytes))
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    let error = #expect(throws: StoreError.self) { try Care.contents(again) }
    #expect(error?.code == .damaged && error?.detail.contains("extent") == true)
    #expect(try again.statistics(samples: 0).repairedPages == 0)
    try again.close()
  }

  @Test(arguments: [[800, 801], [320, 32_000], [0, 1, 2]])
  func `more than one flipped bit is an error that names the page`(bits: [Int]) throws {
    let healthy = try healthy()
    let place = try #require(try leaves(healthy).first)
    let image = try spoil(healthy, [place], bits: bits)
    let sayings = Sayings()
    let store = try KeyValueStore(Self.path, options: options(sayings), fileSystem: image)
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try Care.contents(store) }
      #expect(error?.code == .damaged && error?.page == UInt64(place))
    }
    #expect(sayings.count == 0)
    #expect(try store.statistics(samples: 0).repairedPages == 0)
    try store.close()
  }

  private func leaves(_ healthy: Healthy) throws -> [Int] {
    healthy.used.dropFirst(2).filter { place in
      let at = place * Page.size
      return [2, 4].contains(healthy.bytes[at]) && healthy.bytes[at + 1] == 0 && healthy.bytes[at + 4] != 0
        && Int(healthy.bytes[at + 8]) + Int(healthy.bytes[at + 9]) << 8 == place
    }
  }

  /// A reader has no lock. A page with a wrong check may be one that a writer has used again.
  @Test func `a store opened for reading only repairs nothing`() throws {
    let healthy = try healthy()
    let place = try #require(try leaves(healthy).first)
    let image = try spoil(healthy, [place])
    let sayings = Sayings()
    var reading = options(sayings)
    reading.readOnly = true
    let store = try KeyValueStore(Self.path, options: reading, fileSystem: image)
    let error = #expect(throws: StoreError.self) { try Care.contents(store) }
    #expect(error?.code == .damaged && sayings.count == 0)
    try store.close()
  }

  @Test func `an opening makes a limited number of repairs, and then damage is an error`() throws {
    let healthy = try healthy(1200)
    let leaves = try leaves(healthy)
    try #require(leaves.count > PageRepairs.most + 10)
    let sayings = Sayings()
    for (count, isReadable) in [(PageRepairs.most, true), (PageRepairs.most + 1, false)] {
      let image = try spoil(healthy, Array(leaves.prefix(count)))
      let store = try KeyValueStore(Self.path, options: options(sayings), fileSystem: image)
      if isReadable {
        #expect(try Care.contents(store) == healthy.contents)
      } else {
        let error = #expect(throws: StoreError.self) { try Care.contents(store) }
        #expect(error?.code == .damaged)
      }
      #expect(try store.store.statistics().repairedPages == PageRepairs.most)
      try store.close()
    }
    #expect(sayings.count == 2 * PageRepairs.most)
  }

  /// With a small cache a page is read repeatedly.
  @Test func `a page that leaves the cache and comes back is repaired again and counted once`() throws {
    let healthy = try healthy(1200)
    let places = try leaves(healthy).prefix(10)
    let sayings = Sayings()
    var small = options(sayings)
    small.cacheBytes = 64 * Page.size
    let store = try KeyValueStore(Self.path, options: small, fileSystem: spoil(healthy, Array(places)))
    for _ in 0..<8 { #expect(try Care.contents(store) == healthy.contents) }
    let figures = try store.statistics()
    #expect(figures.repairedPages == 10 && sayings.count == 10)
    #expect(figures.pagesRead > 2 * healthy.used.count)
    try store.close()
  }

  /// A changed page is written again. An unchanged page keeps its flipped bit in the file, and it
  /// is still reported.
  @Test func `a repaired page that is changed is whole in the file afterwards`() throws {
    let healthy = try healthy()
    let sayings = Sayings()
    for place in try leaves(healthy).prefix(12) {
      let image = try spoil(healthy, [place])
      let store = try KeyValueStore(Self.path, options: options(sayings), fileSystem: image)
      for name in ["names", "rows", "large", "numbers"] {
        try store.write { writer in
          for key in healthy.contents[name]?.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) ?? [] {
            if ["names", "large"].contains(name) {
              try writer.tree(name).put(key, [UInt8](repeating: 1, count: 20))
            } else {
              try writer.table(name).put(UInt64(String(decoding: key, as: UTF8.self)) ?? 0, [1])
            }
          }
        }
      }
      let now = try Care.contents(store)
      try store.close()
      let found = try KeyValueStore.verify(Self.path, fileSystem: image)
      #expect(found.findings == [], "page \(place)")
      let again = try KeyValueStore(Self.path, options: options(Sayings()), fileSystem: image)
      #expect(try Care.contents(again) == now)
      try again.close()
    }
  }

  @Test func `the file is repaired to the bytes that were written`() throws {
    let healthy = try healthy(60)
    for place in healthy.used {
      let image = try spoil(healthy, [place])
      let repairs = try KeyValueStore.repair(Self.path, fileSystem: image)
      #expect(repairs == [PageRepairs.Repair(page: PageID(UInt32(place)), bit: 103 * 8 + 2)])
      #expect(image.contents(of: Self.path) == healthy.bytes, "page \(place)")
    }
    // Both superblocks and all leaves at once. After that there is nothing left to do.
    let many = try [0, 1] + leaves(healthy)
    let image = try spoil(healthy, many)
    #expect(try KeyValueStore.repair(Self.path, fileSystem: image).count == many.count)
    #expect(try KeyValueStore.repair(Self.path, fileSystem: image).isEmpty)
    #expect(image.contents(of: Self.path) == healthy.bytes)
    // It is on the disk.
    #expect(image.crashImage(.none).contents(of: Self.path) == healthy.bytes)
    // A page that cannot be repaired is not changed.
    let two = try spoil(healthy, [many[5]], bits: [800, 900])
    let before = two.contents(of: Self.path)
    #expect(try KeyValueStore.repair(Self.path, fileSystem: two).isEmpty)
    #expect(two.contents(of: Self.path) == before)
  }

  /// A superblock contains its own check, in its last eight bytes.
  @Test(arguments: [0, 1], [4088 * 8, 4092 * 8 + 5, 4095 * 8 + 7])
  func `a flipped bit in the check of a superblock is repaired`(slot: Int, bit: Int) throws {
    let healthy = try healthy(60)
    let sayings = Sayings()
    let store = try KeyValueStore(
      Self.path, options: options(sayings), fileSystem: spoil(healthy, [slot], bits: [bit]))
    #expect(try Care.contents(store) == healthy.contents && sayings.count == 1)
    try store.close()
    let image = try spoil(healthy, [slot], bits: [bit])
    let repairs = try KeyValueStore.repair(Self.path, fileSystem: image)
    #expect(repairs == [PageRepairs.Repair(page: PageID(UInt32(slot)), bit: bit)])
    #expect(image.contents(of: Self.path) == healthy.bytes)
  }

  @Test func `an open store is not repaired`() throws {
    let healthy = try healthy(60)
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: healthy.fileSystem)
    let error = #expect(throws: StoreError.self) {
      try KeyValueStore.repair(Self.path, fileSystem: healthy.fileSystem)
    }
    #expect(error?.code == .locked)
    try store.close()
  }

  /// A crash in the middle of a repair leaves each sector as it was, or repaired.
  @Test func `a crash during a repair leaves the file no worse`() throws {
    let healthy = try healthy(60)
    let places = healthy.used.prefix(6)
    for step in 0...places.count {
      let image = try spoil(healthy, Array(places))
      image.stopAfter(step: image.step + step)
      _ = try? KeyValueStore.repair(Self.path, fileSystem: image)
      for seed in 0..<6 as Range<UInt64> {
        let crashed = image.crashImage(.random(seed))
        let store = try KeyValueStore(Self.path, options: options(Sayings()), fileSystem: crashed)
        #expect(try Care.contents(store) == healthy.contents, "step \(step), seed \(seed)")
        try store.close()
      }
    }
  }

  @Test func `salvage repairs single bits too, and loses nothing`() throws {
    let healthy = try healthy(60)
    // Also both superblocks at once, although nothing else shows where the pages are.
    for places in healthy.used.map({ [$0] }) + [[0, 1]] {
      let image = try spoil(healthy, places)
      let found = try KeyValueStore.salvage(
        from: Self.path, to: "/new.roost", replacing: true, options: Care.options, fileSystem: image)
      #expect(found.isComplete && found.unverified == 0, "pages \(places): \(found.losses)")
      #expect(found.repairedPages == places.count, "pages \(places)")
      let store = try KeyValueStore("/new.roost", options: Care.options, fileSystem: image)
      #expect(try Care.contents(store) == healthy.contents, "pages \(places)")
      try store.close()
    }
  }
}
