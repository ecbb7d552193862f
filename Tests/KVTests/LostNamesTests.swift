import RoostFile
@testable import RoostKV
import RoostPages
import RoostRecords
import RoostTestSupport
import RoostTrees
import Testing

/// The page with the roots of the trees is lost, and its copy too. It is one page in an ordinary
/// store.
@Suite struct LostNamesTests {
  private static let path = "/a.roost"
  private typealias Contents = [String: [[UInt8]: [UInt8]]]

  private struct Lost {
    var image: SimulatedFileSystem
    var contents: Contents
  }

  /// A store of several checkpoints that has lost the catalog's leaf. An older one is in a free
  /// place.
  private func lost(_ seed: UInt64, _ spoil: (inout [UInt8], Int) -> Void) throws -> Lost {
    let fileSystem = SimulatedFileSystem()
    var options = Care.options
    options.fanoutLimit = .max
    options.closingStep = 0
    let store = try KeyValueStore(Self.path, options: options, fileSystem: fileSystem)
    var generator = SplitMix64(seed: seed)
    // The first leaf of the catalog has empty trees.
    try store.write { writer in
      for name in ["few", "many", "late", "still", "emptied"] { _ = try writer.tree(name) }
      _ = try writer.table("rows")
      for name in ["still", "emptied"] {
        for key in 0..<30 { try writer.tree(name).put("key \(key)", "never changed") }
      }
    }
    try store.checkpoint()
    for round in 0..<6 {
      try store.write { writer in
        for _ in 0..<60 {
          let key = generator.below(500)
          try writer.tree("many").put("key \(key)", Care.value(key &* round, 40))
          try writer.table("rows").put(UInt64(key), Care.value(key &+ round, 60))
          if generator.chance(1, in: 5) { try writer.table("rows").remove(UInt64(generator.below(500))) }
          if generator.chance(1, in: 5) { try writer.tree("many").remove("key \(generator.below(500))") }
        }
        try writer.tree("few").put("\(round)", "one")
        if round == 5 { try writer.tree("late").put("a", "b") }
        // The newest leaf with its name in a free place has it with entries.
        if round == 5 { for key in 0..<30 { try writer.tree("emptied").remove("key \(key)") } }
      }
      try store.checkpoint()
    }
    let contents = try Care.contents(store)
    try store.close()
    var bytes = try #require(fileSystem.contents(of: Self.path))
    let head = try Store.examine(Self.path, fileSystem: fileSystem, floor: Replay.floor).snapshot.catalog
    try #require(head.level == 0)
    for page in try RowDamage.withCopies([head.reference.page], fileSystem, Self.path) {
      spoil(&bytes, Int(page.place) * Page.size)
    }
    try #require(fileSystem.overwrite(Self.path, with: bytes))
    return Lost(image: fileSystem, contents: contents)
  }

  private func salvage(_ image: SimulatedFileSystem) throws -> (Salvage, Contents) {
    let found = try KeyValueStore.salvage(
      from: Self.path, to: "/new.roost", replacing: true, options: Care.options, fileSystem: image)
    let store = try KeyValueStore("/new.roost", options: Care.options, fileSystem: image)
    defer { try? store.close() }
    #expect(try store.verify().findings == [])
    return (found, try Care.contents(store))
  }

