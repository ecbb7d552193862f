import RoostBytes
import RoostFile
@testable import RoostKV
import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTrees
import Synchronization
import Testing

/// A sector rots in the page that names all trees, or in the catalog of entities. Before the fix
/// each was in the file once, so no object could be read any more, although all rows were intact.
/// Such pages have a copy.
@Suite struct PageCopyTests {
  private static let path = "/a.roost"

  private final class Sayings: Sendable {
    let all = Mutex<[String]>([])
    func note(_ text: String) { all.withLock { $0.append(text) } }
    var texts: [String] { all.withLock { $0 } }
  }

  private struct Healthy {
    var fileSystem: SimulatedFileSystem
    var contents: [String: [[UInt8]: [UInt8]]]
    var bytes: [UInt8]
    /// The page some commits earlier.
    var older: [UInt8]
    var copies: [PageCopy]
  }

  /// A closed store with this number of trees.
  private func healthy(_ trees: Int = 3, fanout: Int = 8) throws -> Healthy {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var options = Care.options
    options.fanoutLimit = fanout
    let store = try KeyValueStore(Self.path, options: options, fileSystem: fileSystem)
    try store.write { writer in
      for tree in 0..<trees { try writer.tree("tree \(tree)").put("key", "first") }
    }
    try store.checkpoint()
    try store.write { try $0.tree("tree 0").put("key", "second") }
    try store.checkpoint()
    let older = try #require(fileSystem.contents(of: Self.path))
    for round in 0..<3 {
      try store.write { writer in
        for tree in 0..<trees { try writer.tree("tree \(tree)").put("key \(round)", "value \(tree)") }
      }
      try store.checkpoint()
    }
    let contents = try Care.contents(store)
    try store.close()
    return Healthy(
      fileSystem: fileSystem, contents: contents, bytes: try #require(fileSystem.contents(of: Self.path)), older: older,
      copies: try copies(fileSystem))
  }

  private func copies(_ fileSystem: SimulatedFileSystem, _ path: String = path) throws -> [PageCopy] {
    try Store.examine(path, fileSystem: fileSystem, floor: Replay.floor).copies
  }

  private func image(_ healthy: Healthy, _ pages: [PageID], with bytes: [UInt8]? = nil) throws -> SimulatedFileSystem {
    let image = healthy.fileSystem.crashImage(.all)
    var file = healthy.bytes
    for page in pages {
      let start = Int(page.place) * Page.size
      file.replaceSubrange(start..<start + Page.size, with: bytes ?? [UInt8](repeating: 0, count: Page.size))
    }
    try #require(image.overwrite(Self.path, with: file))
    return image
  }

  private func contents(
    _ image: SimulatedFileSystem, readOnly: Bool = false, _ sayings: Sayings = Sayings()
  ) throws -> (contents: [String: [[UInt8]: [UInt8]]], repaired: Int) {
    var options = Care.options
    options.readOnly = readOnly
    options.say = { sayings.note($0) }
    let store = try KeyValueStore(Self.path, options: options, fileSystem: image)
    defer { try? store.close() }
    let first = try Care.contents(store)
    #expect(try Care.contents(store) == first)
    return (first, try store.statistics(samples: 0).repairedPages)
  }

  // MARK: Reading

  @Test(arguments: [3, 60, 400]) func `a lost page of the tree of names is read from its copy, with one message`(
    trees: Int
  ) throws {
    let healthy = try healthy(trees)
    // One leaf, or branches too.
    #expect(healthy.copies.count == 1 || trees > 3)
    for entry in healthy.copies.prefix(12) {
      let sayings = Sayings()
      let found = try contents(image(healthy, [entry.page]), sayings)
      #expect(found.contents == healthy.contents && found.repaired == 1, "page \(entry.page.place)")
      let text = "\(Self.path): page \(entry.page.place): damaged; the bytes of page \(entry.copy.place) were taken"
      #expect(sayings.texts.count == 1 && sayings.texts[0].hasPrefix(text), "\(sayings.texts)")
      #expect(try contents(image(healthy, [entry.page]), readOnly: true).contents == healthy.contents)
      // A copy is read only if its page is damaged.
      let other = try contents(image(healthy, [entry.copy]))
      #expect(other.contents == healthy.contents && other.repaired == 0)
    }
  }

  /// Damage of a page often reaches its neighbours.
  @Test func `a copy is not beside its page`() throws {
    let healthy = try healthy(60)
    for entry in healthy.copies {
      let distance = abs(Int(entry.page.place) - Int(entry.copy.place))
      #expect(distance > 1, "page \(entry.page.place) has its copy at \(entry.copy.place)")
    }
  }

