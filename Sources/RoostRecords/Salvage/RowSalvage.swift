package import RoostCare
package import RoostFile
package import RoostPages
package import RoostTrees

/// Restores the content of a damaged store of rows.
///
/// ## Invariants
/// Whatever was lost, the result has these:
/// 1. Every row can be read, and every large value belongs to one.
/// 2. Indexes have the entries of the existing rows: they are always built again.
/// 3. Links have entries for both sides and name existing rows; an order has all of its rows.
/// 4. The history says nothing wrong: if rows were lost, it begins after the saved state of the
///    trees. Consumers that have read lost transactions get an error.
/// 5. No two rows have the same values in a unique index.
/// 6. Derived fields have the values that are computed from the existing rows. Those that the
///    program computes wait for its next opening.
/// 7. A reference names an existing row or is nil. If it must not be nil, its relationship is
///    marked as torn.
package final class RowSalvage: SalvagedContent {
  /// An entity of the new store.
  package struct SavedEntity {
    package var name: String
    package var rows: Int
  }

  var tally = SalvageTally()
  let schemas = SchemaCache()
  private let source: HistorySource
  /// Whether nothing can be understood, because there is no catalog.
  private var isForeign = false
  private var hasLosses = false
  /// Whether something is lost that the history does not show.
  private var losesTrack = false
  /// The entities of the new store after the salvage; only those that users named.
  package private(set) var entities: [SavedEntity] = []
  private var titles: [[UInt8]: String] = [:]

  package init(
    clock: (@Sendable () -> UInt64)? = nil,
    writer: @escaping @Sendable () -> HistoryWriter = { .unknown }
  ) {
    source = HistorySource(clock, writer)
  }

  package var losses: [String] { tally.sentences }

  // MARK: Tree names

  package var decisiveTree: [UInt8] { Tables.meta }
  package var decisiveKey: [UInt8] { Tables.catalogKey }

  package func owns(_ forest: Forest) throws(StoreError) -> Bool {
    guard let meta = try forest.find(Tables.meta), case .bytes(let draft) = meta.trunk else { return false }
    let value = try ByteKey.borrowing(Tables.catalogKey) { (key) throws(StoreError) in try draft.tree.value(of: key) }
    guard let value, let catalog = try? Catalog(decoding: value) else { return false }
    name(catalog)
    return true
  }

  package func owns(piece kind: UInt8) -> Bool { Tables.Kind(rawValue: kind) != nil }

  package func isDerived(_ tree: [UInt8]) -> Bool {
    guard let letter = tree.first, letter == UInt8(ascii: "i") || letter == UInt8(ascii: "t") else { return false }
    return tree.count > 1 && tree.dropFirst().allSatisfy { (48...57).contains($0) }
  }

  package func row(of key: [UInt8], in tree: [UInt8]) -> UInt64? {
    tree.first == Tables.large(EntityID(0)).first ? LargeKey(key)?.row.number : nil
  }

  package func title(of tree: [UInt8]) -> String? { titles[tree] }

  private func name(_ catalog: RoostRecords.Catalog) {
    titles[Tables.meta] = "the catalog"
    titles[HistoryTree.name] = "the history"
    titles[HistoryWriter.tree] = "the programs that wrote the history"
    titles[ConsumerPlace.tree] = "the consumers of the history"
    for entity in catalog.entities {
      titles[Tables.rows(entity.id)] = "the rows of \(entity.name)"
      titles[Tables.large(entity.id)] = "the large values of \(entity.name)"
    }
    for one in catalog.relationships where Tables.hasTree(one) {
      titles[Tables.links(one.id)] = "\(one.name) of \(catalog.entity(one.entity)?.name ?? "")"
    }
  }

  // MARK: The steps

  package func mend(_ forest: Forest, _ saved: SavedTrees) throws(StoreError) {
    hasLosses = !saved.isWhole
    guard try owns(forest) else {
      isForeign = true
      return tally.add("the catalog cannot be read, so the contents of the trees are unknown")
    }
    let mender = try TreeMender(forest, saved, schemas: schemas, tally: tally)
    defer { tally = mender.tally }
    try mender.run()
    losesTrack = mender.losesRows || mender.losesTrack || !mender.emptied.isEmpty
  }

  package func carryOut(
    _ record: LogRecord, in transaction: WriteTransaction, from source: Examination, carefully: Bool
  ) throws(StoreError) -> Root {
    // A record that has no effect any more still takes its transaction number.
    try transaction.record(Tables.Kind.history.rawValue, count: 0) { _ in }
    let before = tally
    let tables = try Tables(Forest(in: transaction), schemas)
    defer { tables.close() }
    let salvager = RecordSalvager(tables, source, tally: before)
    do throws(StoreError) {
      try record.pieces { (kind, bytes) throws(StoreError) in
        guard kind >= Store.PieceKind.firstOfFloorAbove else { return }
        try salvager.take(kind, bytes, carefully: carefully)
        try transaction.relieve()
      }
      let root = try salvager.seal(carefully: carefully)
      tally = salvager.tally
      if tally.count > before.count { losesTrack = true }
      return root
    } catch {
      tally = before
      throw error
    }
  }

  package func finish(_ transaction: WriteTransaction, losesRecords: Bool) throws(StoreError) -> Root? {
    if isForeign { return nil }
    let tables = try Tables(Forest(in: transaction), schemas, keepsDerived: true)
    defer { tables.close() }
    tables.historyTurn.begin("salvage", source)
    name(tables.catalog)
    var isChanged = false
    if hasLosses || !tally.isEmpty {
      let closer = ReferenceCloser(tables)
      try Self.storing { try closer.run() }
      isChanged = closer.changed > 0
      tally.join(closer.tally)
    }
    try Self.storing { try tables.fillAllDerived() }
    isChanged = isChanged || !tables.derivedRows.isEmpty
    if let fault = tables.derivedFault {
      tally.add(
        "derived values do not fit into \(fault.field ?? "") of \(fault.entity ?? "")",
        "row \(fault.rows.first?.row.number ?? 0)")
    }
    var consumers = ConsumerMender(tables)
    try consumers.run(all: losesTrack || losesRecords)
    isChanged = isChanged || consumers.changed > 0
    tally.join(consumers.tally)
    entities = []
    for entity in tables.catalog.entities where !entity.name.hasPrefix("@") {
      let rows = try tables.integers(Tables.rows(entity.id)).root.count
      entities.append(SavedEntity(name: entity.name, rows: Int(clamping: rows)))
    }
    // Rows that lost a value, or came from the log, may not agree with values that the program
    // computed.
    if hasLosses || isChanged || !tally.isEmpty, tables.catalog.hasComputed() {
      try tables.changeCatalog { $0.awaitComputed() }
      isChanged = true
    }
    guard isChanged else { return nil }
    return try RecordSalvager.seal(tables, &tally)
  }

  /// Runs code that also throws errors of rows, which should not occur here.
  static func storing<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do { return try body() } catch let error as StoreError { throw error } catch {
      throw StoreError(.damaged, "the saved trees are inconsistent: \(error)")
    }
  }
}
