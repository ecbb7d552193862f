internal import RoostBytes
internal import RoostFile
package import RoostPages
internal import RoostTrees

/// The rows of all entities while a transaction changes them. Transactions and the replay of the
/// log use it.
///
/// ## Layout
/// The trees of a store: `meta` holds the catalog under the key `catalog`. It also holds, for every
/// entity that ever had rows, the number of the next row, u64 little-endian, under `next` and the
/// entity's number, u32 big-endian. `r7` holds entity 7's rows by number, `v7` its large values,
/// `i7` index 7, `t8` full text index 8.
package final class Tables {
  let forest: Forest
  private var transaction: WriteTransaction { forest.transaction }
  /// The transaction without reference counting, for use in every row. The forest keeps it alive.
  @exclusivity(unchecked) private(set) var borrowed: Unmanaged<WriteTransaction>
  /// The schema of the catalog, while the transaction has not changed it.
  private(set) var schema: StoredSchema?
  private let schemas: SchemaCache
  package private(set) var catalog: Catalog
  /// The catalog as it was before the transaction.
  let base: Catalog
  /// What the transaction changed so far, for the history.
  @exclusivity(unchecked) private(set) var history: HistoryNotes
  @exclusivity(unchecked) var historyTurn: HistoryTurn
  /// The open tables, ascending by entity.
  @exclusivity(unchecked) private var opened: [(id: EntityID, table: TableWriter)] = []
  /// The rows that the transaction inserts, by entity. Rows whose insertion was rolled back may be
  /// among them.
  private(set) var arrivedRows: [(id: EntityID, rows: ArrivedRows)] = []
  /// Gives out row numbers; nil if each transaction does that itself.
  let numbers: RowNumbers?
  #if DEBUG
    /// A changed row keeps its old entries in indexes: see ``Omission/indexChange``.
    let leavesOutIndexes: Bool
  #endif
  /// Links between rows: see `Tables+Links.swift`.
  var linkDrafts: [RelationshipID: LinkDraft] = [:]
  /// References to missing rows, each with one of the rows that have it.
  var openReferences: [OpenReference: RowID] = [:]
  /// Changes that wait to be written into derived fields: see `Tables+Derived.swift`. Unchecked,
  /// because one thread writes, and an access calls no code of users: it holds only numbers and
  /// values.
  @exclusivity(unchecked) var derived = DerivedChanges()
  /// Whether derived fields follow their members. A replay does not compute them: the log has their
  /// values.
  let keepsDerived: Bool
  var isSettlingDerived = false
  /// The error of a value that its derived field cannot hold; it makes the commit fail.
  var derivedFault: RecordFault?
  /// The rows whose derived fields the transaction wrote.
  var derivedRows: [RowName] = []
  /// The numbers of deletions of rows and of changes of links so far.
  @exclusivity(unchecked) var deletions = 0
  @exclusivity(unchecked) var linkChanges = 0
  /// Reads of this transaction check here whether it is still unchanged.
  @exclusivity(unchecked) private(set) var scope: ReadScope
  /// The salvager's callback while it replays the log over saved rows. It decides what happens to
  /// existing rows with the unique values of a row that is about to be written. It returns false if
  /// the new row is left out.
  var makesWay: ((_ table: TableWriter, _ row: RowID, _ rivals: [RowID]) throws(StoreError) -> Bool)?
  /// The error of a change that failed half way; it makes the commit fail.
  private(set) var failure: StoreError?

  static let meta = RoostTrees.TreeCatalog.entitiesTree
  static let catalogKey = RoostTrees.TreeCatalog.entitiesKey

  static func rows(_ id: EntityID) -> [UInt8] { name("r", id.number) }
  static func large(_ id: EntityID) -> [UInt8] { name("v", id.number) }
  static func entries(_ id: IndexID) -> [UInt8] { name("i", id.number) }
  static func words(_ id: IndexID) -> [UInt8] { name("t", id.number) }

  /// A letter, and a number in decimal digits. Making a string would take longer, and each snapshot
  /// makes some names.
  static func name(_ letter: Unicode.Scalar, _ number: UInt32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 11) { memory, count in
      memory[0] = UInt8(ascii: letter)
      count = 2
      var rest = number
      while rest >= 10 { (rest, count) = (rest / 10, count + 1) }
      rest = number
      for place in (1..<count).reversed() {
        memory[place] = UInt8(ascii: "0") + UInt8(rest % 10)
        rest /= 10
      }
    }
  }

  static func nextKey(_ id: EntityID) -> [UInt8] {
    Array("next".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: id.number >> UInt32(24 - 8 * $0)) }
  }

  init(
    _ forest: Forest, _ schemas: SchemaCache = SchemaCache(), numbers: RowNumbers? = nil, keepsDerived: Bool = false
  ) throws(StoreError) {
    self.forest = forest
    self.keepsDerived = keepsDerived
    borrowed = .passUnretained(forest.transaction)
    self.schemas = schemas
    self.numbers = numbers
    #if DEBUG
      leavesOutIndexes = forest.transaction.store.options.omission == .indexChange
    #endif
    scope = ReadScope(forest.transaction.store, forest.transaction.view.slot)
    var catalog = Catalog()
    var state = HistoryState()
    if let meta = try forest.find(Self.meta) {
      guard case .bytes(let draft) = meta.trunk else { throw Self.foreign }
      if let schema = try schemas.schema(in: draft.tree) {
        self.schema = schema
        catalog = schema.catalog
      }
      state = try HistoryState.read(draft.tree)
    }
    self.catalog = catalog
    base = catalog
    historyTurn = HistoryTurn(state)
    history = HistoryNotes(isOn: state.mode != .off)
  }

  func layouts(of entity: Entity) -> [Layout] { schema?.layouts(of: entity) ?? StoredSchema.layouts(entity) }

  static var foreign: StoreError { StoreError(.treeKindMismatch, "the store holds no catalog of entities") }

  /// Incremented whenever tables that were handed out become invalid.
  private(set) var generation = 0

  /// Throws unless a table of this generation may be used.
  func check(_ generation: Int) throws(StoreError) {
    if generation == self.generation { return }
    throw StoreError(
      .closed,
      "the table is from before a rollback to a savepoint, a change of the catalog or the end of the transaction")
  }

  /// Invalidates everything that was handed out.
  func end() {
    revoke()
    opened = []
    linkDrafts = [:]
    mayStand = false
  }

  private func forgetDerived() { (derived, derivedFault, derivedRows) = (DerivedChanges(), nil, []) }

  private func revoke() {
    generation += 1
    scope.generation += 1
    noteArrivals()
  }

  /// Ends the transaction's reads too. A cursor that is still open releases the reader slot later.
  func close() {
    end()
    closeScope()
  }

  private func closeScope() {
    if scope.isOpen { transaction.givesSlot = scope.end() }
  }

  // MARK: Reuse by the next transaction

  /// Whether only rows and links were changed, and no savepoint was rolled back.
  private var mayStand = true
  /// With more trees than this, opening those that are needed takes less time.
  private static let mostStandingTrees = 64

  /// Ends the transaction. Keeps its tables if the next transaction may continue with them. They
  /// match the store if this transaction is committed.
  func rest() {
    guard mayStand, !historyTurn.isStateTouched, forest.openCount <= Self.mostStandingTrees else { return close() }
    revoke()
    closeScope()
  }

  /// Whether tables are kept for the next transaction.
  var isStanding: Bool { mayStand && !opened.isEmpty }

  /// Begins the next transaction with the tables of the last one, which must be its base.
  package func begin(in next: WriteTransaction) {
    forest.begin(in: next)
    borrowed = .passUnretained(next)
    historyTurn = HistoryTurn(historyTurn.base)
    history = HistoryNotes(isOn: history.isOn)
    (arrivedRows, openReferences, deletions, linkChanges, makesWay) = ([], [:], 0, 0, nil)
    forgetDerived()
    scope = ReadScope(next.store, next.view.slot)
  }

  /// Runs a change that may fail half way.
  func changing(_ generation: Int, _ body: () throws(StoreError) -> Void) throws(StoreError) {
    try check(generation)
    if let failure { throw failure }
    scope.generation &+= 1
    do throws(StoreError) {
      try body()
      try borrowed.use { (transaction) throws(StoreError) in try transaction.relieve() }
      if derived.isFull { try settleDerived() }
    } catch {
      failure = error
      throw error
    }
  }

  // MARK: Tables

  package func table(_ id: EntityID) throws -> TableWriter {
    if let known = known(id) {
      if known.generation != generation {
        known.begin()
        noteTable(known)
      }
      return known
    }
    guard let entity = catalog.entity(id) else {
      throw RecordFault(.unknown, "there is no entity with the number \(id.number)")
    }
    let table = try TableWriter(
      entity, self, rows: try integers(Self.rows(id)), large: try bytes(Self.large(id)),
      indexes: try catalog.indexes(of: id).map { ($0, try bytes(Self.entries($0.id))) },
      texts: try catalog.textIndexes(of: id).map { ($0, try bytes(Self.words($0.id))) }, nextRow: try nextRow(id))
    opened.insert((id, table), at: opened.firstIndex { $0.id > id } ?? opened.count)
    noteTable(table)
    return table
  }

  private func noteTable(_ table: TableWriter) {
    let id = table.entity.id
    if placeOfArrivals(id) == nil { arrivedRows.append((id, ArrivedRows(from: table.nextRow))) }
  }

  /// A linear search, because there are few.
  private func placeOfArrivals(_ id: EntityID) -> Int? {
    for place in arrivedRows.indices where arrivedRows[place].id == id { return place }
    return nil
  }

  /// Updates the ends of the inserted row numbers from the open tables.
  func noteArrivals() {
    for (id, table) in opened {
      guard let place = placeOfArrivals(id), table.nextRow > arrivedRows[place].rows.end else { continue }
      arrivedRows[place].rows.end = table.nextRow
    }
  }

  /// Notes an inserted row whose number is smaller than that of an earlier insertion.
  func noteArrival(late row: RowID, of id: EntityID) {
    if let place = placeOfArrivals(id) { arrivedRows[place].rows.late.append(row.number) }
  }

  /// There are few open tables, so this search is faster than hashing.
  private func known(_ id: EntityID) -> TableWriter? {
    for place in opened.indices where opened[place].id == id { return opened[place].table }
    return nil
  }

  package func table(_ name: String) throws -> TableWriter {
    guard let entity = catalog.entity(name) else {
      throw RecordFault(.unknown, "there is no such entity", entity: name)
    }
    return try table(entity.id)
  }

  func integers(_ name: [UInt8]) throws(StoreError) -> IntegerTreeDraft {
    guard let found = try forest.find(name), case .integers(let draft) = found.trunk else { throw Self.foreign }
    return draft
  }

  func bytes(_ name: [UInt8]) throws(StoreError) -> ByteTreeDraft {
    guard let found = try forest.find(name), case .bytes(let draft) = found.trunk else { throw Self.foreign }
    return draft
  }

  /// The present number of the entity's next row.
  func currentNextRow(_ id: EntityID) throws(StoreError) -> UInt64 {
    if let known = known(id) { return known.nextRow }
    return try nextRow(id)
  }

  private func nextRow(_ id: EntityID) throws(StoreError) -> UInt64 {
    let value = try ByteKey.borrowing(Self.nextKey(id)) { [meta = try bytes(Self.meta)] (key) throws(StoreError) in
      try meta.tree.value(of: key)
    }
    return try Self.nextRow(value)
  }

  static func nextRow(_ stored: [UInt8]?) throws(StoreError) -> UInt64 {
    guard let stored else { return 1 }
    guard stored.count == 8 else { throw StoreError(.damaged, "the number of the next row is unreadable") }
    return max(1, stored.withUnsafeBytes { $0.baseAddress!.u64(0) })
  }

  // MARK: The catalog

  /// Replaces the catalog: makes trees of added parts, drops trees of removed parts, and fills new
  /// indexes from the rows.
  func setCatalog(_ new: Catalog) throws {
    let old = catalog
    if new == old { return }
    let encoded = new.encoded
    do { _ = try Catalog(decoding: encoded) } catch {
      // If this catalog were committed, no program could open the store.
      throw RecordFault(
        .conflict, "the changed models would make a catalog that cannot be read again, so the store was not changed")
    }
    try settle()
    for entity in old.entities where new.entity(entity.id) == nil {
      _ = try forest.drop(Self.rows(entity.id))
      _ = try forest.drop(Self.large(entity.id))
    }
    for index in old.indexes where !new.indexes.contains(where: { $0.id == index.id }) {
      _ = try forest.drop(Self.entries(index.id))
    }
    for index in old.textIndexes where new.textIndex(index.id) == nil { _ = try forest.drop(Self.words(index.id)) }
    end()
    schema = nil
    catalog = new
    if try forest.find(Self.meta) == nil { _ = try forest.create(Self.meta, .bytes) }
    for entity in new.entities where old.entity(entity.id) == nil {
      _ = try forest.create(Self.rows(entity.id), .integers)
      _ = try forest.create(Self.large(entity.id), .bytes)
    }
    let fresh = new.indexes.filter { index in !old.indexes.contains { $0.id == index.id } }
    for index in fresh { _ = try forest.create(Self.entries(index.id), .bytes) }
    let freshTexts = new.textIndexes.filter { old.textIndex($0.id) == nil }
    for index in freshTexts { _ = try forest.create(Self.words(index.id), .bytes) }
    try setTrees(old, new)
    try store(encoded)
    try recordCatalog(encoded)
    history.noteCatalog()
    for index in fresh where old.entity(index.entity) != nil && index.builtBelow == nil { try fill(index) }
    for index in freshTexts where old.entity(index.entity) != nil && index.builtBelow == nil { try fill(index) }
    try fillDerived(old)
  }

  private func store(_ encoded: [UInt8]) throws(StoreError) {
    let meta = try bytes(Self.meta)
    try ByteKey.borrowing(Self.catalogKey) { (key) throws(StoreError) in try meta.put(key, encoded) }
  }

  /// Stores how far an index is built.
  func set(_ index: Index) throws(StoreError) { try changeCatalog { catalog in catalog.set(index) } }

  /// Changes the catalog without adding or dropping trees.
  func changeCatalog(_ body: (inout Catalog) -> Void) throws(StoreError) {
    try settle()
    end()
    body(&catalog)
    schema = nil
    try store(catalog.encoded)
  }

  /// Writes the counters of the tables into the trees before the roots are sealed.
  private func sealCounters() throws(StoreError) {
    for (id, table) in opened where table.isNextRowChanged {
      let meta = try bytes(Self.meta)
      let number = table.nextRow
      _ = try ByteKey.borrowing(Self.nextKey(id)) { (key) throws(StoreError) in
        var failure: StoreError?
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { memory in
          memory.baseAddress!.set64(0, number)
          do throws(StoreError) { _ = try meta.put(key, UnsafeRawBufferPointer(memory)) } catch { failure = error }
        }
        if let failure { throw failure }
      }
      table.noteSealed()
    }
  }

  /// Applies everything to the trees, so that a savepoint may be set.
  func settle() throws(StoreError) {
    if let failure { throw failure }
    try settleDerived()
    for (_, table) in opened { try table.settle() }
    try sealCounters()
  }

  /// The root of the catalog with all changes.
  func seal() throws(StoreError) -> Root {
    try settle()
    try sealHistory()
    return try forest.seal()
  }

  /// Discards all drafts after the forest went back to a savepoint.
  func reload() throws(StoreError) {
    end()
    failure = nil
    let found = try Tables(forest, schemas)
    schema = found.schema
    catalog = found.catalog
  }
}
