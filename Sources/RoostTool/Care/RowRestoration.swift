import Roost
import RoostPages
import RoostQuery
import RoostRecords
import RoostTransfer

/// Restores former states of rows.
///
/// An existing row gets its former values and lists. A deleted row is matched with a present row
/// that has its unique values. If there is none, it is inserted under a new number. Deleted rows
/// that it owned by a `.cascade` rule are inserted too. References and lists name rows that exist
/// or are restored.
struct RowRestoration {
  /// The numbers for one entity.
  struct Count: Encodable {
    var entity: String
    var inserted = 0
    var changed = 0
  }

  private let past: RecordReader
  private let store: RecordStore
  private let writer: RecordWriter
  private var chosen: Set<RowName> = []
  /// The present number of each chosen row, by its former name.
  private var places: [RowName: RowID] = [:]
  /// The present numbers of other rows, by their former names. `gone` has the deleted ones.
  private var others: [RowName: RowID] = [:]
  private var gone: Set<RowName> = []
  /// Chosen rows that are new.
  private var fresh: Set<RowName> = []
  private var changed: Set<RowName> = []
  private(set) var counts: [Count] = []
  private var lostReferences: Set<LostReference> = []
  /// References to deleted rows, which are nil now.
  var lost: Int { lostReferences.count }

  private struct LostReference: Hashable {
    var row: RowName
    var field: FieldID
  }

  init(_ past: RecordReader, to store: RecordStore, writer: RecordWriter) {
    (self.past, self.store, self.writer) = (past, store, writer)
  }

  /// Chooses rows, and the deleted rows that they owned.
  mutating func choose(_ names: [RowName]) throws {
    for name in names where try writer.contains(name.row, name.entity) { places[name] = name.row }
    var open = names
    var next = 0
    while next < open.count {
      let name = open[next]
      next += 1
      guard chosen.insert(name).inserted else { continue }
      if places[name] == nil {
        if try writer.contains(name.row, name.entity) {
          places[name] = name.row
        } else if let alike = try rowAlike(name) {
          places[name] = alike
        } else {
          places[name] = try store.reserve(of: name.entity)
          fresh.insert(name)
        }
      }
      for one in past.catalog.relationships(of: name.entity) where one.deleteRule == .cascade {
        let gone = try members(one, of: name.row).filter { try !writer.contains($0, one.target) }
        try findAgain(gone, one, of: name)
        open += gone.map { RowName(one.target, $0) }
      }
    }
  }

  /// Finds deleted rows that an earlier restoration inserted again: their owner has rows with the
  /// same values.
  private mutating func findAgain(_ gone: [RowID], _ one: Relationship, of owner: RowName) throws {
    guard !gone.isEmpty, !fresh.contains(owner), let place = places[owner] else { return }
    let (was, now) = (try past.table(one.target), try writer.reading(one.target))
    let fields = was.entity.fields.filter { field in
      if case .reference = field.type { false } else { now.entity.field(field.id) != nil }
    }.map(\.id)
    var known: [[Value]: [RowID]] = [:]
    for row in try membersNow(one, of: place).reversed() where try was.values(fields, of: row) == nil {
      if let values = try now.values(fields, of: row) { known[values, default: []].append(row) }
    }
    for row in gone where places[RowName(one.target, row)] == nil {
      if let values = try was.values(fields, of: row), let again = known[values]?.popLast() {
        places[RowName(one.target, row)] = again
      }
    }
  }

  private func membersNow(_ one: Relationship, of row: RowID) throws -> [RowID] {
    guard case .one(let field) = one.shape else { return try writer.links(one).rows(of: row) }
    guard case .reference(let target)?? = try writer.reading(one.entity).values([field], of: row)?.first else {
      return []
    }
    return [target]
  }

  /// The present row with the same unique values.
  private func rowAlike(_ name: RowName) throws -> RowID? {
    let (was, now) = (try past.table(name.entity), try writer.reading(name.entity))
    for index in writer.catalog.indexes(of: name.entity) where index.isUnique && index.builtBelow == nil {
      let fields = index.parts.map(\.field)
      let all = index.fields.sorted()
      guard let known = try was.values(all, of: name.row), known.count == all.count,
        let values = index.uniqueValues(Dictionary(zip(all, known)) { first, _ in first })
      else { continue }
      let targets = fields.map { id -> EntityID? in
        if case .reference(let target)? = was.entity.field(id)?.type { target } else { nil }
      }
      // The target of a reference may have another number.
      if targets.contains(where: { $0 != nil }) { continue }
      // A row that gets its own former values may lose these.
      if let row = try now.row(unique: index.name, values), places[RowName(name.entity, row)] != row { return row }
    }
    return nil
  }