  @Test func `if a page and its copy are damaged, reading is a typed error`() throws {
    let healthy = try healthy()
    let entry = try #require(healthy.copies.first)
    for readOnly in [false, true] {
      let error = #expect(throws: StoreError.self) {
        try contents(image(healthy, [entry.page, entry.copy]), readOnly: readOnly)
      }
      #expect(error?.code == .damaged && error?.page == UInt64(entry.page.place))
    }
  }

  /// If the device lost the write of the copy, the old bytes are still there.
  @Test func `an older copy is never believed`() throws {
    let healthy = try healthy()
    let entry = try #require(healthy.copies.first)
    let image = try image(healthy, [entry.page])
    var file = try #require(image.contents(of: Self.path))
    let old = try #require(try oldNames(healthy))
    let start = Int(entry.copy.place) * Page.size
    file.replaceSubrange(start..<start + Page.size, with: old)
    // Such a copy claims to be the page.
    for byte in 8..<12 { file[start + byte] = UInt8(truncatingIfNeeded: entry.page.place >> UInt32(8 * (byte - 8))) }
    try #require(image.overwrite(Self.path, with: file))
    let error = #expect(throws: StoreError.self) { try contents(image) }
    #expect(error?.code == .damaged && error?.page == UInt64(entry.page.place))
  }

  /// The page of names some commits earlier.
  private func oldNames(_ healthy: Healthy) throws -> [UInt8]? {
    let image = healthy.fileSystem.crashImage(.all)
    try #require(image.overwrite(Self.path, with: healthy.older))
    let page = try Store.examine(Self.path, fileSystem: image, floor: Replay.floor).snapshot.catalog.reference.page
    let start = Int(page.place) * Page.size
    return Array(healthy.older[start..<start + Page.size])
  }

  /// A rotten sector often gives a read error instead of wrong bytes.
  @Test func `a page that cannot be read at all is read from its copy`() throws {
    let healthy = try healthy()
    let image = healthy.fileSystem.crashImage(.all)
    var options = Care.options
    options.say = { _ in }
    let store = try KeyValueStore(Self.path, options: options, fileSystem: image)
    // The page of names is the first one that is read.
    image.inject(FaultRule(.read, path: Self.path, .error(5)))
    #expect(try Care.contents(store) == healthy.contents)
    #expect(try store.statistics(samples: 0).repairedPages == 1)
    try store.close()
  }

  // MARK: Examining, repairing, saving

  @Test func `verify reports a damaged page and a damaged copy, and repairs both in the file`() throws {
    let healthy = try healthy()
    let entry = try #require(healthy.copies.first)
    #expect(try KeyValueStore.verify(Self.path, fileSystem: image(healthy, [])).findings == [])
    for (page, other, word) in [(entry.page, entry.copy, "is read instead"), (entry.copy, entry.page, "this copy")] {
      let image = try image(healthy, [page])
      let findings = try KeyValueStore.verify(Self.path, fileSystem: image).findings
      #expect(findings.map(\.page) == [UInt64(page.place)] && findings[0].sentence.contains(word), "\(findings)")
      let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: image.crashImage(.all))
      #expect(try store.verify().findings == findings)
      try store.close()
      let repairs = try KeyValueStore.repair(Self.path, fileSystem: image)
      #expect(repairs == [PageRepairs.Repair(page: page, from: other)])
      #expect(image.contents(of: Self.path) == healthy.bytes)
      #expect(try KeyValueStore.repair(Self.path, fileSystem: image) == [])
    }
  }

  @Test func `salvage loses nothing if a page has a copy`() throws {
    let healthy = try healthy(60)
    for entry in healthy.copies {
      let image = try image(healthy, [entry.page])
      let found = try KeyValueStore.salvage(
        from: Self.path, to: "/new.roost", options: Care.options, fileSystem: image)
      #expect(found.isComplete && found.repairedPages == 1 && found.unverified == 0, "\(found.losses)")
      let store = try KeyValueStore("/new.roost", options: Care.options, fileSystem: image)
      #expect(try Care.contents(store) == healthy.contents)
      try store.close()
    }
  }

  @Test func `the next write gives a damaged page and its copy new places`() throws {
    let healthy = try healthy()
    let entry = try #require(healthy.copies.first)
    let image = try image(healthy, [entry.page])
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: image)
    try store.write { try $0.tree("tree 0").put("key", "last") }
    try store.close()
    #expect(try KeyValueStore.verify(Self.path, fileSystem: image).findings == [])
    #expect(try !copies(image).map(\.page).contains(entry.page))
  }

  // MARK: The catalog of entities

  /// With some forty `fields`, the catalog does not fit into its leaf.
  @Test(arguments: [3, 60, 600]) func `every row is read if any page of the catalog of entities is lost`(fields: Int)
    throws
  {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    var options = RowDamage.options
    options.say = { _ in }
    let store = try RecordStore(RowDamage.path, options: options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
          for field in 0..<fields { try entity.add("field \(field &* 7_919) \(String(field, radix: 3))", .int64) }
        }
      }
      for number in 0..<20 { try writer.table("Item").insert(["field 0 0": .int(Int64(number))]) }
    }
    let state = try store.read { try RowState($0) }
    try store.close()
    let copies = try copies(fileSystem, RowDamage.path)
    // The leaf of names, the leaf of `meta`, and the catalog beside it.
    #expect(copies.count == (fields == 3 ? 2 : copies.count) && copies.count >= 2 && (fields < 600 || copies.count > 3))
    for entry in copies {
      func lost() throws -> SimulatedFileSystem {
        let image = fileSystem.crashImage(.all)
        try RowDamage.zero([entry.page], in: image)
        return image
      }
      let opened = try RecordStore(RowDamage.path, options: options, fileSystem: lost())
      #expect(try opened.read { try RowState($0) }.tables == state.tables, "page \(entry.page.place)")
      #expect(opened.store.takeRepairs() == [PageRepairs.Repair(page: entry.page, from: entry.copy)])
      try opened.close()
      let (found, _, copy, findings) = try RowDamage.salvage(lost())
      #expect(found.isComplete && found.repairedPages == 1 && findings == [], "\(found.losses)")
      #expect(try copy.read { try RowState($0) }.tables == state.tables)
      try copy.close()
      let image = try lost()
      #expect(try RecordStore.verify(RowDamage.path, fileSystem: image).findings.count == 1)
      #expect(try KeyValueStore.repair(RowDamage.path, fileSystem: image).count == 1)
      #expect(image.contents(of: RowDamage.path) == fileSystem.contents(of: RowDamage.path))
    }
  }

  // MARK: Places

  /// The copies cost no write in a commit.
  @Test func `a commit writes no page, and a checkpoint one more for the page of names`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { try $0.tree("a").put("key", "value") }
    try store.checkpoint()
    func pages() -> Int {
      defer { fileSystem.forgetSteps() }
      let writes = fileSystem.steps.filter { $0.kind == .write && $0.path == Self.path }
      return writes.reduce(0) { $0 + $1.length } / Page.size
    }
    _ = pages()
    try store.write { try $0.tree("a").put("key", "other") }
    #expect(pages() == 0)
    try store.checkpoint()
    // The leaf, the leaf of names and its copy, the map and its directory, a superblock.
    #expect(pages() == 6)
    try store.close()
  }

  /// One of three hundred trees changes: only the leaf that names it gets a new copy.
  @Test func `a checkpoint copies only what changed`() throws {
    let healthy = try healthy(300)
    let before = Set(healthy.copies)
    #expect(before.count > 40)
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: healthy.fileSystem)
    try store.write { try $0.tree("tree 7").put("key", "changed") }
    try store.close()
    let after = Set(try copies(healthy.fileSystem))
    // The leaf and the branches above it.
    #expect(after.subtracting(before).count < 8 && after.count == before.count)
  }

  /// More names than a superblock can list copies.
  @Test func `if there are too many pages the first ones have copies`() throws {
    let healthy = try healthy(1_500, fanout: 4)
    #expect(healthy.copies.count == 480)
    #expect(try KeyValueStore.verify(Self.path, fileSystem: healthy.fileSystem).findings == [])
    let examination = try Store.examine(Self.path, fileSystem: healthy.fileSystem, floor: Replay.floor)
    #expect(healthy.copies.map(\.page).contains(examination.snapshot.catalog.reference.page))
    // A crafted file may have branches that reference more pages than the memory can hold.
    #expect(RoostTrees.TreeCatalog.essentials(examination.snapshot, examination.view).count == 480)
    withExtendedLifetime(examination) {}
  }

  /// The list of copies may contain a page of something else, in a file with correct checks.
  @Test func `a copy at the place of a data page is reported and not repaired`() throws {
    let healthy = try healthy()
    let examination = try Store.examine(Self.path, fileSystem: healthy.fileSystem, floor: Replay.floor)
    let tree = try #require(
      try RoostTrees.TreeCatalog(examination.snapshot, view: examination.view).descriptor(Array("tree 1".utf8)))
    withExtendedLifetime(examination) {}
    var bytes = healthy.bytes
    for start in [0, Page.size] {
      bytes.withUnsafeMutableBytes { buffer in
        buffer.storeBytes(of: tree.root.reference.page.place, toByteOffset: start + 140, as: UInt32.self)
        let check = Checksum.of(UnsafeRawBufferPointer(rebasing: buffer[start..<start + Page.size - 8]))
        buffer.storeBytes(of: check, toByteOffset: start + Page.size - 8, as: UInt64.self)
      }
    }
    let fileSystem = healthy.fileSystem.crashImage(.all)
    try #require(fileSystem.overwrite(Self.path, with: bytes))
    let place = UInt64(tree.root.reference.page.place)
    let findings = try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings
    #expect(findings.filter { $0.page == place }.map(\.sentence) == ["the page is used twice"], "\(findings)")
    #expect(try KeyValueStore.repair(Self.path, fileSystem: fileSystem) == [])
    #expect(fileSystem.contents(of: Self.path) == bytes)
  }

  @Test func `a store without room is written without copies`() throws {
    let fileSystem = SimulatedFileSystem()
    var rooms: [Int] = []
    for pages in 6..<16 {
      var options = Care.options
      options.mostPages = UInt32(pages)
      let path = "/store \(pages)"
      let store = try KeyValueStore(path, options: options, fileSystem: fileSystem)
      do {
        try store.write { try $0.tree("a").put("key", "value") }
        try store.checkpoint()
      } catch let error as StoreError { #expect(error.code == .diskFull) }
      #expect(try Audit.findings(store) == [])
      try? store.close()
      rooms.append((try? copies(fileSystem, path).count) ?? -1)
    }
    #expect(rooms.contains(0) && rooms.last == 1, "\(rooms)")
  }

  @Test func `compaction moves copies too`() throws {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsSteps = false
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      for key in 0..<3_000 { try writer.tree("a").put("key \(key)", Care.value(key, 90)) }
    }
    try store.checkpoint()
    try store.write { try $0.tree("b").put("key", "value") }
    try store.checkpoint()
    try store.write { try $0.tree("a").removeAll() }
    let before = try store.statistics(samples: 0).pages
    try store.compact()
    #expect(try Audit.findings(store) == [])
    #expect(try store.statistics(samples: 0).pages < before / 3)
    try store.close()
    #expect(try copies(fileSystem).count == 1)
  }

  /// An examination runs while checkpoints are made. It pins the pages that it examines, and the
  /// copies too.
  @Test func `the copies that an examination compares stay during the examination`() throws {
    let healthy = try healthy(60)
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: healthy.fileSystem)
    try store.write { try $0.tree("tree 7").put("key", "changed") }
    try changeDuringExamination(store)
    #expect(try Audit.findings(store) == [])
    try store.close()
  }

  private func changeDuringExamination(_ store: KeyValueStore) throws {
    let examination = try store.store.examine()
    for round in 0..<6 {
      // One leaf of names changes, and then all of them.
      try store.write { writer in
        for tree in 0..<60 where tree == 7 || round > 0 { try writer.tree("tree \(tree)").put("key", "round \(round)") }
      }
      try store.checkpoint()
    }
    let essentials = RoostTrees.TreeCatalog.essentials(examination.snapshot, examination.view)
    #expect(examination.damagedCopies(essentials) == [])
    withExtendedLifetime(examination) {}
  }

  /// The numbers in a file may be anything, and the largest one has no successor.
  @Test func `a root at an impossible place is skipped`() throws {
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: SimulatedFileSystem())
    try store.write { try $0.tree("a").put("key", "value") }
    let reading = try store.store.beginRead()
    var snapshot = reading.snapshot
    #expect(RoostTrees.TreeCatalog.essentials(snapshot, reading.view).count == 1)
    snapshot.catalog.reference.page = PageID(.max)
    #expect(RoostTrees.TreeCatalog.essentials(snapshot, reading.view).isEmpty)
    store.store.endRead(reading)
    try store.close()
  }

  // MARK: Versions

  /// A file of version 1 has no copies. Without a write it is not changed.
  @Test func `a store of version 1 gets copies at its first write`() throws {
    let golden = try #require(GoldenVersion.all.first { $0.version == 1 })
    let sample = try golden.sample("closed")
    let fileSystem = SimulatedFileSystem()
    try sample.place(in: fileSystem, at: Self.path)
    let before = try #require(fileSystem.contents(of: Self.path))
    #expect(before[8] == 1)
    var store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    let contents = try Care.contents(store)
    try store.close()
    #expect(fileSystem.contents(of: Self.path) == before)
    #expect(try copies(fileSystem) == [])
    store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { _ = try $0.tree("one more") }
    #expect(try Care.contents(store).count == contents.count + 1)
    try store.close()
    let after = try #require(fileSystem.contents(of: Self.path))
    #expect(after[8] == 3 && after[Page.size + 8] == 3)
    #expect(try !copies(fileSystem).isEmpty)
    #expect(try KeyValueStore.verify(Self.path, fileSystem: fileSystem).findings == [])
  }
}
