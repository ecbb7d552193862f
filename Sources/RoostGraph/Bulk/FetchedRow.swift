internal import RoostRecords

/// A row of a working set with what its backing store returned of it.
package struct FetchedRow {
  package var map: EntityMap
  package var row: UInt64
  /// Whether there is no such row yet. Its number is reserved.
  package var isNew: Bool
  /// Nil where the row has its values and references, and only its lists are written.
  package var values: ValueImage?
  /// For each reference, the row that it names; nil for no row.
  package var references: [(property: Int, row: UInt64?)] = []
  /// By property, the rows that are found by the other side: the members of a list, or the one that leads here.
  package var lists: [(property: Int, rows: [UInt64])] = []

  package init(_ map: EntityMap, _ row: UInt64, isNew: Bool, values: ValueImage?) {
    (self.map, self.row, self.isNew, self.values) = (map, row, isNew, values)
  }
}

extension GraphStore {
  /// Where a relationship is kept, for a row that is fetched.
  package enum FetchedPlace {
    case reference
    case list
    /// An object of this class needs the rules of a save.
    case byObject
  }

  package func fetchedPlace(_ map: EntityMap, _ property: Int) -> FetchedPlace {
    guard let relation = relations[map.number][property], !relation.isOwnInverse else { return .byObject }
    if case .reference = relation.way { return .reference }
    return .list
  }

  /// The members of a list. Each of them references the owner.
  ///
  /// - Parameter needOwner: whether only those are meant whose reference may not be nil.
  package func members(
    _ map: EntityMap, _ row: UInt64, by property: Int, needOwner: Bool
  ) throws -> [(map: EntityMap, row: UInt64)] {
    guard let relation = relations[map.number][property], !relation.isByLinks, let inverse = relation.inverse,
      !needOwner || !maps[relation.target].type.mayBeNil(inverse)
    else { return [] }
    if case .reference = relation.way { return [] }
    return try records.read { reader in
      guard let side = reader.catalog.relationship(relation.way.id) else { return [] }
      return try reader.links(side).rows(of: RowID(row)).map { (maps[relation.target], $0.number) }
    }
  }

  /// Reserves the number of a row of a class.
  package func reserveRow(_ map: EntityMap) throws -> UInt64 { try records.reserve(of: map.entity.id).number }

  /// Writes fetched rows, and makes rows without values for objects that were only named, in one commit. Returns the number of the
  /// newest commit, which has all of it.
  ///
  /// No object is made, and no rule of a save is asked: the backing store has accepted what it returned. Contexts that show these rows read
  /// them again.
  package func write(_ fetched: [FetchedRow], unloaded: [(map: EntityMap, row: UInt64)]) throws -> UInt64 {
    try records.write { writer in
      var work = FetchedWork(self, writer)
      for (map, row) in unloaded { try work.insertUnloaded(map, row) }
      for at in fetched.indices { try work.write(fetched[at]) }
      // The members of all lists have rows now.
      for at in fetched.indices where !fetched[at].lists.isEmpty { try work.writeLists(fetched[at]) }
      feed.add(work.entry)
    }
    listeners.tell()
    // Where all rows had these values already, nothing was committed.
    let newest = try records.snapshot()
    defer { newest.close() }
    return newest.commit
  }
}

/// Writing fetched rows in one transaction.
private struct FetchedWork {
  private let store: GraphStore
  private let writer: RecordWriter
  var entry: CommitFeed.Entry
  private var encoders: [Int: ImageEncoder] = [:]
  private var boxes: [Int: Saver.SinkBox] = [:]

  init(_ store: GraphStore, _ writer: RecordWriter) {
    (self.store, self.writer) = (store, writer)
    entry = CommitFeed.Entry(number: writer.commitNumber, rows: [:], author: ObjectIdentifier(store))
  }

  private mutating func note(_ home: Int, _ row: UInt64) { entry.rows[home, default: []].append(row) }

  private mutating func box(_ map: EntityMap) -> Saver.SinkBox {
    let box = boxes[map.number] ?? Saver.SinkBox(map.newest)
    boxes[map.number] = box
    box.sink.clear()
    return box
  }

  mutating func insertUnloaded(_ map: EntityMap, _ row: UInt64) throws {
    let box = box(map)
    for (property, one) in map.type.properties.enumerated() {
      if case .value = one.storage { map.newest.coder(property).putAny(into: &box.sink, at: property) }
    }
    if let failure = box.sink.failure { throw failure }
    try writer.table(map.entity.id).insert(&box.sink.builder, as: RowID(row))
    note(map.home, row)
  }

  mutating func write(_ one: FetchedRow) throws {
    guard let values = one.values else { return }
    let (map, id, box) = (one.map, RowID(one.row), box(one.map))
    let encoder = encoders[map.number] ?? ImageEncoder(map, store.relations[map.number])
    encoders[map.number] = encoder
    let table = try writer.table(map.entity.id)
    if !one.isNew, try !table.read(id, into: &box.sink.builder) {
      throw GraphFault(.deleted, "there is no such row", entity: map.type.name, row: one.row)
    }
    try encoder.encode(values, into: &box.sink, leavesAbsent: !one.isNew, skipsNil: false)
    try encoder.encode(one.references, into: &box.sink, leavesAbsent: !one.isNew)
    if one.isNew {
      try table.insert(&box.sink.builder, as: id)
    } else {
      try table.replace(id, with: &box.sink.builder)
    }
    note(map.home, one.row)
    for (property, row) in one.references {
      if let row, let relation = store.relations[map.number][property] { note(relation.home, row) }
    }
  }

  mutating func writeLists(_ one: FetchedRow) throws {
    let owner = RowID(one.row)
    for (property, rows) in one.lists {
      guard let relation = store.relations[one.map.number][property],
        let side = writer.catalog.relationship(relation.way.id)
      else { continue }
      let links = try writer.links(side)
      let (former, rows) = (try links.rows(of: owner), rows.map { RowID($0) })
      if former == rows { continue }
      try links.replace(rows, of: owner)
      for row in former + rows { note(relation.home, row.number) }
    }
  }
}
