import RoostFile
@testable import RoostKV
@testable import RoostPages
import RoostTestSupport
import RoostTrees
import Testing

@Suite struct CareVerifyTests {
  private static let path = "/a.roost"

  private func closedStore(_ fileSystem: SimulatedFileSystem, megabytes: Bool = true) throws {
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: megabytes)
    try store.close()
  }

  @Test func `a sound store is found sound, in memory and in a file`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store)
    let found = try store.verify()
    #expect(found.findings == [])
    #expect(found.trees == 5)
    #expect(found.entries == 400 - 80 + 400 + 4 + 1)
    #expect(found.largeValues == 5)
    #expect(found.pages == found.pagesRead + found.freePages + 2)
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])
    try store.close()
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])

    let memory = try KeyValueStore(inMemory: Care.options)
    try Care.fill(memory)
    let inside = try memory.verify()
    #expect(inside.findings == [])
    #expect(inside.entries == found.entries)
    try memory.close()
  }

  @Test func `an empty store is sound`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    #expect(try store.verify().findings == [])
    try store.write { _ = try $0.tree("a") }
    #expect(try store.verify().findings == [])
    try store.close()
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])
  }

  @Test func `readers and a writer continue while a store is examined`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store)
    try store.read { reader in
      let before = try reader.tree("names").count
      try store.write { try $0.tree("names").removeAll() }
      #expect(try store.verify().findings == [])
      #expect(try reader.tree("names").count == before)
      #expect(try reader.tree("names").string("name 7") != nil)
    }
    #expect(try store.verify().findings == [])
    try store.close()
  }

  @Test func `one flipped bit in any used page is found, and the page is named`() throws {
    let fileSystem = SimulatedFileSystem()
    try closedStore(fileSystem, megabytes: false)
    let healthy = try #require(fileSystem.contents(of: Self.path))
    let free = try Store.examine(Self.path, fileSystem: fileSystem, floor: Replay.floor).free
    var random = SplitMix64(seed: 11)
    for place in 0..<healthy.count / Page.size where !free.contains(UInt32(place)) {
      // The test does not try all pages of the large values.
      if place > 200 && place % 101 != 0 { continue }
      var bytes = healthy
      // An extent's last page may be used only in part, so the bit is among the first.
      bytes[place * Page.size + random.below(512)] ^= 1 << UInt8(random.below(8))
      #expect(fileSystem.overwrite(Self.path, with: bytes))
      let found = try KeyValueStore.verify(Self.path, fileSystem: fileSystem)
      #expect(!found.isSound, "page \(place)")
      // A damaged page of an extent is reported by the extent's first page.
      #expect(found.findings.contains { ($0.page ?? 0) <= UInt64(place) }, "page \(place): \(found.findings)")
    }
  }

  @Test func `every damage is reported, not only the first`() throws {
    let fileSystem = SimulatedFileSystem()
    try closedStore(fileSystem)
    var bytes = try #require(fileSystem.contents(of: Self.path))
    let pages = bytes.count / Page.size
    let leaves = (2..<pages).filter { place in
      let header = bytes[place * Page.size..<(place + 1) * Page.size].withUnsafeBytes { [UInt8]($0.prefix(24)) }
      let isLeaf = header[0] == Page.Kind.byteLeaf.rawValue || header[0] == Page.Kind.integerLeaf.rawValue
      return isLeaf && header[4] != 0 && header[8] == place & 255 && header[9] == place >> 8
    }
    let free = try Store.examine(Self.path, fileSystem: fileSystem, floor: Replay.floor).free
    let used = leaves.filter { !free.contains(UInt32($0)) }
    let chosen = stride(from: 0, to: used.count, by: 9).map { used[$0] }
    #expect(chosen.count > 5)
    for place in chosen { bytes[place * Page.size + 60] ^= 4 }
    bytes[Page.size + 20] ^= 3
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    let found = try KeyValueStore.verify(Self.path, fileSystem: fileSystem)
    let named = Set(found.findings.compactMap(\.page))
    for place in chosen { #expect(named.contains(UInt64(place))) }
    #expect(named.contains(1))

    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    let again = Set(try store.verify().findings.compactMap(\.page))
    // The opening wrote the superblock again.
    #expect(again == named.subtracting([1]))
  }

  /// Before the fix, recovery wrote the damaged superblock again, and `verify` reported it until
  /// the store was closed. After a power failure such a superblock is normal, but `verify` called
  /// it damage.
  @Test func `a superblock that a crash tore is a note until it is written again`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: false)
    let image = fileSystem.crashImage(.none)
    var bytes = try #require(image.contents(of: Self.path))
    bytes[(1 - store.store.durableSlot) * Page.size + 20] ^= 3
    #expect(image.overwrite(Self.path, with: bytes))
    let torn = try KeyValueStore.verify(Self.path, fileSystem: image)
    #expect(torn.isSound && torn.notes.map(\.page) == [UInt64(1 - store.store.durableSlot)])
    // For a salvage it is a loss: it may be one that rotted, and the log no longer has its commits.
    let saved = try KeyValueStore.salvage(
      from: Self.path, to: "/new.roost", options: Care.options, fileSystem: image)
    #expect(saved.losses.contains { $0.sentence.contains("superblock") }, "\(saved.losses)")
    let again = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
    #expect(again.store.hadDamagedSuperblock)
    #expect(try again.verify().findings == [])
    #expect(try again.verify().notes == [])
    try again.close()
    let closed = try KeyValueStore.verify(Self.path, fileSystem: image)
    #expect(closed.isSound && closed.notes == [])
    try store.close()
  }

  /// A closed store has not crashed, even if another store's log is beside it.
  @Test(arguments: [false, true])
  func `a damaged superblock of a closed store is damage, and the next opening writes it again`(hasLog: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store, megabytes: false)
    try store.close()
    let slot = 1 - store.store.durableSlot
    var bytes = try #require(fileSystem.contents(of: Self.path))
    bytes[slot * Page.size + 20] ^= 3
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    let other = SimulatedFileSystem()
    let idle = try KeyValueStore("/b.roost", options: Care.options, fileSystem: other)
    defer { try? idle.close() }
    try idle.write { _ = try $0.tree("a") }
    if hasLog {
      let log = try fileSystem.open(Self.path + "-log", .writeOrCreate)
      try log.write(try #require(other.contents(of: "/b.roost-log")), at: 0)
      log.close()
    }
    let found = try KeyValueStore.verify(Self.path, fileSystem: fileSystem)
    #expect(found.findings.map(\.page) == [UInt64(slot)] && found.notes == [])
    var options = Care.options
    options.say = { _ in }
    // Nothing is committed.
    try KeyValueStore(Self.path, options: options, fileSystem: fileSystem).close()
    let mended = try KeyValueStore.verify(Self.path, fileSystem: fileSystem)
    #expect(mended.isSound && mended.notes == [])
  }

  /// Each crash while a store is created, written and closed leaves superblocks that are whole or
  /// torn.
  @Test func `verify succeeds after every crash`() throws {
    let fileSystem = SimulatedFileSystem()
    var points: [CrashPoint] = []
    try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem).close()
    fileSystem.onStep = { [unowned fileSystem] _ in points.append(fileSystem.crashPoint()) }
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    for number in 0..<3 {
      try store.write { try $0.tree("t").put("a", "\(number)") }
      try store.checkpoint()
    }
    try store.close()
    fileSystem.onStep = nil
    var notes = 0
    for point in points {
      for choice in point.choices(CrashPolicy(exhaustiveUpTo: 4, ofEach: 2, randoms: 4, garbage: 6, seed: 5)) {
        let found = try KeyValueStore.verify(Self.path, fileSystem: point.image(choice))
        #expect(found.findings == [], "\(point.step), \(choice)")
        notes += found.notes.count
      }
    }
    #expect(notes > 0)
  }

  @Test func `a lost place, and a place with two owners, are found`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try Care.fill(store)
    try store.checkpoint()
    try store.write { try $0.tree("large").remove("many") }
    for _ in 0..<2 {
      try store.checkpoint()
      try store.write { try $0.tree("names").put("a", "b") }
    }
    let lost = try store.store.space.take()
    try store.write { try $0.tree("names").put("a", "b") }
    let found = try store.verify().findings
    #expect(found.count == 1, "\(found)")
    #expect(found.first?.page == UInt64(lost))
    #expect(found.first?.invariant == 4)
    store.store.space.giveBack(lost)

    let rows = try #require(try store.read { try $0.catalog.descriptor(Array("rows".utf8)) })
    let used = rows.root.reference.page.place
    store.store.space.giveBack(used)
    try store.write { try $0.tree("empty").put("a", "b") }
    let twice = try store.verify().findings
    #expect(twice.contains { $0.invariant == 4 && $0.page == UInt64(used) && $0.tree == "rows" }, "\(twice)")
  }

  /// Before the fix, the file ended within the value's last page, and then was refused as
  /// truncated.
  @Test func `a large value may be at the end of the file`() throws {
    let fileSystem = SimulatedFileSystem()
    var store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { try $0.tree("a").put("gone", Care.value(1, 90_000)) }
    try store.checkpoint()
    try store.write { try $0.tree("a").remove("gone") }
    try store.checkpoint()
    try store.write { try $0.tree("a").put("last", Care.value(2, 1_300_000)) }
    #expect(try store.verify().findings == [])
    try store.close()
    store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    #expect(try store.read { try $0.tree("a").value("last") } == Care.value(2, 1_300_000))
    #expect(try store.verify().findings == [])
    try store.close()
  }

  @Test func `a damaged log is found`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    for round in 0..<20 { try store.write { try $0.tree("t").put("\(round)", Care.value(round, 300)) } }
    let log = Self.path + "-log"
    var bytes = try #require(fileSystem.contents(of: log))
    let image = fileSystem.crashImage(.all)
    #expect(try KeyValueStore.verify(Self.path, fileSystem: image).isSound)
    bytes[4096 + 96 + 1200] ^= 1
    #expect(image.overwrite(log, with: bytes))
    let found = try KeyValueStore.verify(Self.path, fileSystem: image)
    #expect(found.findings.count == 1)
    try image.remove(log)
    #expect(try KeyValueStore.verify(Self.path, fileSystem: image).findings.first?.invariant == 9)
    try store.close()
  }

  @Test func `a file that is not a store is refused, and one without superblocks is reported`() throws {
    let fileSystem = SimulatedFileSystem()
    try closedStore(fileSystem)
    var bytes = try #require(fileSystem.contents(of: Self.path))
    let whole = bytes
    bytes[100] ^= 1
    bytes[Page.size + 100] ^= 1
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings.count == 1)
    bytes = Array(whole[..<(whole.count / 2)])
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings.count > 1)
    bytes = [UInt8](repeating: 9, count: 20_000)
    #expect(fileSystem.overwrite(Self.path, with: bytes))
    #expect(
      failure { () throws(StoreError) in _ = try KeyValueStore.verify(Self.path, fileSystem: fileSystem) } == .notAStore
    )
    #expect(
      failure { () throws(StoreError) in _ = try KeyValueStore.verify("/absent", fileSystem: fileSystem) } == .notFound)
  }
}
