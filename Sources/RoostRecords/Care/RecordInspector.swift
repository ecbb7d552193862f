internal import RoostBytes
internal import RoostCare
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Checks everything in a store of rows. It continues after damage.
///
/// It reads each tree in order. If possible it compares sums (``IndexPrint``), and looks up entries
/// in other trees only if these differ. It keeps one row in memory at a time, and the numbers of
/// the existing rows.
///
/// ## What is examined
/// 1. Every tree belongs to a part of the catalog, and every part has its trees.
/// 2. A row can be read in its layout, and its number is below the next one.
/// 3. An index has exactly the entries of the rows, as far as it is built.
/// 4. A large value belongs to a field of a row that names it, and has the length named there.
/// 5. A link has entries for both sides; rows that refer to a row are in its order.
/// 6. A checked reference names an existing row.
/// 7. A full text index is sound, and has exactly the rows that it covers.
/// 8. A derived field has the value that is computed from its members.
/// 9. The history ascends, names all its gaps, and agrees with the existing rows.
final class RecordInspector {
  let examination: Examination
  var verification = RecordVerification()
  private(set) var trees: [String: TreeDescriptor] = [:]
  private(set) var catalog = Catalog()
  private(set) var shelves: [EntityID: Shelf] = [:]
  /// The existing rows of the entities that were queried; nil if they cannot all be read.
  private var present: [EntityID: AscendingRuns?] = [:]
  private var known: Set<String> = []

  var view: PageView { examination.view }

  init(_ examination: Examination, _ report: Verification) {
    self.examination = examination
    verification.take(report)
  }

  func run() -> RecordVerification {
    readTrees()
    guard readCatalog() else { return verification }
    verification.nameTrees(treeNames)
    for entity in catalog.entities { if let shelf = open(entity) { shelves[entity.id] = shelf } }
    examineMeta()
    for entity in catalog.entities {
      guard let shelf = shelves[entity.id], examination.pace?.isEnded != true else { continue }
      let texts = textTrees(shelf)
      let expected = examineRows(shelf, texts)
      examineLarge(shelf)
      for ((index, tree), expected) in zip(shelf.indexes, expected) {
        if let expected, has(expected, tree) { continue }
        lookUpEntries(index, tree, shelf: shelf)
        examine(index, tree, shelf: shelf)
      }
      for text in texts { examine(text, shelf) }
      verification.entities.append(facts(shelf, texts))
    }
    for one in catalog.relationships where Tables.hasTree(one) { examineLinks(one) }
    for one in catalog.derivations where one.isKept && examination.pace?.isEnded != true { examine(one) }
    examineHistory()
    examineWriters()
    examineConsumers()
    for name in trees.keys.sorted() where !known.contains(name) {
      add(.tree, "the tree \"\(name)\" belongs to nothing")
    }
    return verification
  }

  /// Counts a page whose content was read. An index that disagrees with its rows is counted twice;
  /// the sum never exceeds the total.
  func count(_: PageID) { examination.pace?.countHalf() }

  // MARK: Findings

  func add(
    _ kind: RecordVerification.Kind, _ sentence: String, entity: String? = nil, row: RowID? = nil,
    index: String? = nil
  ) {
    verification.add(
      RecordVerification.Finding(kind: kind, entity: entity, row: row?.number, index: index, sentence: sentence))
  }

  /// Adds an error, unless the page walk may already have reported it.
  func add(_ error: StoreError) {
    if !verification.pages.isSound { return }
    verification.add(RecordVerification.Finding(kind: .page, page: error.page, sentence: error.detail))
  }

  /// Runs code that may read a damaged page, and reports its error.
  func trying(_ body: () throws(StoreError) -> Void) {
    do throws(StoreError) { try body() } catch { add(error) }
  }

  // MARK: Existing rows

  /// Whether an entity has a row. Reads the numbers of all its rows at the first call, because
  /// calls come in any order.
  func contains(_ row: RowID, _ shelf: Shelf) throws(StoreError) -> Bool {
    let runs: AscendingRuns?
    if let known = present[shelf.entity.id] {
      runs = known
    } else {
      runs = rows(of: shelf)
      present[shelf.entity.id] = .some(runs)
    }
    if let runs { return runs.contains(row.number) }
    return try shelf.contains(row)
  }

  private func rows(of shelf: Shelf) -> AscendingRuns? {
    var runs = AscendingRuns()
    var isWhole = true
    do throws(StoreError) {
      try shelf.rows.survey(gap: { _ in isWhole = false }) { (number, _) in
        if !runs.add(number) { isWhole = false }
      }
    } catch { return nil }
    return isWhole ? runs : nil
  }

  // MARK: Trees

