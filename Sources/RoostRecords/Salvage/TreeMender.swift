internal import RoostBytes
internal import RoostCare
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Makes the trees of a store of rows agree again, after they were saved one by one with losses.
///
/// It works on the drafts in which they were saved. Indexes are built again from the existing rows.
/// If no loss is known this is all it does, unless the history is inconsistent.
final class TreeMender {
  let forest: Forest
  let saved: SavedTrees
  var tally: SalvageTally
  let catalog: Catalog
  private let schemas: SchemaCache
  /// Whether rows are lost that the history contains.
  var losesRows = false
  /// Whether consumers may have read changes that the history no longer contains.
  var losesTrack = false
  /// Rows with lost values, which are empty now.
  var emptied: [EntityID: NumberRuns] = [:]

  var view: PageView { forest.transaction.view }

  init(_ forest: Forest, _ saved: SavedTrees, schemas: SchemaCache, tally: SalvageTally) throws(StoreError) {
    self.forest = forest
    self.saved = saved
    self.schemas = schemas
    self.tally = tally
    guard let meta = try forest.find(Tables.meta), case .bytes(let draft) = meta.trunk else { throw Tables.foreign }
    let bytes = try ByteKey.borrowing(Tables.catalogKey) { (key) throws(StoreError) in
      try draft.tree.value(of: key)
    }
    catalog = try bytes.map { (bytes) throws(StoreError) in try Catalog(decoding: bytes) } ?? Catalog()
  }

  func run() throws(StoreError) {
    try makeTrees()
    if !saved.isWhole {
      losesRows =
        losesRows
        || catalog.entities.contains {
          saved.lossy.contains(Tables.rows($0.id)) || saved.lossy.contains(Tables.large($0.id))
        }
      for entity in catalog.entities { try mendRows(entity) }
      try mendMeta()
    }
    let tables = try Tables(forest, schemas)
    for entity in catalog.entities {
      try RowSalvage.storing {
        let table = try tables.table(entity.id)
        try buildIndexes(table)
        for text in table.texts { _ = try table.build(text, from: RowID(0), to: text.index.builtBelow, most: .max) }
      }
    }
    if !saved.isWhole {
      for entity in catalog.entities { try mendLarge(entity) }
      for one in catalog.relationships where Tables.hasTree(one) { try mendLinks(one, tables) }
    }
    // Pages with valid checksums may still hold a history that Roost never wrote.
    var mendsHistory = !saved.isWhole
    if !mendsHistory { mendsHistory = try !isHistorySound(tables) }
    if mendsHistory {
      do throws(StoreError) { try mendHistory(tables) } catch {
        if !error.isAboutSalvaged { throw error }
        try dropHistory(tables)
      }
    }
    try tables.settle()
    tables.end()
  }

  /// Repairs links. Removes all of them if they cannot be repaired.
  private func mendLinks(_ one: Relationship, _ tables: Tables) throws(StoreError) {
    let links = try tables.links(one)
    do throws(StoreError) { try LinkMender(one, self, links: links).run() } catch {
      if !error.isAboutSalvaged { throw error }
      try links.draft.removeAll()
      losesTrack = true
      tally.add("all links of \(one.name) of \(catalog.entity(one.entity)?.name ?? ""), because they are inconsistent")
    }
  }

  // MARK: Trees

  /// Makes the trees of every entity, index and relationship. Indexes are empty.
  private func makeTrees() throws(StoreError) {
    for entity in catalog.entities {
      try make(Tables.rows(entity.id), .integers)
      try make(Tables.large(entity.id), .bytes)
    }
    for index in catalog.indexes {
      try make(Tables.entries(index.id), .bytes)
      try bytes(Tables.entries(index.id)).removeAll()
    }
    for index in catalog.textIndexes {
      try make(Tables.words(index.id), .bytes)
      try bytes(Tables.words(index.id)).removeAll()
    }
    for one in catalog.relationships where Tables.hasTree(one) { try make(Tables.links(one.id), .bytes) }
  }

