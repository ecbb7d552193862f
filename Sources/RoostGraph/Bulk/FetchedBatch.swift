internal import RoostRecords

/// Rows of a working set, with the values that their backing store returned.
///
/// The references of all rows share one array, and so do the lists: an array for each row would
/// cost more than the row.
package struct FetchedBatch {
  struct Row {
    let map: EntityMap
    let row: UInt64
    /// Whether the row does not exist yet. Its number is reserved.
    var isNew = false
    /// Nil if the row has its values and references already, and only its lists are written.
    let values: ValueImage?
    var references: Range<Int>
    var lists: Range<Int>
  }

  private(set) var rows: [Row] = []
  /// The rows that references refer to; nil for no row.
  private(set) var references: [(property: Int, row: UInt64?)] = []
  /// By property, the rows found by the inverse: the members of a list, or the row that references
  /// this one.
  private(set) var lists: [(property: Int, rows: [UInt64])] = []

  package init() {}

  package var count: Int { rows.count }
  package mutating func reserveCapacity(_ count: Int) { rows.reserveCapacity(count) }

  /// Begins a row. The relationships that are added next belong to it.
  package mutating func add(_ map: EntityMap, _ row: UInt64, values: ValueImage?) {
    let (reference, list) = (references.count, lists.count)
    rows.append(Row(map: map, row: row, values: values, references: reference..<reference, lists: list..<list))
  }

  package mutating func add(reference: UInt64?, of property: Int) {
    references.append((property, reference))
    rows[rows.count - 1].references = rows[rows.count - 1].references.lowerBound..<references.count
  }

  package mutating func add(list: [UInt64], of property: Int) {
    lists.append((property, list))
    rows[rows.count - 1].lists = rows[rows.count - 1].lists.lowerBound..<lists.count
  }

  package mutating func removeLast() {
    let last = rows.removeLast()
    references.removeSubrange(last.references)
    lists.removeSubrange(last.lists)
  }

  package mutating func setNew(_ number: Int, _ isNew: Bool) { rows[number].isNew = isNew }

  /// The rows that already existed.
  package var existing: [(map: EntityMap, row: UInt64)] {
    rows.compactMap { $0.isNew ? nil : ($0.map, $0.row) }
  }
}

extension GraphStore {
  /// Where a relationship of a fetched row is stored.
  package enum FetchedPlace {
    case reference
    case list
    /// Only an object can set it, with the rules of a save.
    case byObject
  }

  package func fetchedPlace(_ map: EntityMap, _ property: Int) -> FetchedPlace {
    guard let relation = relations[map.number][property], !relation.isOwnInverse else { return .byObject }
    if case .reference = relation.way { return .reference }
    return .list
  }

  /// The members of a list. Each of them references the owner.
  ///
  /// - Parameters:
  ///   - map: the map of the owner's class.
  ///   - row: the owner's row.
  ///   - property: the list.
  ///   - needOwner: whether to return only members whose reference may not be nil.
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

  /// Reserves consecutive row numbers of a class. Returns the first.
  package func reserveRows(_ count: UInt64, _ map: EntityMap) throws -> UInt64 {
    try records.reserve(count, of: map.entity.id).number
  }

  /// Writes fetched rows, and makes rows without values for objects that were only named, in one
  /// commit. Returns the number of the newest commit, which contains all of it.
  ///
  /// It makes no object and checks no rule of a save, because the backing store has accepted what
  /// it returned. Contexts that show these rows read them again.
  package func write(_ fetched: FetchedBatch, unloaded: [(map: EntityMap, row: UInt64)]) throws -> UInt64 {
    try records.write { writer in
      var work = FetchedWork(self, writer)
      for (map, row) in unloaded { try work.insertUnloaded(map, row) }
      for row in fetched.rows { try work.write(row, fetched.references[row.references]) }
      // All members of lists have rows now.
      for row in fetched.rows where !row.lists.isEmpty { try work.writeLists(row, fetched.lists[row.lists]) }
      feed.add(work.entry)
    }
    listeners.tell()
    // If all rows had these values already, there was no commit.
    let newest = try records.snapshot()
    defer { newest.close() }
    return newest.commit
  }
}

