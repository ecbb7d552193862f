internal import RoostBytes
internal import RoostFile
internal import RoostKV
package import RoostPages
internal import RoostRecords
internal import RoostTrees

/// The bytes of a store of rows that are needed to find all others: the superblocks, the tree of
/// names, and the tree with the catalog of entities.
struct SingleBytes {
  enum Kind: String, CaseIterable { case superblock, names, meta, catalog }

  /// Used ranges of bytes, by their content.
  private(set) var ranges: [Kind: [Range<Int>]] = [:]
  /// The pages that have a copy.
  private(set) var copies: [PageCopy] = []
  /// Pages of names, meta and catalog without a copy.
  private(set) var uncopied = Set<UInt32>()

  /// Every used bit, in the order of the file.
  var bits: [Int] {
    ranges.values.joined().sorted { $0.lowerBound < $1.lowerBound }.flatMap { $0.lowerBound * 8..<$0.upperBound * 8 }
  }

  init(_ healthy: HealthyRows) throws(StoreError) {
    ranges[.superblock] = [0, Page.size].flatMap { [$0..<$0 + 136, $0 + 4088..<$0 + Page.size] }
    let examination = try Store.examine(
      RowPlay.path, fileSystem: healthy.crash.image(.all), floor: RecordStore.floor)
    let view = examination.view
    add(.names, ByteTree(examination.snapshot.catalog, id: Page.catalogTree, view: view), in: healthy.file)
    let names = RoostTrees.TreeCatalog(examination.snapshot, view: view)
    if let meta = try names.descriptor(Array("meta".utf8)) {
      add(.meta, ByteTree(meta.root, id: meta.id, view: view), in: healthy.file)
    }
    copies = examination.copies
    for (kind, ranges) in ranges where kind != .superblock {
      for range in ranges {
        let last = (range.upperBound - 1) / Page.size
        for place in range.lowerBound / Page.size...last { uncopied.insert(UInt32(place)) }
      }
    }
    uncopied.subtract(copies.map(\.page.place))
  }