  /// Writes the chosen rows.
  mutating func run() throws {
    let names = places.keys.sorted()
    // Existing rows first, because they may release unique values that others get.
    var waiting = names.filter { !fresh.contains($0) } + names.filter { fresh.contains($0) }
    while !waiting.isEmpty {
      var refused: [RowName] = []
      var fault: RecordFault?
      for name in waiting {
        do { try writeFields(name) } catch let error as RecordFault where error.code == .notUnique {
          refused.append(name)
          fault = error
        }
      }
      if let fault, refused.count == waiting.count { throw fault }
      waiting = refused
    }
    for name in names { try writeLists(name) }
    let entities = Set(names.map(\.entity))
    if writer.catalog.hasComputed(of: entities) { try writer.change { $0.awaitComputed(of: entities) } }
  }

  /// The former related rows of a relationship.
  private func members(_ one: Relationship, of row: RowID) throws -> [RowID] {
    guard case .one(let field) = one.shape else { return try past.links(one).rows(of: row) }
    guard case .reference(let target)?? = try past.table(one.entity).values([field], of: row)?.first else { return [] }
    return [target]
  }

  /// The present number of a row; nil if it is deleted.
  private mutating func place(_ row: RowID, _ entity: EntityID) throws -> RowID? {
    let name = RowName(entity, row)
    if let place = places[name] ?? others[name] { return place }
    if gone.contains(name) { return nil }
    let found = try writer.contains(row, entity) ? row : rowAlike(name)
    if let found { others[name] = found } else { gone.insert(name) }
    return found
  }

  private mutating func writeFields(_ name: RowName) throws {
    guard let row = places[name] else { return }
    let isFresh = fresh.contains(name)
    let (was, table) = (try past.table(name.entity), try writer.table(name.entity))
    let now = isFresh ? nil : try writer.reading(name.entity).values(row)
    var values: [(field: FieldID, slot: Slot, value: Value)] = []
    for field in table.entity.fields {
      let former = was.entity.field(field.id) == nil ? nil : try was.values([field.id], of: name.row)?.first
      // Values that did not exist then stay as they are.
      guard var value = former ?? (isFresh ? field.initial : nil) else { continue }
      if case .reference(let entity) = field.type, case .reference(let target) = value {
        value = try self.value(of: field, name, target: target, of: entity)
      }
      if now?[field.name] != value { values.append((field.id, try table.slot(field.name), value)) }
    }
    for one in values {
      if case .reference(let target) = one.value { try makeRoom(one.field, target, for: row, of: name.entity) }
    }
    if isFresh {
      var builder = table.makeBuilder()
      for one in values { try builder.set(one.slot, one.value) }
      try table.insert(&builder, as: row)
      count(name.entity, \.inserted)
    } else if !values.isEmpty {
      try table.update(row) { builder in for one in values { try builder.set(one.slot, one.value) } }
      countChange(name)
    }
  }

  /// The value of a reference, with the present number of its target.
  private mutating func value(of field: Field, _ name: RowName, target: RowID, of entity: EntityID) throws -> Value {
    if let place = try place(target, entity) { return .reference(place) }
    guard field.isOptional else {
      let (own, other) = (writer.catalog.entity(name.entity)?.name ?? "", writer.catalog.entity(entity)?.name ?? "")
      throw CheckFailure(
        sentence:
          "row \(name.row.number) of \(own) needs row \(target.number) of \(other), which is gone: restore \(other) first"
      )
    }
    lostReferences.insert(LostReference(row: name, field: field.id))
    return .null
  }

