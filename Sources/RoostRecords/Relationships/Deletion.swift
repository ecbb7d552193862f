internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Deletes rows and applies the delete rules of their relationships.
///
/// It has two halves. The first one only reads: it finds all rows to delete. Then it checks for
/// each whether a rule forbids it, and which references of the remaining rows must become nil. The
/// second half writes, and no rule can stop it. So a deletion is complete or has no effect, without
/// a savepoint.
///
/// ## Invariants
/// 1. Each row is visited once, whatever cycles the relationships have. No call is recursive.
/// 2. A row that is deleted too does not forbid the deletion of another one.
/// 3. A row in `staying` is not deleted by a cascade: its references to deleted rows become nil.
final class Deletion {
  private let tables: Tables
  /// Rows that no cascade deletes.
  private let staying: Set<RowName>
  @exclusivity(unchecked) private var doomed: Set<RowName> = []
  /// In the order in which they were found, the requested rows first.
  @exclusivity(unchecked) private var rows: [RowName] = []
  /// References of remaining rows that become nil.
  private var loose: [Deleted.Loose] = []
  /// The relationships of entities, so that they are not looked up for each row.
  private var known: [EntityID: [Way]] = [:]
  /// Those of the last entity, because most rows belong to the same entity as the one before.
  @exclusivity(unchecked) private var last: (entity: EntityID, ways: [Way])?

  /// How to find the rows that are related to a row by one relationship.
  private struct Way {
    let relationship: Relationship
    let table: TableWriter
    let field: Field?
    let slot: Slot?
    let members: Members?
  }

  /// The most rows that an error names.
  private static let mostNamed = 100

  init(_ tables: Tables, staying: Set<RowName> = []) {
    self.tables = tables
    self.staying = staying
  }

  /// Deletes the existing rows among these, and applies the rules. Returns the deleted rows and how
  /// many of them were requested.
  func run(_ wanted: some Sequence<RowName>) throws -> Deleted {
    for name in wanted where try tables.contains(name.row, name.entity) { doom(name) }
    let asked = rows.count
    try collect()
    try examine()
    try carryOut()
    return Deleted(asked: asked, rows: rows, loose: loose)
  }

  /// The rows that would be deleted if no rule forbade it.
  func find(_ wanted: some Sequence<RowName>) throws -> [RowName] {
    for name in wanted where try tables.contains(name.row, name.entity) { doom(name) }
    try collect()
    return rows
  }

  private func doom(_ name: RowName) {
    if doomed.insert(name).inserted { rows.append(name) }
  }

  // MARK: Finding

  private func collect() throws {
    var next = 0
    while next < rows.count {
      let name = rows[next]
      next += 1
      for way in try ways(name.entity) where way.relationship.deleteRule == .cascade {
        try follow(way, name.row) { row in
          let other = RowName(way.relationship.target, row)
          if staying.isEmpty || !staying.contains(other) { doom(other) }
        }
      }
    }
  }

  private func examine() throws {
    var faults: [RecordFault] = []
    for name in rows where faults.count < Self.mostNamed {
      for way in try ways(name.entity) {
        let one = way.relationship
        switch one.deleteRule {
        case .noAction: continue
        case .cascade: if !staying.isEmpty, let fault = try loosen(way, name) { faults.append(fault) }
        case .deny:
          var staying: [RowName] = []
          try follow(way, name.row) { row in
            let other = RowName(one.target, row)
            if staying.count < Self.mostNamed, !doomed.contains(other) { staying.append(other) }
          }
          if !staying.isEmpty { faults.append(denied(name, one, staying: staying)) }
        case .nullify: if let fault = try loosen(way, name) { faults.append(fault) }
        }
      }
    }
    guard var first = faults.first else { return }
    first.others = Array(faults.dropFirst())
    throw first
  }

  /// Notes references of remaining rows that become nil. Returns an error if one of them must not
  /// be nil.
  private func loosen(_ way: Way, _ name: RowName) throws -> RecordFault? {
    let one = way.relationship
    guard case .manyByReference(_, let id) = one.shape, let field = way.field else { return nil }
    try follow(way, name.row) { row in
      let other = RowName(one.target, row)
      if !doomed.contains(other) { loose.append(Deleted.Loose(row: other, field: id, gone: name)) }
    }
    guard !field.isOptional, let last = loose.last, last.field == id, last.row.entity == one.target else { return nil }
    loose.removeAll { $0.field == id && $0.row.entity == one.target }
    return needed(name, one, other: last.row, field: field)
  }

  private func ways(_ entity: EntityID) throws -> [Way] {
    if let last, last.entity == entity { return last.ways }
    let found = try known[entity] ?? findWays(entity)
    last = (entity, found)
    return found
  }