  private mutating func add(_ kind: Kind, _ tree: ByteTree, in file: [UInt8]) {
    _ = tree.verify { reached in
      switch reached {
      case .page(let page): ranges[kind, default: []] += Self.used(page, in: file)
      case .extents(let list):
        // The catalog of entities, if it is stored in extents.
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
  /// Trial 19: flips one bit in a page that is needed to find all others, or loses such a page,
  /// one of its sectors or its copy. Opening, repairing and salvaging the store must restore its
  /// content.
  ///
  /// A seed draws some bits. From a million on, a seed that ends with four zeros uses every used
  /// bit of its store: each round of a soak begins with one, if its first seed is one.
  package static let singlePages = Trial(19, "pages that tell of all others", unit: "damages", quota: 2_000) {
    seed, record in
    RowTrials.flipSingles(seed, record, draws: seed >= 1_000_000 && seed % 10_000 == 0 ? nil : 40)
  }
}

extension RowTrials {
  /// - Parameters:
  ///   - draws: the number of bits, and of pages and sectors; nil for all.
  ///   - breaking: changes the options of the store that writes the file.
  package static func flipSingles(
    _ seed: UInt64, _ record: TortureRecord, draws: Int?, breaking: (inout StoreOptions) -> Void = { _ in }
  ) {
    guard let healthy = HealthyRows(seed, isClosed: seed % 3 != 0, actions: 4, changes: 12, breaking: breaking),
      let single = try? SingleBytes(healthy)
    else { return record.fail(seed: seed, "the store whose bits flip cannot be made") }
    for place in single.uncopied { record.fail(seed: seed, "page \(place) has no copy") }
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
      record.place(seed, index + 1, image: "bit \(bit)")
      record.count += 1
      record.note(kind)
      let repair = PageRepairs.Repair(page: PageID(UInt32(bit / 8 / Page.size)), bit: bit % (Page.size * 8))
      let strike = (bit / 8, [healthy.file[bit / 8] ^ (1 << UInt8(bit % 8))])
      for (way, complaint) in healthy.complaints(about: strike, repair) {
        record.fail(
          seed: seed, step: index + 1, image: "bit \(bit)",
          "\(kind), bit \(bit % 8) of byte \(bit / 8), \(way): \(complaint)")
      }
    }
    losePages(healthy, single, seed: seed, record: record, after: bits.count, draws: draws)
  }

  /// Loses pages with a copy, sectors of them, and copies.
  private static func losePages(
    _ healthy: HealthyRows, _ single: SingleBytes, seed: UInt64, record: TortureRecord, after steps: Int,
    draws: Int?
  ) {
    var generator = SplitMix64(seed: seed &+ 19)
    var losses: [(loss: PageLoss, repair: PageRepairs.Repair, isPage: Bool)] = []
    for entry in single.copies {
      for loss in PageLoss.all {
        losses.append((loss, PageRepairs.Repair(page: entry.page, from: entry.copy), true))
        losses.append((loss, PageRepairs.Repair(page: entry.copy, from: entry.page), false))
      }
    }
    if losses.isEmpty { return }
    let chosen = draws.map { count in (0..<count).map { _ in generator.pick(losses) } } ?? losses
    for (index, (loss, repair, isPage)) in chosen.enumerated() {
      let step = steps + index + 1
      let strike = loss.strike(healthy, repair.page, generator: &generator)
      guard let strike, record.wants(step: step), !record.isFull else { continue }
      record.place(seed, step, image: "\(loss)")
      record.count += 1
      record.note("\(loss.name) of a \(isPage ? "page" : "copy")")
      for (way, complaint) in healthy.complaints(about: strike, repair, isRead: isPage) {
        record.fail(
          seed: seed, step: step, image: "\(loss)",
          "\(loss) of \(isPage ? "page" : "copy") \(repair.page.place), \(way): \(complaint)")
      }
    }
  }
}

/// The lost part of a page.
private enum PageLoss: CustomStringConvertible {
  case sector(Int), page, random, older

  static let all: [PageLoss] = (0..<8).map { .sector($0) } + [.page, .random, .older]

  var name: String {
    switch self {
    case .sector: "zeroed sector"
    case .page: "zeroed page"
    case .random: "random bytes"
    case .older: "older state"
    }
  }

  var description: String { if case .sector(let number) = self { "\(name) \(number)" } else { name } }

  /// The changed bytes; nil if nothing would change.
  func strike(
    _ healthy: HealthyRows, _ page: PageID, generator: inout SplitMix64
  ) -> (offset: Int, bytes: [UInt8])? {
    let start = Int(page.place) * Page.size
    let strike: (offset: Int, bytes: [UInt8])
    switch self {
    case .sector(let number): strike = (start + number * 512, [UInt8](repeating: 0, count: 512))
    case .page: strike = (start, [UInt8](repeating: 0, count: Page.size))
    case .random: strike = (start, generator.bytes(Page.size))
    case .older:
      guard start + Page.size <= healthy.older.count else { return nil }
      strike = (start, Array(healthy.older[start..<start + Page.size]))
    }
    let now = healthy.file[strike.offset..<strike.offset + strike.bytes.count]
    return now.elementsEqual(strike.bytes) ? nil : strike
  }
}

extension HealthyRows {
  /// The errors in opening, verifying, repairing and salvaging the store after these bytes changed.
  ///
  /// - Parameters:
  ///   - repair: the expected repair of the file.
  ///   - isRead: whether reading finds the damage: a copy is read only if its page is damaged.
  fileprivate func complaints(
    about strike: (offset: Int, bytes: [UInt8]), _ repair: PageRepairs.Repair, isRead: Bool = true
  ) -> [(way: String, complaint: String)] {
    var found: [(String, String)] = []
    func check(_ way: String, _ body: (SimulatedFileSystem) throws -> String?) {
      guard let image = RowTrials.spoiled(self, [strike]) else {
        return found.append((way, "the bytes cannot be changed"))
      }
      do { if let complaint = try body(image) { found.append((way, complaint)) } } catch {
        found.append((way, "\(error)"))
      }
    }
    check("opening") { image in
      var repairs = 0
      switch outcome(image, repairs: &repairs) {
      case .right: return repairs == (isRead ? 1 : 0) ? nil : "\(repairs) repairs are reported"
      case .older: return "an older state is used silently"
      case .wrong(let sentence): return sentence
      case .error(let error): return "\(error)"
      }
    }
    check("examining") { image in
      let findings = try KeyValueStore.verify(RowPlay.path, fileSystem: image).findings
      // A torn superblock is a note if the log holds everything after the other one.
      return repair.page.place < 2 || findings.contains { $0.page == UInt64(repair.page.place) } ? nil : "\(findings)"
    }
    check("repairing") { image in
      let repairs = try KeyValueStore.repair(RowPlay.path, fileSystem: image)
      if repairs != [repair] { return "\(repairs) was repaired" }
      return image.contents(of: RowPlay.path) == file ? nil : "the file is not as it was"
    }
    check("saving") { image in
      let copy = "/folder/copy.roost"
      let found = try KeyValueStore.salvage(
        from: RowPlay.path, to: copy, options: StoreOptions(), fileSystem: image,
        content: RowSalvage(clock: { 1_800_000_000_000 }))
      if !found.isComplete { return "\(found.losses)" }
      if found.repairedPages != (isRead ? 1 : 0) { return "\(found.repairedPages) repairs are reported" }
      let store = try RecordStore(copy, fileSystem: image)
      defer { try? store.close() }
      if let finding = try store.verify().findings.first { return "\(finding)" }
      return try store.read { reader in
        if let difference = try RowState(reader).difference(from: past.models[past.begun].state) { return difference }
        guard let known = past.chronicles[past.begun] else { return nil }
        return try RowChronicle.digest(reader) == known ? nil : "another history is read"
      }
    }
    return found
  }
}
