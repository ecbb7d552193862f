package import RoostFile
package import RoostPages
internal import RoostTrees
internal import Synchronization

/// A store of rows: entities as the catalog describes them, with their indexes.
///
/// Each reader sees one snapshot from begin to end. One writer at a time changes the store, with
/// all changes of a transaction or none.
package final class RecordStore: Sendable {
  package let store: Store
  /// The time of day in milliseconds since 1970, and the program that writes.
  private let source: HistorySource
  private let schemas = SchemaCache()
  private let standing = StandingTables()
  let numbers: RowNumbers?
  /// Whether the store shows the past, which makes it read-only.
  private let isPast: Bool
  private let closing = Lock()
  private let isClosed = Atomic<Bool>(false)

  /// Opens the store at `path`, or creates it. With `reservesRows`, ``reserve(_:of:)`` gives out
  /// row numbers.
  ///
  /// The history names `writer` as the program that wrote; it is called at the first commit.
  package init(
    _ path: String, options: StoreOptions = StoreOptions(), reservesRows: Bool = false,
    fileSystem: any FileSystem = DiskFileSystem.shared,
    clock: (@Sendable () -> UInt64)? = nil,
    writer: @escaping @Sendable () -> HistoryWriter = { .unknown }
  ) throws(StoreError) {
    source = HistorySource(clock, writer)
    numbers = reservesRows ? RowNumbers() : nil
    isPast = false
    store = try Store.open(path, options: options, fileSystem: fileSystem, floor: Tables.floor)
  }

  /// A store in memory, which ends with this object.
  package init(
    inMemory options: StoreOptions, reservesRows: Bool = false,
    clock: (@Sendable () -> UInt64)? = nil,
    writer: @escaping @Sendable () -> HistoryWriter = { .unknown }
  ) throws(StoreError) {
    source = HistorySource(clock, writer)
    numbers = reservesRows ? RowNumbers() : nil
    isPast = false
    store = try Store.inMemory(options: options, floor: Tables.floor)
  }

  /// A store over another one's file: see ``rewound(to:)``.
  init(past layer: Store) {
    source = HistorySource({ 0 }) { .unknown }
    numbers = nil
    store = layer
    isPast = true
  }

  deinit {
    // If the store is not closed, everything is in the log when it is opened again.
    try? close()
  }

  /// Makes a checkpoint and releases the file. With open transactions it throws `busy` and changes
  /// nothing. For a shared store, repeated calls count once.
  package func close() throws(StoreError) {
    try store.refuseWriter()
    standing.drop()
    try closing.withLock { () throws(StoreError) in
      if isClosed.load(ordering: .relaxed) { return }
      do throws(StoreError) { try store.close() } catch {
        isClosed.store(error.code != .busy, ordering: .relaxed)
        throw error
      }
      isClosed.store(true, ordering: .relaxed)
    }
  }

  /// Reads the newest snapshot.
  package func read<Result>(_ body: (RecordReader) throws -> Result) throws -> Result {
    let reader = try RecordReader(store, schemas)
    defer { reader.end() }
    return try body(reader)
  }

  /// The newest snapshot, valid until it is closed. One thread at a time may use it. While it is
  /// open, replaced pages stay in the file.
  package func snapshot() throws -> RecordReader { try RecordReader(store, schemas) }

  /// Changes the store: makes all changes of the closure, or none if it throws. The history names
  /// `author`.
  @discardableResult
  package func write<Result>(
    _ durability: SyncMode = .full, author: String = "", timeoutMilliseconds: UInt64? = nil,
    _ body: (RecordWriter) throws -> Result
  ) throws -> Result {
    try checkPresent()
    try HistoryTurn.check(author)
    let writer = try RecordWriter(
      store, schemas, numbers: numbers, timeoutMilliseconds: timeoutMilliseconds, standing: standing)
    writer.tables.historyTurn.begin(author, source)
    let result: Result
    do { result = try body(writer) } catch {
      writer.abandon()
      throw error
    }
    let number = writer.commitNumber
    try writer.commit(durability)
    if writer.hasEntry { source.lastOwn = number }
    // Shows the commit to readers, so that its writer reads its own changes. If syncing fails, the
    // next commit throws.
    if durability == .relaxed { try? store.show(number) }
    return result
  }
}

extension RecordStore {
  private func checkPresent() throws(StoreError) {
    guard isPast else { return }
    throw StoreError(
      .readOnly, "the store shows the past, which cannot be changed: change the current models", path: store.path)
  }