/// Writes fetched rows in one transaction.
private struct FetchedWork {
  /// The facts that the rows of a class have in common.
  private final class ClassWork {
    let map: EntityMap
    let table: TableWriter
    let box: Saver.SinkBox
    let encoder: ImageEncoder

    init(_ map: EntityMap, _ store: GraphStore, by writer: RecordWriter) throws {
      self.map = map
      table = try writer.table(map.entity.id)
      box = Saver.SinkBox(map.newest)
      encoder = ImageEncoder(map, store.relations[map.number])
    }
  }

  private let store: GraphStore
  private let writer: RecordWriter
  private var works: [Int: ClassWork] = [:]
  /// The class of the last row. Neighbours usually have the same class.
  private var last: ClassWork?
  /// The rows that change, by number of their home map.
  private var changed: [[UInt64]]

  init(_ store: GraphStore, _ writer: RecordWriter) {
    (self.store, self.writer) = (store, writer)
    changed = store.maps.map { _ in [] }
  }

  var entry: CommitFeed.Entry {
    let rows = changed.enumerated().lazy.filter { !$0.element.isEmpty }.map { ($0.offset, $0.element) }
    return CommitFeed.Entry(
      number: writer.commitNumber, rows: Dictionary(uniqueKeysWithValues: rows), author: ObjectIdentifier(store))
  }

  private mutating func work(_ map: EntityMap) throws -> ClassWork {
    if let last, last.map === map { return last }
    let work = try works[map.number] ?? ClassWork(map, store, by: writer)
    (works[map.number], last) = (work, work)
    return work
  }

  mutating func insertUnloaded(_ map: EntityMap, _ row: UInt64) throws {
    let work = try work(map)
    let box = work.box
    box.sink.clear()
    for (property, one) in map.type.properties.enumerated() {
      if case .value = one.storage { map.newest.coder(property).putAny(into: &box.sink, at: property) }
    }
    if let failure = box.sink.failure { throw failure }
    try work.table.insert(&box.sink.builder, as: RowID(row))
    changed[map.home].append(row)
  }

  mutating func write(_ one: FetchedBatch.Row, _ references: ArraySlice<(property: Int, row: UInt64?)>) throws {
    guard let values = one.values else { return }
    let work = try work(one.map)
    let (id, box) = (RowID(one.row), work.box)
    box.sink.clear()
    if !one.isNew, try !work.table.read(id, into: &box.sink.builder) {
      throw GraphFault(.deleted, "there is no such row", entity: one.map.type.name, row: one.row)
    }
    try work.encoder.encode(values, into: &box.sink, leavesAbsent: !one.isNew, skipsNil: false)
    try work.encoder.encode(references, into: &box.sink, leavesAbsent: !one.isNew)
    if one.isNew {
      try work.table.insert(&box.sink.builder, as: id)
    } else {
      try work.table.replace(id, with: &box.sink.builder)
    }
    changed[one.map.home].append(one.row)
    for (property, row) in references {
      if let row, let home = store.relations[one.map.number][property]?.home { changed[home].append(row) }
    }
  }

  mutating func writeLists(_ one: FetchedBatch.Row, _ lists: ArraySlice<(property: Int, rows: [UInt64])>) throws {
    let owner = RowID(one.row)
    for (property, rows) in lists {
      guard let relation = store.relations[one.map.number][property],
        let side = writer.catalog.relationship(relation.way.id)
      else { continue }
      let links = try writer.links(side)
      let (former, rows) = (try links.rows(of: owner), rows.map { RowID($0) })
      if former == rows { continue }
      changed[one.map.home] += try formerPartners(of: rows, relation)
      try links.replace(rows, of: owner)
      changed[relation.home] += (former + rows).map(\.number)
    }
  }

  /// The rows that lose their one-to-one partners to other rows. Their objects read them again.
  private func formerPartners(of rows: [RowID], _ relation: Relation) throws -> [UInt64] {
    let target = store.maps[relation.target]
    guard relation.isOneToOne, let field = relation.inverse.flatMap(target.field) else { return [] }
    let table = try writer.table(target.entity.id)
    return try rows.compactMap { try table.reference(table.slot(field.name), of: $0)?.number }
  }
}