  private func readTrees() {
    let root = ByteTree(examination.snapshot.catalog, id: RoostTrees.TreeCatalog.treeID, view: view)
    trying { () throws(StoreError) in
      try root.survey(gap: { _ in }, reach: count) { (key, value) in
        // The empty name holds the next number of a tree. Unreadable entries were already reported.
        guard !key.isEmpty, let descriptor = TreeDescriptor(value.bytes) else { return }
        trees[String(decoding: key, as: UTF8.self)] = descriptor
      }
    }
  }

  func bytes(_ name: [UInt8], isNeeded: Bool = true) -> ByteTree? {
    guard let found = descriptor(name, .bytes, isNeeded: isNeeded) else { return nil }
    return ByteTree(found.root, id: found.id, view: view)
  }

  func integers(_ name: [UInt8], isNeeded: Bool = true) -> IntegerTree? {
    guard let found = descriptor(name, .integers, isNeeded: isNeeded) else { return nil }
    return IntegerTree(found.root, id: found.id, view: view)
  }

  private func descriptor(_ name: [UInt8], _ kind: TreeDescriptor.Kind, isNeeded: Bool) -> TreeDescriptor? {
    let name = String(decoding: name, as: UTF8.self)
    known.insert(name)
    guard let found = trees[name] else {
      if isNeeded { add(.tree, "the tree \"\(name)\" is missing") }
      return nil
    }
    if found.kind == kind { return found }
    add(.tree, "the tree \"\(name)\" has keys of the wrong kind")
    return nil
  }

  /// Descriptions of the trees, by their names.
  private var treeNames: [String: String] {
    var names: [String: String] = [:]
    func name(_ tree: [UInt8], _ words: String) { names[String(decoding: tree, as: UTF8.self)] = words }
    for entity in catalog.entities {
      name(Tables.rows(entity.id), "the rows of \(entity.name)")
      name(Tables.large(entity.id), "the large values of \(entity.name)")
      for index in catalog.indexes(of: entity.id) {
        name(Tables.entries(index.id), "the index \(index.name) of \(entity.name)")
      }
      for index in catalog.textIndexes(of: entity.id) {
        name(Tables.words(index.id), "the full text index \(index.name) of \(entity.name)")
      }
    }
    for one in catalog.relationships where Tables.hasTree(one) {
      name(Tables.links(one.id), "the links \(one.name) of \(catalog.entity(one.entity)?.name ?? "a lost entity")")
    }
    return names
  }

  // MARK: The catalog

  private func readCatalog() -> Bool {
    // A store without any commit has no trees.
    guard !trees.isEmpty else { return false }
    guard let meta = bytes(Tables.meta) else { return false }
    do throws(StoreError) {
      let value = try ByteKey.borrowing(Tables.catalogKey) { (key) throws(StoreError) in try meta.value(of: key) }
      if let value { catalog = try Catalog(decoding: value) }
      return true
    } catch {
      add(.catalog, error.detail)
      return false
    }
  }

  private func open(_ entity: Entity) -> Shelf? {
    var indexes: [(Index, ByteTree)] = []
    for index in catalog.indexes(of: entity.id) {
      if let tree = bytes(Tables.entries(index.id)) { indexes.append((index, tree)) }
    }
    let rows = integers(Tables.rows(entity.id))
    let large = bytes(Tables.large(entity.id))
    guard let rows, let large else { return nil }
    return Shelf(entity, rows: rows, large: large, indexes: indexes)
  }

  private func facts(_ shelf: Shelf, _ texts: [TextPrint]) -> RecordVerification.EntityFacts {
    RecordVerification.EntityFacts(
      name: shelf.entity.name, rows: shelf.rows.root.count, largeValues: shelf.large.root.count,
      indexes: shelf.indexes.map {
        RecordVerification.IndexFacts(
          name: $0.0.name, entries: $0.1.root.count, isUnique: $0.0.isUnique, isBuilt: $0.0.builtBelow == nil)
      }
        + texts.map {
          RecordVerification.IndexFacts(
            name: $0.index.name, entries: $0.tree.root.count, isUnique: false, isBuilt: $0.index.builtBelow == nil)
        })
  }

  /// Checks the entries beside the catalog, which are the numbers of the next rows.
  /// `examineHistory` reads the history's state.
  private func examineMeta() {
    guard let meta = bytes(Tables.meta) else { return }
    trying { () throws(StoreError) in
      try meta.survey(gap: { _ in }, reach: count) { (key, value) in
        if key == Tables.catalogKey || key == HistoryState.key { return }
        let name = Tables.nextKey(EntityID(0)).dropLast(4)
        guard key.count == name.count + 4, key.starts(with: name), !value.isExtents, value.count == 8 else {
          return add(.counter, "an entry beside the catalog is unreadable")
        }
        let id = EntityID(key.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
        // The number stays when its entity is removed.
        guard id.number < catalog.next.entity else {
          return add(.counter, "a next row number is stored for entity \(id.number), which never existed")
        }
        shelves[id]?.next = max(1, value.start.u64(0))
      }
    }
  }
}
