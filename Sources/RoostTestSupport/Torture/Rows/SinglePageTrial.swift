internal import RoostBytes
internal import RoostFile
internal import RoostKV
internal import RoostPages
internal import RoostRecords
internal import RoostTrees

/// The bytes of a store of rows that exist once and tell where all others are: the superblocks, the tree of names, and the
/// tree that holds the catalog of entities.
struct SingleBytes {
  enum Kind: String, CaseIterable { case superblock, names, meta, catalog }

  /// Ranges of bytes in use, by what they hold.
  private(set) var ranges: [Kind: [Range<Int>]] = [:]

  /// Every bit in use, in the order of the file.
  var bits: [Int] {
    ranges.values.joined().sorted { $0.lowerBound < $1.lowerBound }.flatMap { $0.lowerBound * 8..<$0.upperBound * 8 }
  }

  init(_ healthy: HealthyRows) throws(StoreError) {
    ranges[.superblock] = [0, Page.size].flatMap { [$0..<$0 + 136, $0 + 4088..<$0 + Page.size] }
    let examination = try Store.examine(
      RowPlay.path, fileSystem: healthy.crash.image(.all), floor: RecordStore.floor)
    let view = examination.view
    add(.names, ByteTree(examination.snapshot.catalog, id: Page.catalogTree, view: view), in: healthy.file)
    let names = RoostTrees.Catalog(examination.snapshot, view: view)
    if let meta = try names.descriptor(Array("meta".utf8)) {
      add(.meta, ByteTree(meta.root, id: meta.id, view: view), in: healthy.file)
    }
  }

  private mutating func add(_ kind: Kind, _ tree: ByteTree, in file: [UInt8]) {
    _ = tree.verify { reached in
      switch reached {
      case .page(let page): ranges[kind, default: []] += Self.used(page, in: file)
      case .extents(let list):
        // The catalog of entities, where it has no room in its leaf.
        for extent in list.extents {
          let start = Int(extent.place) * Page.size
          ranges[.catalog, default: []].append(start..<start + Int(extent.storedBytes))
        }
      }
    }
  }

  /// The header, the slots and the heap of a page with byte keys.
  private static func used(_ page: PageID, in file: [UInt8]) -> [Range<Int>] {
    let start = Int(page.place) * Page.size
    let (count, heap) = file.withUnsafeBytes { bytes in
      let memory = bytes.baseAddress! + start
      return (Int(memory.u16(Page.Field.count)), Int(memory.u16(Page.Field.heapStart)))
    }
    return [start..<start + Page.headerSize + count * 8, start + heap..<start + Page.end]
  }
}

extension Trial {
  /// Number 19: one bit flips in a page that exists once. Opening, repairing and saving the store give what it held.
  ///
  /// A seed draws some bits. From a million on, a seed that ends with four zeros takes every bit in use of its store: each
  /// round of a soak begins with one, if its first seed is one.
  package static let singlePages = Trial(19, "pages that exist once", unit: "flipped bits", quota: 2_000) {
    seed, record in
    RowTrials.flipSingles(seed, record, draws: seed >= 1_000_000 && seed % 10_000 == 0 ? nil : 40)
  }
}

extension RowTrials {
  /// - Parameter draws: how many bits; nil for all.
  package static func flipSingles(_ seed: UInt64, _ record: TortureRecord, draws: Int?) {
    guard let healthy = HealthyRows(seed, isClosed: seed % 3 != 0, actions: 4, changes: 12),
      let single = try? SingleBytes(healthy)
    else { return record.fail(seed: seed, "the store whose bits flip cannot be made") }
    var generator = SplitMix64(seed: seed)
    let kinds = SingleBytes.Kind.allCases.filter { single.ranges[$0] != nil }
    let bits =
      draws.map { count in
        (0..<count).map { _ in
          let ranges = single.ranges[generator.pick(kinds)] ?? []
          let range = generator.pick(ranges)
          return range.lowerBound * 8 + generator.below(range.count * 8)
        }
      } ?? single.bits
    for (index, bit) in bits.enumerated() {
      guard record.wants(step: index + 1), !record.isFull else { continue }
      let kind = kinds.first { single.ranges[$0]?.contains { $0.contains(bit / 8) } == true }?.rawValue ?? ""
      record.place(seed, index + 1, "bit \(bit)")
      record.count += 1
      record.note(kind)
      for (way, complaint) in healthy.complaints(aboutBit: bit) {
        record.fail(
          seed: seed, step: index + 1, image: "bit \(bit)",
          "\(kind), bit \(bit % 8) of byte \(bit / 8), \(way): \(complaint)")
      }
    }
  }
}

extension HealthyRows {
  /// What is wrong with opening, with repairing and with saving the store if one bit has flipped.
  fileprivate func complaints(aboutBit bit: Int) -> [(way: String, complaint: String)] {
    var found: [(String, String)] = []
    func check(_ way: String, _ body: (SimulatedFileSystem) throws -> String?) {
      guard let image = RowTrials.spoiled(self, [(bit / 8, [file[bit / 8] ^ (1 << UInt8(bit % 8))])]) else {
        return found.append((way, "the bit cannot be flipped"))
      }
      do { if let complaint = try body(image) { found.append((way, complaint)) } } catch {
        found.append((way, "\(error)"))
      }
    }
    check("opening") { image in
      var repairs = 0
      switch outcome(image, repairs: &repairs) {
      case .right: return repairs == 1 ? nil : "\(repairs) repairs are told"
      case .older: return "an older state is taken silently"
      case .wrong(let sentence): return sentence
      case .error(let error): return "\(error)"
      }
    }
    check("repairing") { image in
      let repairs = try KeyValueStore.repair(RowPlay.path, fileSystem: image)
      let expected = PageRepairs.Repair(page: PageID(UInt32(bit / 8 / Page.size)), bit: bit % (Page.size * 8))
      if repairs != [expected] { return "\(repairs) was repaired" }
      return image.contents(of: RowPlay.path) == file ? nil : "the file is not as it was"
    }
    check("saving") { image in
      let copy = "/folder/copy.roost"
      let found = try KeyValueStore.salvage(
        from: RowPlay.path, to: copy, options: StoreOptions(), fileSystem: image,
        content: RowSalvage(clock: { 1_800_000_000_000 }))
      if !found.isComplete { return "\(found.losses)" }
      if found.repairedPages != 1 { return "\(found.repairedPages) repairs are told" }
      let store = try RecordStore(copy, fileSystem: image)
      defer { try? store.close() }
      if let finding = try store.verify().findings.first { return "\(finding)" }
      return try store.read { reader in
        if let difference = try RowState(reader).difference(from: past.models[past.begun].state) { return difference }
        guard let known = past.chronicles[past.begun] else { return nil }
        return try RowChronicle.digest(reader) == known ? nil : "another history is told"
      }
    }
    return found
  }
}