  /// Gives out `count` consecutive numbers and returns the first. ``TableWriter/insert(_:as:)``
  /// inserts rows with them later. The store must have been opened with `reservesRows`.
  package func reserve(_ count: UInt64 = 1, of entity: EntityID) throws -> RowID {
    try checkPresent()
    guard let numbers else {
      throw RecordFault(.conflict, "the store was not opened to assign row numbers in advance")
    }
    return try numbers.take(entity, count) {
      try read { reader in
        guard reader.catalog.entity(entity) != nil else {
          throw RecordFault(.unknown, "there is no entity with the number \(entity.number)")
        }
        return try reader.nextRow(entity)
      }
    }
  }
}

/// The write transaction of a store of rows.
package final class RecordWriter {
  private let transaction: WriteTransaction
  let tables: Tables
  private let schemas: SchemaCache
  private let standing: StandingTables?
  /// Whether the transaction has an entry in the history.
  private(set) var hasEntry = false

  init(
    _ store: Store, _ schemas: SchemaCache, numbers: RowNumbers?, timeoutMilliseconds: UInt64?,
    standing: StandingTables? = nil
  ) throws(StoreError) {
    self.schemas = schemas
    self.standing = standing
    transaction = try store.beginWrite(timeoutMilliseconds: timeoutMilliseconds)
    if let known = standing?.take(transaction.base) {
      tables = known
      known.begin(in: transaction)
      return
    }
    do throws(StoreError) {
      tables = try Tables(Forest(in: transaction), schemas, numbers: numbers, keepsDerived: true)
    } catch {
      transaction.abandon()
      throw error
    }
  }

  package var catalog: Catalog { tables.catalog }
  /// The size of the commit: bytes of the log, and pages in memory.
  package var written: (bytes: Int, pages: Int) { (transaction.bytesLogged, transaction.pagesMade) }
  /// The number that the commit gets; see ``RecordReader/commit``.
  package var commitNumber: UInt64 { transaction.base.transaction + 1 }
  /// Calls `body` with the rows inserted so far, by entity.
  package func forEachArrival(_ body: (EntityID, ArrivedRows) -> Void) {
    tables.noteArrivals()
    for (id, rows) in tables.arrivedRows where rows.count > 0 { body(id, rows) }
  }
  package func table(_ name: String) throws -> TableWriter { try tables.table(name) }
  package func table(_ id: EntityID) throws -> TableWriter { try tables.table(id) }

  /// Forgets noted references whose rows were inserted since, so that they need no memory until the
  /// commit.
  package func forgetClosedReferences() throws { try tables.forgetClosedReferences() }

  /// Whether a row exists now.
  package func contains(_ row: RowID, _ entity: EntityID) throws -> Bool { try tables.contains(row, entity) }

  /// The entity's rows with all changes, valid for reading until the next change.
  package func reading(_ name: String) throws -> TableReader {
    try tables.settleDerived()
    return try tables.table(name).reading
  }
  package func reading(_ id: EntityID) throws -> TableReader {
    try tables.settleDerived()
    return try tables.table(id).reading
  }

  /// The rows whose derived fields this transaction wrote. Writes the waiting ones first.
  package func derivedRows() throws -> [RowName] {
    try tables.settleDerived()
    try tables.throwDerivedFault()
    return tables.derivedRows
  }

  /// Changes the catalog. Makes all changes of `body`, or none if it throws or the rows do not
  /// allow them.
  package func change(_ body: (inout Catalog) throws -> Void) throws {
    var catalog = tables.catalog
    try body(&catalog)
    let changed = catalog
    try savepoint { try tables.setCatalog(changed) }
  }

  /// Runs a part of the transaction, which is rolled back if it throws. Tables must be fetched
  /// again after that.
  package func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    try tables.settle()
    let point = try tables.forest.savepoint()
    let open = tables.openReferences
    let derived = tables.derivedMark
    let mark = tables.history.mark()
    do {
      let result = try body()
      // Waiting changes may fail, and are then rolled back with the rest.
      try tables.settle()
      if tables.derivedFault != derived.fault { try tables.throwDerivedFault() }
      tables.forest.release(point)
      tables.history.release(mark)
      return result
    } catch {
      tables.forest.rollback(to: point)
      tables.history.goBack(to: mark)
      try tables.reload()
      tables.openReferences = open
      tables.goBack(toDerived: derived)
      throw error
    }
  }

  func commit(_ durability: SyncMode) throws {
    do {
      try tables.closeReferences()
      try tables.settleDerived()
      try tables.throwDerivedFault()
      let root = try tables.seal()
      hasEntry = tables.historyTurn.hasEntry
      tables.rest()
      try transaction.commit(root, durability: durability)
      schemas.note(tables.schema, at: transaction.outcome)
      if let standing { standing.keep(tables, transaction.outcome, pages: transaction.pagesMade) } else { tables.end() }
    } catch {
      tables.close()
      transaction.abandon()
      throw error
    }
  }

  func abandon() {
    tables.close()
    transaction.abandon()
  }
}