  /// Older leaves of the catalog are in free places. Before the fix, their outdated or empty roots
  /// were believed: none of 578 rows was saved, without a report.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `without the leaf that names the trees everything is found in the trees' leaves, and nothing older`(
    seed: UInt64
  ) throws {
    let lost = try lost(seed) { bytes, start in
      bytes.replaceSubrange(start..<start + Page.size, with: [UInt8](repeating: 0, count: Page.size))
    }
    let (found, contents) = try salvage(lost.image)
    #expect(contents == lost.contents, "seed \(seed)")
    #expect(found.unverified >= lost.contents["rows"]?.count ?? 0)
    // A tree that has changed since is reported by its name. The others are unchanged.
    for name in ["few", "many", "late", "rows"] {
      #expect(found.losses.contains { $0.tree == name && $0.sentence.contains("root is lost") }, "\(name)")
    }
    #expect(!found.losses.contains { $0.tree == "still" })
    #expect(found.trees.first { $0.name == "still" }?.unverified == 0)
  }

  /// The map of free places shows which leaves are in use. Without it the newest leaf of each key
  /// counts.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `without the map of free places too, the newest value of each key is saved`(seed: UInt64) throws {
    let lost = try lost(seed) { bytes, start in
      bytes.replaceSubrange(start..<start + Page.size, with: [UInt8](repeating: 0, count: Page.size))
      // Both superblocks, so that the map cannot be found.
      for byte in 0..<2 * Page.size { bytes[byte] = 0 }
    }
    let (found, contents) = try salvage(lost.image)
    #expect(!found.isComplete)
    for name in ["few", "many", "rows", "still"] {
      for (key, value) in lost.contents[name] ?? [:] {
        #expect(contents[name]?[key] == value, "seed \(seed): \(name) \(String(decoding: key, as: UTF8.self))")
      }
    }
  }

  /// Before the fix, a tree whose name was in no older leaf and whose number was below that of a
  /// known tree was left out.
  @Test func `a tree whose name is lost is saved under its number`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try KeyValueStore(Self.path, options: Care.options, fileSystem: fileSystem)
    try store.write { writer in
      for name in ["a", "b", "c"] { for key in 0..<300 { try writer.tree(name).put("\(name) \(key)", "value") } }
    }
    try store.close()
    var bytes = try #require(fileSystem.contents(of: Self.path))
    let catalog = try Store.examine(Self.path, fileSystem: fileSystem, floor: Replay.floor).snapshot.catalog
    // "b", the second tree, gets an invalid descriptor.
    let start = Int(catalog.reference.page.place) * Page.size
    let at = try #require(
      (start..<start + Page.size - 36).first { place in
        bytes[place] == 2 && bytes[place + 1..<place + 4].allSatisfy { $0 == 0 } && bytes[place + 4] == 2
          && bytes[place + 6] == 0 && bytes[place + 7] == 0 && bytes[place + 20] == 44
      })
    for page in try RowDamage.withCopies([catalog.reference.page], fileSystem, Self.path) {
      bytes[Int(page.place) * Page.size + at - start + 4] = 77
    }
    try #require(fileSystem.overwrite(Self.path, with: bytes))
    let (found, contents) = try salvage(fileSystem)
    #expect(!found.isComplete)
    #expect(contents["a"]?.count == 300 && contents["c"]?.count == 300)
    #expect(contents["recovered 2"]?.count == 300, "\(contents.mapValues(\.count))")
  }

  // MARK: Rows

  /// A store of rows with several checkpoints, closed.
  private func rows(_ seed: UInt64) throws -> (image: SimulatedFileSystem, state: RowState) {
    var scenario = RowScenario(seed, actions: 0)
    scenario.options = RowDamage.options
    scenario.options.say = { _ in }
    scenario.options.closingStep = 0
    let play = RowPlay(scenario)
    play.run()
    for round in 0..<5 {
      play.run(.write(seed: seed &* 100 &+ UInt64(round), changes: 30, .full, abandons: false))
      play.run(.checkpoint)
    }
    play.close()
    try #require(play.failures == [])
    defer { play.abandon() }
    return (play.fileSystem.crashImage(.all), play.past.models[play.past.begun].state)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `without the leaves that name the trees every row is saved, and lost roots are reported`(seed: UInt64) throws {
    let (image, state) = try rows(seed)
    let names = try RowDamage.pages(image).filter { $0.name == "catalog" }.map(\.page)
    try RowDamage.zero(RowDamage.withCopies(names, image), in: image)
    let (found, _, store, findings) = try RowDamage.salvage(image)
    defer { try? store.close() }
    // A tree that is newer than every leaf with names has no name.
    #expect(findings.filter { !$0.contains("belongs to nothing") } == [], "seed \(seed)")
    #expect(!found.isComplete && found.losses.contains { $0.sentence.contains("root is lost") })
    let saved = try store.read { try RowState($0) }
    for (entity, wanted) in state.tables {
      #expect(saved.tables[entity]?.count == wanted.count, "seed \(seed): \(entity), \(found.losses)")
      for (id, values) in wanted {
        #expect(saved.tables[entity]?[id] == values, "seed \(seed): row \(id) of \(entity)")
      }
    }
  }

  /// A page with several wrong bytes still had a valid form. Before the fix, its catalog of
  /// entities was used: the copy was unreadable, and the error advised another salvage.
  @Test
  func `an invalid catalog of entities is not used if there is an older one`() throws {
    let fileSystem = SimulatedFileSystem()
    let store = try RecordStore(RowDamage.path, options: RowDamage.options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
          for field in 0..<3 { try entity.add("a field with the number \(field)", .int64) }
        }
      }
    }
    for round in 0..<3 {
      try store.write { writer in
        for number in 0..<20 {
          try writer.table("Item").insert(["a field with the number 1": .int(Int64(number + round * 100))])
        }
      }
      try store.store.checkpoint()
    }
    let catalog = try store.read { $0.catalog.encoded }
    let state = try store.read { try RowState($0) }
    try store.close()
    let free = try Store.examine(RowDamage.path, fileSystem: fileSystem, floor: RecordStore.floor).free
    var changed = 0
    try RowDamage.change(fileSystem, RowDamage.path) { bytes in
      for place in 2..<bytes.count / Page.size where !free.contains(UInt32(place)) {
        guard let at = Self.find(catalog.prefix(60), in: bytes, place * Page.size..<(place + 1) * Page.size) else {
          continue
        }
        // The form of the catalog, and a name.
        bytes[at] = 99
        bytes[at + 40] ^= 7
        changed += 1
      }
    }
    // The page and its copy.
    try #require(changed == 2)
    let (found, rows, copy, findings) = try RowDamage.salvage(fileSystem)
    defer { try? copy.close() }
    #expect(findings == [], "\(found.losses)")
    #expect(found.losses.contains { $0.sentence == "the catalog cannot be read, and an older one is used" })
    #expect(rows.entities.map(\.name) == ["Item"], "\(found.losses)")
    #expect(try copy.read { try RowState($0) }.tables == state.tables)
  }

  /// With some forty properties the catalog does not fit into its leaf, and is stored beside it. It
  /// is stored once, whatever leaf names it.
  @Test func `a flipped bit in a catalog beside its leaf loses nothing`() throws {
    let fileSystem = SimulatedFileSystem()
    var options = RowDamage.options
    options.say = { _ in }
    let store = try RecordStore(RowDamage.path, options: options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in
          for field in 0..<60 { try entity.add("a field with the number \(field)", .int64) }
        }
      }
      for number in 0..<20 { try writer.table("Item").insert(["a field with the number 7": .int(Int64(number))]) }
    }
    let state = try store.read { try RowState($0) }
    try store.close()
    let examination = try Store.examine(RowDamage.path, fileSystem: fileSystem, floor: RecordStore.floor)
    let trees = RoostTrees.TreeCatalog(examination.snapshot, view: examination.view)
    let meta = try #require(try trees.descriptor(Array("meta".utf8)))
    var extents: [ExtentList.Extent] = []
    try ByteTree(meta.root, id: meta.id, view: examination.view).survey(gap: { _ in }) { (_, value) in
      if value.isExtents, let list = ExtentList(decoding: value.bytes) { extents += list.extents }
    }
    let extent = try #require(extents.first)
    var generator = SplitMix64(seed: 3)
    for _ in 0..<12 {
      let bit = Int(extent.place) * Page.size * 8 + generator.below(Int(extent.storedBytes) * 8)
      func flipped() throws -> SimulatedFileSystem {
        let image = fileSystem.crashImage(.all)
        try RowDamage.change(image, RowDamage.path) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
        return image
      }
      let opened = try RecordStore(RowDamage.path, options: options, fileSystem: flipped())
      #expect(try opened.read { try RowState($0) }.tables == state.tables, "bit \(bit)")
      #expect(opened.store.takeRepairs().count == 1)
      try opened.close()
      let (found, _, copy, findings) = try RowDamage.salvage(flipped())
      #expect(found.isComplete && found.repairedPages == 1 && findings == [], "bit \(bit): \(found.losses)")
      #expect(try copy.read { try RowState($0) }.tables == state.tables, "bit \(bit)")
      try copy.close()
      let image = try flipped()
      #expect(try KeyValueStore.repair(RowDamage.path, fileSystem: image).count == 1)
      #expect(image.contents(of: RowDamage.path) == fileSystem.contents(of: RowDamage.path))
    }
  }

  private static func find(_ part: ArraySlice<UInt8>, in bytes: [UInt8], _ range: Range<Int>) -> Int? {
    range.first { $0 + part.count <= bytes.count && bytes[$0..<$0 + part.count].elementsEqual(part) }
  }
}