  /// If only one row may reference the target, removes the present reference to it.
  private func makeRoom(_ field: FieldID, _ target: RowID, for row: RowID, of entity: EntityID) throws {
    for one in writer.catalog.relationships(of: entity) where one.shape == .one(field) {
      guard let inverse = writer.catalog.relationship(one.inverse), inverse.traits.contains(.single),
        try writer.contains(target, inverse.entity)
      else { continue }
      let writing = try writer.links(inverse)
      for other in try writing.rows(of: target) where other != row { try writing.remove(other, from: target) }
    }
  }

  private mutating func writeLists(_ name: RowName) throws {
    guard let owner = places[name] else { return }
    for one in writer.catalog.relationships(of: name.entity) where past.catalog.relationship(one.id)?.shape == one.shape
    {
      if case .one = one.shape { continue }
      let writing = try writer.links(one)
      var rows: [RowID] = []
      for row in try members(one, of: name.row) { if let place = try place(row, one.target) { rows.append(place) } }
      let now = try writing.rows(of: owner)
      if case .manyByReference(let entity, let id) = one.shape,
        writer.catalog.entity(entity)?.field(id)?.isOptional == false
      {
        // A row with a required reference cannot leave the list.
        rows += now.filter { !rows.contains($0) }
      }
      if now == rows { continue }
      try writing.replace(rows, of: owner)
      if !fresh.contains(name) { countChange(name) }
    }
  }

  // MARK: Counting

  private mutating func countChange(_ name: RowName) {
    if changed.insert(name).inserted { count(name.entity, \.changed) }
  }

  private mutating func count(_ id: EntityID, _ path: WritableKeyPath<Count, Int>) {
    let entity = writer.catalog.entity(id)?.name ?? ""
    if !counts.contains(where: { $0.entity == entity }) { counts.append(Count(entity: entity)) }
    if let place = counts.firstIndex(where: { $0.entity == entity }) { counts[place][keyPath: path] += 1 }
  }
}

/// The result of `restore --entity`.
struct RowRestorationReport: Encodable {
  private(set) var source: String
  private(set) var target: String
  private(set) var entities: [RowRestoration.Count] = []
  private(set) var lostReferences = 0

  /// - Parameters:
  ///   - backup: the source of the rows; nil for the past of the store itself.
  ///   - moment: a moment in the source, as on the command line.
  init(_ asked: [Asked], from backup: String?, moment: String?, to path: String, waiting: UInt64) throws {
    var opening = StoreOptions()
    opening.createIfMissing = false
    opening.lockTimeoutNanoseconds = waiting
    _ = try Looking.rows(path)
    let store = try RecordStore(path, options: opening, reservesRows: true, writer: HistoryWriter.ofThisProgram)
    (source, target) = (backup ?? path, path)
    do {
      if let backup {
        var witness = try Looking.rows(backup)
        try witness.read { try store.checkDescent(from: $0) }
        if let moment { witness = try witness.past { try AsOf.place(moment, $0) } }
        try witness.read { try restore(asked, $0, into: store) }
      } else {
        let past = try store.rewound(to: store.read { try AsOf.place(moment ?? "", $0) })
        defer { try? past.close() }
        try past.read { try restore(asked, $0, into: store) }
      }
    } catch {
      try? store.close()
      throw error
    }
    try store.close()
  }

  private mutating func restore(_ asked: [Asked], _ past: RecordReader, into store: RecordStore) throws {
    let names = try asked.flatMap { one in
      let entity = try one.rows(past.catalog).entity.id
      return try Planner(Ground(past)).plan(one.query(past.catalog)).rows().map { RowName(entity, $0) }
    }
    let done = try store.write(author: "roost restore") { writer in
      var restoration = RowRestoration(past, to: store, writer: writer)
      try restoration.choose(names)
      try restoration.run()
      return restoration
    }
    (entities, lostReferences) = (done.counts, done.lost)
  }

  func write(to console: Console) {
    var parts = entities.map { one in
      "\(one.entity): \(ReadableNumber.count(one.inserted)) inserted, \(ReadableNumber.count(one.changed)) changed"
    }
    if parts.isEmpty { parts = ["everything is as it was then, so nothing was written"] }
    if lostReferences > 0 {
      parts.append(
        "\(ReadableNumber.count(lostReferences, "reference")) to rows that are gone "
          + (lostReferences == 1 ? "is" : "are") + " nil")
    }
    console.line(console.styled("restored", .good) + "  " + parts.joined(separator: "; "))
  }
}