  private func findWays(_ entity: EntityID) throws -> [Way] {
    var ways: [Way] = []
    for one in tables.catalog.relationships(of: entity) where one.deleteRule != .noAction {
      switch one.shape {
      case .one(let id):
        // The deletion of the row removes its reference too.
        if one.deleteRule == .nullify { continue }
        let table = try tables.table(entity)
        guard let field = table.entity.field(id) else { continue }
        ways.append(
          Way(relationship: one, table: table, field: field, slot: try table.slot(field.name), members: nil))
      case .manyByReference(let other, let id):
        let table = try tables.table(other)
        guard let field = table.entity.field(id) else { continue }
        ways.append(
          Way(
            relationship: one, table: table, field: field, slot: try table.slot(field.name),
            members: try tables.members(one)))
      case .links:
        // Links are deleted with either row.
        if one.deleteRule == .nullify { continue }
        let table = try tables.table(one.target)
        ways.append(
          Way(relationship: one, table: table, field: nil, slot: nil, members: try tables.members(one)))
      }
    }
    known[entity] = ways
    return ways
  }

  private func follow(_ way: Way, _ row: RowID, body: (RowID) -> Void) throws {
    if let members = way.members {
      var cursor = try members.cursor(of: row)
      while let found = try cursor.next() { body(found) }
    } else if let slot = way.slot, try way.table.load(row), !way.table.layout.isNull(way.table.old.start, slot) {
      let target = RowID(way.table.old.start.u64(slot.position))
      if try tables.contains(target, way.relationship.target) { body(target) }
    }
  }

  // MARK: Denying

  private func name(_ entity: EntityID) -> String { tables.catalog.entity(entity)?.name ?? "?" }

  private func denied(_ name: RowName, _ one: Relationship, staying: [RowName]) -> RecordFault {
    let some = staying.prefix(3).map { "\($0.row.number)" }.joined(separator: ", ")
    var fault = RecordFault(
      .denied,
      "row \(name.row.number) cannot be deleted while it references rows of \(self.name(one.target)): "
        + some + (staying.count > 3 ? " and others" : ""), entity: self.name(name.entity), field: one.name)
    fault.rows = [name] + staying
    return fault
  }

  private func needed(_ name: RowName, _ one: Relationship, other: RowName, field: Field) -> RecordFault {
    var fault = RecordFault(
      .missing,
      "row \(other.row.number) of \(self.name(other.entity)) must refer to a row, and row \(name.row.number) of "
        + "\(self.name(name.entity)) would go", entity: self.name(other.entity), field: field.name)
    fault.rows = [name, other]
    return fault
  }

  // MARK: Changing

  private func carryOut() throws {
    for one in loose {
      let table = try tables.table(one.row.entity)
      guard let field = table.entity.field(one.field) else { continue }
      let slot = try table.slot(field.name)
      try table.update(one.row.row) { builder in builder.setNull(slot) }
    }
    // The rows that were found last have no further dependents, so they are deleted first.
    var last: (table: TableWriter, entity: EntityID)?
    for name in rows.reversed() {
      if let last, last.entity == name.entity {
        try last.table.delete(name.row)
        continue
      }
      let table = try tables.table(name.entity)
      last = (table, name.entity)
      try table.delete(name.row)
    }
  }
}

/// The result of a deletion.
package struct Deleted {
  /// The number of requested rows that existed.
  package let asked: Int
  /// All deleted rows, the requested ones first.
  package let rows: [RowName]
  /// References of remaining rows that became nil.
  package let loose: [Loose]

  package struct Loose: Sendable {
    package let row: RowName
    package let field: FieldID
    /// The deleted row to which it referred.
    package let gone: RowName
  }
}

extension TableWriter {
  /// Deletes a row and applies the rules of its relationships. Does nothing if a rule forbids it.
  @discardableResult
  package func deleteFollowingRules(_ id: RowID) throws -> Deleted {
    try deleteFollowingRules(many: CollectionOfOne(id))
  }

  /// Deletes many rows together. None of them forbids the deletion of another.
  @discardableResult
  package func deleteFollowingRules(many rows: some Sequence<RowID>) throws -> Deleted {
    try tables.check(generation)
    return try Deletion(tables).run(rows.map { RowName(entity.id, $0) })
  }
}

extension RecordWriter {
  /// Deletes rows of several entities together, as if they belonged to one.
  ///
  /// - Parameter staying: rows that no cascade deletes; their references to deleted rows become
  ///   nil.
  @discardableResult
  package func deleteFollowingRules(
    _ rows: some Sequence<RowName>, staying: Set<RowName> = []
  ) throws -> Deleted {
    try Deletion(tables, staying: staying).run(rows)
  }

  /// The rows that would be deleted with these by the rules of their relationships, including
  /// these.
  package func following(_ rows: some Sequence<RowName>) throws -> [RowName] { try Deletion(tables).find(rows) }
}
