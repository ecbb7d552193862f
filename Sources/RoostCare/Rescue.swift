internal import RoostBytes
package import RoostFile
package import RoostPages
package import RoostTrees

/// Salvages a damaged store. Every step continues after parts that it cannot read.
///
/// An unreadable part is a loss, never an error. An error means that the new store cannot be
/// written.
package final class Rescue {
  package let examination: Examination
  package let target: Workpiece
  private(set) var losses: [Salvage.Loss] = []
  /// The number of replayed records of the log.
  var records = 0
  private(set) var names: [UInt32: [UInt8]] = [:]
  /// Trees whose older root alone is known, and the ranges that their newer leaves cover.
  var outdated: [UInt32: TreeDescriptor] = [:]
  private var coveredBytes: [UInt32: KeyRanges<[UInt8]>] = [:]
  private var coveredNumbers: [UInt32: KeyRanges<UInt64>] = [:]
  private var unverified: [UInt32: Int] = [:]
  private var unverifiedNumbers: [UInt32: NumberRuns] = [:]
  /// Keys of tables whose large values are lost.
  private var lostNumbers: [UInt32: [UInt64]] = [:]
  /// The module above that can repair trees, and whether the trees belong to it.
  private let content: (any SalvagedContent)?
  private let log: (any SalvagedLog)?
  private(set) var isContent = false
  /// Trees that are built again from others.
  private var derived: Set<UInt32> = []
  private var lossy: Set<[UInt8]> = []
  var reached = PlaceSet()
  /// The key ranges of each tree that could not be read.
  private var byteGaps: [UInt32: [(low: [UInt8], high: [UInt8]?)]] = [:]
  private var numberGaps: [UInt32: [(low: UInt64, high: UInt64?)]] = [:]
  /// Whether some trees may be missing in the catalog.
  var lostNames = false

  private let report: ((SalvageProgress) throws(StoreError) -> Void)?
  private var progress = SalvageProgress(entries: 0, total: 0)

  init(
    _ examination: Examination, into target: Workpiece, content: (any SalvagedContent)?, log: (any SalvagedLog)?,
    report: ((SalvageProgress) throws(StoreError) -> Void)?
  ) {
    self.content = content
    self.log = log
    self.examination = examination
    self.target = target
    self.report = report
  }

  private func count() throws(StoreError) {
    progress.entries += 1
    if progress.entries % 4096 == 0 { try tell() }
  }

  /// Reports the progress.
  func tell() throws(StoreError) { try report?(progress) }

  func run(_ fileSystem: any FileSystem) throws(StoreError) {
    // A superblock that a crash seems to have torn may have rotted, and the log may have lost its
    // commits too.
    for complaint in examination.complaints + examination.notes { lose(nil, complaint) }
    let trees = try catalog()
    for tree in trees {
      let (sum, overflows) = progress.total.addingReportingOverflow(Int(clamping: tree.descriptor.root.count))
      progress.total = overflows ? .max : sum
    }
    try save(trees)
    try searchLooseLeaves()
    for id in outdated.keys.sorted() { try takeOlder(id) }
    if let content, !isContent { isContent = try ownsLog(content, fileSystem) }
    if let content, isContent {
      try carryOut(content, fileSystem)
    } else {
      try carryOutLog(log, fileSystem)
    }
  }

  private func save(_ trees: [NamedTree]) throws(StoreError) {
    if let content, let decisive = trees.first(where: { $0.name == content.decisiveTree }) {
      try save(decisive)
      // If one of its pages is damaged, the decisive entry may still be found.
      let id = decisive.descriptor.id
      if byteGaps[id] != nil { try searchLooseLeaves(of: id) }
      try takeOlder(id)
      isContent = try content.owns(target.forest)
      if !isContent, lossy.contains(decisive.name) { isContent = try findOlderKey(content, id) }
    }
    for tree in trees where content == nil || tree.name != content?.decisiveTree {
      if isContent, content?.isDerived(tree.name) == true { derived.insert(tree.descriptor.id) }
      try save(tree)
    }
  }

  func result() -> Salvage {
    var salvage = Salvage()
    salvage.repairedPages = examination.repairs.count
    salvage.losses = losses
    salvage.records = records
    for index in losses.indices {
      guard let title = losses[index].tree.flatMap({ content?.title(of: Array($0.utf8)) }), isContent else { continue }
      (salvage.losses[index].tree, salvage.losses[index].isTitled) = (title, true)
    }
    for (id, name) in names.sorted(by: { $0.key < $1.key }) {
      guard let tree = try? target.forest.find(id: id) else { continue }
      salvage.trees.append(
        Salvage.SavedTree(
          name: String(decoding: name, as: UTF8.self), entries: Int(clamping: tree.trunk.root.count),
          unverified: unverified[id] ?? 0))
    }
    return salvage
  }

  // MARK: Losses

  package func lose(
    _ tree: [UInt8]?, _ error: StoreError, low: [UInt8]? = nil, high: [UInt8]? = nil, entries: Int? = nil
  ) {
    if let tree { lossy.insert(tree) }
    losses.append(
      Salvage.Loss(
        tree: tree.map { String(decoding: $0, as: UTF8.self) }, page: error.page, sentence: error.detail, low: low,
        high: high, entries: entries))
  }

  func lose<Key>(_ tree: [UInt8], _ gap: Gap<Key>, bytes: (Key) -> [UInt8]) {
    lose(
      tree, StoreError(.damaged, gap.sentence, page: UInt64(gap.page.place)), low: bytes(gap.low),
      high: gap.high.map(bytes), entries: Int(clamping: gap.count))
  }

  package static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
  }

  // MARK: Trees

  private func save(_ tree: NamedTree) throws(StoreError) {
    let (name, descriptor) = (tree.name, tree.descriptor)
    guard names[descriptor.id] == nil, let made = create(name, descriptor.kind, id: descriptor.id) else {
      return lose(name, StoreError(.damaged, "the tree's number \(descriptor.id) is used twice"))
    }
    names[descriptor.id] = name
    let id = descriptor.id
    if derived.contains(id) { return }
    if tree.isOutdated { return saveLater(tree) }
    switch made.trunk {
    case .bytes(let draft):
      try ByteTree(descriptor.root, id: id, view: examination.view).survey(
        gap: {
          byteGaps[id, default: []].append(($0.low, $0.high))
          lose(name, $0, bytes: { $0 })
        }, reach: { reached.insert($0.place) }
      ) { (key, value) throws(StoreError) in _ = try put(key, value, in: draft, name: name) }
    case .integers(let draft):
      try IntegerTree(descriptor.root, id: id, view: examination.view).survey(
        gap: {
          numberGaps[id, default: []].append(($0.low, $0.high))
          lose(name, $0, bytes: Self.bytes)
        }, reach: { reached.insert($0.place) }
      ) { (key, value) throws(StoreError) in _ = try put(key, value, in: draft, name: name) }
    }
  }

  private func create(_ name: [UInt8], _ kind: TreeDescriptor.Kind, id: UInt32) -> Forest.Opened? {
    do throws(StoreError) { return try target.forest.create(name, kind, id: id, isRevived: true) } catch { return nil }
  }

  // MARK: Entries

  /// Stores a value, in its leaf or in extents. Returns false if it is in extents that are damaged.
  package func put(
    _ key: [UInt8], _ value: StoredValue, in draft: ByteTreeDraft, name: [UInt8]
  ) throws(StoreError) -> Bool {
    guard let outside = load(value, name, key: key) else { return false }
    try ByteKey.borrowing(key) { (key) throws(StoreError) in
      if value.isExtents {
        try ByteKey.borrowing(outside) { (bytes) throws(StoreError) in _ = try draft.put(key, bytes.bytes) }
      } else {
        try draft.put(key, value.bytes)
      }
    }
    try target.transaction.relieve()
    try count()
    return true
  }

  package func put(
    _ key: UInt64, _ value: StoredValue, in draft: IntegerTreeDraft, name: [UInt8]
  ) throws(StoreError) -> Bool {
    guard let outside = load(value, name, key: Self.bytes(key)) else {
      lostNumbers[draft.tree.id, default: []].append(key)
      return false
    }
    if value.isExtents {
      try ByteKey.borrowing(outside) { (bytes) throws(StoreError) in _ = try draft.put(key, bytes.bytes) }
    } else {
      try draft.put(key, value.bytes)
    }
    try target.transaction.relieve()
    try count()
    return true
  }

  /// The bytes of a value in extents; empty for a value in its leaf, nil if it is lost.
  private func load(_ value: StoredValue, _ name: [UInt8], key: [UInt8]) -> [UInt8]? {
    guard value.isExtents else { return [] }
    do throws(StoreError) { return try value.load(examination.view) } catch {
      lose(name, error, low: key, high: key + [0], entries: 1)
      return nil
    }
  }

  // MARK: Unreferenced leaves

  /// Searches unreferenced pages for entries in the gaps, the newest first, of one tree or of all.
  private func searchLooseLeaves(of tree: UInt32? = nil) throws(StoreError) {
    guard lostNames || !byteGaps.isEmpty || !numberGaps.isEmpty else { return }
    var found: [(stamp: UInt64, page: PageID)] = []
    try examination.scan { (page, memory) in
      guard isLoose(page), let leaf = LooseLeaf(page, memory), tree.map({ $0 == leaf.tree }) ?? wants(leaf) else {
        return
      }
      found.append((leaf.stamp, page))
    }
    // Pages that are newer than the saved state are covered by the log, and some were never
    // committed: they come last.
    let now = examination.snapshot.stamp
    for (_, page) in found.sorted(by: { ($0.stamp <= now ? 1 : 0, $0.stamp) > ($1.stamp <= now ? 1 : 0, $1.stamp) }) {
      try examination.read(page) { (memory) throws(StoreError) in
        if let leaf = LooseLeaf(page, memory) { try adopt(leaf) }
      }
    }
  }

  private func isLoose(_ page: PageID) -> Bool {
    !reached.contains(page.place) && !(examination.knowsFree && examination.free.contains(page.place))
  }

  private func wants(_ leaf: LooseLeaf) -> Bool {
    if leaf.tree == TreeCatalog.treeID { return false }
    if names[leaf.tree] == nil { return lostNames }
    return byteGaps[leaf.tree] != nil || numberGaps[leaf.tree] != nil
  }

  private func adopt(_ leaf: LooseLeaf) throws(StoreError) {
    if names[leaf.tree] == nil {
      let name = Array("recovered \(leaf.tree)".utf8)
      guard create(name, leaf.isInteger ? .integers : .bytes, id: leaf.tree) != nil else { return }
      names[leaf.tree] = name
      byteGaps[leaf.tree] = [([], nil)]
      numberGaps[leaf.tree] = [(0, nil)]
    }
    guard let name = names[leaf.tree], let tree = try target.forest.find(id: leaf.tree) else { return }
    switch (tree.trunk, leaf.isInteger) {
    case (.bytes(let draft), false):
      if outdated[leaf.tree] != nil {
        let range = leaf.byteRange
        coveredBytes[leaf.tree, default: KeyRanges(Self.isBelow)].add(range.low, range.high)
      }
      let gaps = byteGaps[leaf.tree] ?? []
      try leaf.entries { (key, value) throws(StoreError) in
        guard gaps.contains(where: { Self.holds($0.low, $0.high, key: key) }) else { return }
        try putUnverified(key, value, in: draft, name: name)
      }
    case (.integers(let draft), true):
      if outdated[leaf.tree] != nil {
        let range = leaf.numberRange
        coveredNumbers[leaf.tree, default: KeyRanges(<)].add(range.low, range.high)
      }
      let gaps = numberGaps[leaf.tree] ?? []
      try leaf.numbers { (key, value) throws(StoreError) in
        guard gaps.contains(where: { $0.low <= key && $0.high.map { key < $0 } ?? true }) else { return }
        try putUnverified(key, value, in: draft, name: name)
      }
    default: return
    }
  }

  private func putUnverified(
    _ key: [UInt8], _ value: StoredValue, in draft: ByteTreeDraft, name: [UInt8]
  ) throws(StoreError) {
    let isThere = try ByteKey.borrowing(key) { (key) throws(StoreError) in try draft.tree.value(of: key) != nil }
    if isThere { return }
    if try put(key, value, in: draft, name: name) { unverified[draft.tree.id, default: 0] += 1 }
  }

  private func putUnverified(
    _ key: UInt64, _ value: StoredValue, in draft: IntegerTreeDraft, name: [UInt8]
  ) throws(StoreError) {
    if try draft.tree.value(of: key) != nil { return }
    guard try put(key, value, in: draft, name: name) else { return }
    unverified[draft.tree.id, default: 0] += 1
    if isContent { unverifiedNumbers[draft.tree.id, default: NumberRuns()].insert(key) }
  }

  private static func isBelow(_ key: [UInt8], _ other: [UInt8]) -> Bool { key.lexicographicallyPrecedes(other) }

  private static func holds(_ low: [UInt8], _ high: [UInt8]?, key: [UInt8]) -> Bool {
    if key.lexicographicallyPrecedes(low) { return false }
    guard let high else { return true }
    return key.lexicographicallyPrecedes(high)
  }

  // MARK: Outdated roots

  /// Postpones a whole tree to the search for unreferenced leaves.
  private func saveLater(_ tree: NamedTree) {
    let id = tree.descriptor.id
    outdated[id] = tree.descriptor
    switch tree.descriptor.kind {
    case .bytes: byteGaps[id] = [([], nil)]
    case .integers: numberGaps[id] = [(0, nil)]
    }
    lose(
      tree.name,
      StoreError(
        .damaged,
        "the reference to the tree's root is lost: its entries come from unreferenced leaves, and from an older root where there are none"
      ))
  }

  /// Takes entries of a tree's older root if no found leaf covers their keys. Called after all
  /// leaves.
  private func takeOlder(_ id: UInt32) throws(StoreError) {
    guard let descriptor = outdated.removeValue(forKey: id), let tree = try target.forest.find(id: id) else { return }
    // If the pages in use are known, and none of them is a leaf of this tree, it was emptied or
    // removed.
    if examination.knowsFree, coveredBytes[id] == nil, coveredNumbers[id] == nil { return }
    switch tree.trunk {
    case .bytes(let draft):
      var covered = coveredBytes.removeValue(forKey: id) ?? KeyRanges(Self.isBelow)
      // The whole tree was already reported as a loss.
      try ByteTree(descriptor.root, id: id, view: examination.view).survey(gap: { _ in }) {
        (key, value) throws(StoreError) in
        if !covered.contains(key) { try putUnverified(key, value, in: draft, name: name(id)) }
      }
    case .integers(let draft):
      var covered = coveredNumbers.removeValue(forKey: id) ?? KeyRanges(<)
      try IntegerTree(descriptor.root, id: id, view: examination.view).survey(gap: { _ in }) {
        (key, value) throws(StoreError) in
        if !covered.contains(key) { try putUnverified(key, value, in: draft, name: name(id)) }
      }
    }
  }

  // MARK: Data for the module above

  /// The known facts about the trees, for the module that makes them agree.
  var saved: SavedTrees {
    var saved = SavedTrees(transaction: examination.snapshot.transaction)
    for (id, gaps) in numberGaps { saved.numberGaps[name(id)] = gaps }
    for (id, keys) in lostNumbers {
      saved.numberGaps[name(id), default: []] += keys.map { ($0, $0 == .max ? nil : $0 + 1) }
    }
    for (id, numbers) in unverifiedNumbers { saved.unverified[name(id)] = numbers.sorted }
    saved.lossy = lossy
    saved.isWhole = losses.isEmpty
    return saved
  }

  /// Notes the final content of the new store.
  func noteTrees() throws(StoreError) {
    isContent = true
    names = [:]
    for (name, descriptor) in try target.forest.reading.all() { names[descriptor.id] = name }
  }

  package func note(_ id: UInt32, _ name: [UInt8]) { names[id] = name }
  package func forget(_ name: [UInt8]) { names = names.filter { $0.value != name } }
  package func name(_ id: UInt32) -> [UInt8] { names[id] ?? [] }
}