/// A file with correct checks whose history Roost did not write.
@Suite struct ForgedHistoryTests {
  enum Lie: CaseIterable { case olderTime, wrongCount, unknownTransaction, unreadable, noGap }

  /// Before the fix, salvage repaired the history only if a page was lost, so the copy did not pass
  /// `verify`.
  @Test(arguments: Lie.allCases, [1, 4, 9])
  func `a history that is out of order is repaired although nothing is lost`(lie: Lie, at: Int) throws {
    let fileSystem = SimulatedFileSystem()
    let store = try RecordStore(RowDamage.path, options: RowDamage.options, fileSystem: fileSystem)
    try store.write { writer in
      try writer.change { catalog in
        try catalog.add(entity: "Item") { (entity) throws(RecordFault) in try entity.add("number", .int64) }
      }
    }
    for number in 0..<12 {
      try store.write { try $0.table("Item").insert(["number": .int(Int64(number))]) }
    }
    let state = try store.read { try RowState($0) }
    try store.close()
    let keys = try KeyValueStore(RowDamage.path, options: RowDamage.options, fileSystem: fileSystem)
    var all: [(UInt64, [UInt8])] = []
    try keys.read { reader in
      try reader.table("history").forEach { key, value in
        all.append((key, value.withUnsafeBytes { [UInt8]($0) }))
        return true
      }
    }
    try #require(all.count > at)
    try keys.write { writer in
      var (key, value) = all[at]
      switch lie {
      case .olderTime: for byte in 7..<15 { value[byte] = 0 }
      case .wrongCount: value[1] ^= 8
      case .unknownTransaction: key = 1_000_000
      case .unreadable: value.removeLast()
      // A gap that never ends, in the middle of the history.
      case .noGap: value = [3] + value[7..<15] + [UInt8](repeating: 0, count: 8)
      }
      try writer.table("history").put(key, value)
    }
    try keys.close()
    #expect(try !RecordStore.verify(RowDamage.path, fileSystem: fileSystem).isSound)
    let (found, _, copy, findings) = try RowDamage.salvage(fileSystem)
    defer { try? copy.close() }
    #expect(findings == [], "\(found.losses)")
    #expect(
      found.losses.contains { $0.sentence.hasPrefix("the history begins after transaction ") }, "\(found.losses)")
    #expect(try copy.read { try RowState($0) }.tables == state.tables)
  }
}