  private func make(_ name: [UInt8], _ kind: TreeDescriptor.Kind) throws(StoreError) {
    if let found = try forest.find(name) {
      if found.known.kind == kind { return }
      _ = try forest.drop(name)
    }
    _ = try forest.create(name, kind)
    losesRows = true
    tally.add("trees without any readable entry", String(decoding: name, as: UTF8.self))
  }

  func bytes(_ name: [UInt8]) throws(StoreError) -> ByteTreeDraft {
    guard let found = try forest.find(name), case .bytes(let draft) = found.trunk else { throw Tables.foreign }
    return draft
  }

  func integers(_ name: [UInt8]) throws(StoreError) -> IntegerTreeDraft {
    guard let found = try forest.find(name), case .integers(let draft) = found.trunk else { throw Tables.foreign }
    return draft
  }

  func shelf(_ entity: Entity) throws(StoreError) -> Shelf {
    Shelf(
      entity, rows: try integers(Tables.rows(entity.id)).tree, large: try bytes(Tables.large(entity.id)).tree,
      indexes: [])
  }

  func put(_ bytes: [UInt8], at key: [UInt8], in draft: ByteTreeDraft) throws(StoreError) {
    try ByteKey.borrowing(key) { (key) throws(StoreError) in
      _ = try ByteKey.borrowing(bytes) { (bytes) throws(StoreError) in _ = try draft.put(key, bytes.bytes) }
    }
  }

  func remove(_ keys: [[UInt8]], from draft: ByteTreeDraft) throws(StoreError) {
    for key in keys { _ = try ByteKey.borrowing(key) { (key) throws(StoreError) in try draft.remove(key) } }
    try forest.transaction.relieve()
  }

  // MARK: Beside the catalog

  /// Raises the numbers of the next rows above those of all rows, and makes the history's state
  /// readable.
  private func mendMeta() throws(StoreError) {
    let meta = try bytes(Tables.meta)
    for entity in catalog.entities {
      let rows = try integers(Tables.rows(entity.id))
      let key = Tables.nextKey(entity.id)
      let stored = try ByteKey.borrowing(key) { (key) throws(StoreError) in try meta.tree.value(of: key) }
      let next = stored?.count == 8 ? try Tables.nextRow(stored) : 1
      if stored?.count == 8, !saved.lossy.contains(Tables.meta),
        let unverified = saved.unverified[Tables.rows(entity.id)]
      {
        // These rows are from a page that was written later: by a commit in the log, or by none.
        try unverified.forEach(from: next) { (row) throws(StoreError) in _ = try rows.remove(row) }
      }
      var cursor = IntegerCursor(rows.tree)
      let last = try cursor.last() ? cursor.key : 0
      if next > last, stored == nil || stored?.count == 8 { continue }
      var number = max(next, last + 1).littleEndian
      try put(withUnsafeBytes(of: &number) { [UInt8]($0) }, at: key, in: meta)
    }
    try remove(strangers(meta), from: meta)
    do throws(StoreError) { _ = try HistoryState.read(meta.tree) } catch {
      tally.add("the state of the history cannot be read, and is reset")
      try remove([HistoryState.key], from: meta)
    }
  }

  /// Unknown keys beside the catalog.
  private func strangers(_ meta: ByteTreeDraft) throws(StoreError) -> [[UInt8]] {
    let known = Set([Tables.catalogKey, HistoryState.key] + catalog.entities.map { Tables.nextKey($0.id) })
    var strangers: [[UInt8]] = []
    var cursor = ByteCursor(meta.tree)
    var isThere = try cursor.first()
    while isThere, let (key, value) = cursor.entry() {
      let found = [UInt8](key.bytes)
      // The number of a removed entity stays.
      let isNext = found.starts(with: Tables.nextKey(EntityID(0)).dropLast(4)) && found.count == 8 && value.count == 8
      let id = found.suffix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if !known.contains(found), !isNext || id >= catalog.next.entity { strangers.append(found) }
      isThere = try cursor.next()
    }
    return strangers
  }
}
