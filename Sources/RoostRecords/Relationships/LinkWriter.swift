internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Changes a to-many relationship in a transaction, from either of its sides.
///
/// With links it changes the links. With references it changes the references of the owner's rows,
/// and their order if one is kept, so membership and references always agree. Both sides see a
/// change at once.
///
/// Positions in a list follow its order. A list without order is sorted by row numbers.
package final class LinkWriter {
  package let relationship: Relationship
  private let tables: Tables
  private let generation: Int
  private let way: Way

  private enum Way {
    case links(LinkDraft)
    case references(TableWriter, Field, Slot, ChildOrder?)
  }

  init(_ one: Relationship, _ tables: Tables) throws {
    relationship = one
    self.tables = tables
    switch one.shape {
    case .links: way = .links(try tables.links(one))
    case .manyByReference(let entity, let field):
      let table = try tables.table(entity)
      guard let found = table.entity.field(field) else { throw LinkDraft.damaged(one) }
      way = .references(table, found, try table.slot(found.name), table.links.order(of: one.id))
    case .one:
      throw RecordFault(
        .wrongType, "a reference is a field of its row", entity: tables.catalog.entity(one.entity)?.name,
        field: one.name)
    }
    // Opening tables changes nothing, so they are valid in this generation.
    generation = tables.generation
  }

  private var isForward: Bool { relationship.isForward }

  /// The lists with all changes, valid for reading until the next change.
  package var reading: Members {
    get throws {
      try tables.check(generation)
      return try tables.members(relationship)
    }
  }

  package func count(of owner: RowID) throws -> Int { try reading.count(of: owner) }
  package func rows(of owner: RowID) throws -> [RowID] { try reading.rows(of: owner) }
  package func contains(_ row: RowID, in owner: RowID) throws -> Bool { try reading.contains(row, in: owner) }

  // MARK: Adding

  /// Appends a row to the owner's list. Returns false if it is already there and may be there only
  /// once.
  @discardableResult
  package func append(_ row: RowID, to owner: RowID) throws -> Bool { try insert(row, at: nil, in: owner) }

  /// Inserts a row at a position in the owner's list; nil means the end. If the row is already
  /// there and may be there only once, it stays where it is and the result is false.
  @discardableResult
  package func insert(_ row: RowID, at place: Int?, in owner: RowID) throws -> Bool {
    try tables.check(generation)
    var count = 0
    if let place {
      try checkOrder()
      count = try self.count(of: owner)
      guard place >= 0, place <= count else {
        throw fault(.outOfRange, "there are \(count) rows, and no place \(place)")
      }
    }
    switch way {
    case .links(let links):
      try checkRow(owner, relationship.entity)
      try checkRow(row, relationship.target)
      let (first, second) = isForward ? (owner, row) : (row, owner)
      if !relationship.traits.contains(.repeating), try links.find(first, second) != nil { return false }
      try tables.changing(generation) { () throws(StoreError) in
        try tables.link(owner, row, links: links, isForward: isForward, at: place)
        try tables.recordLinks(
          .link, relationship, numbers: [owner.number, row.number, place.map { UInt64($0) + 1 } ?? 0])
      }
      return true
    case .references(let table, _, let slot, let order):
      if try table.reference(slot, of: row) == owner { return false }
      if relationship.traits.contains(.single), let other = try reading.row(at: 0, of: owner) {
        throw fault(.notUnique, "row \(other.number) refers to row \(owner.number), and only one may")
      }
      guard try table.update(row, { builder in builder.set(slot, reference: owner) }) else {
        throw fault(.unknown, "there is no row \(row.number)")
      }
      // The row was appended by its reference.
      if let place, let order, place < count { try move(order, owner, from: count, to: place) }
      return true
    }
  }

  // MARK: Removing

  /// Removes a row from the owner's list, once. Returns false if it is not there.
  @discardableResult
  package func remove(_ row: RowID, from owner: RowID) throws -> Bool {
    try tables.check(generation)
    switch way {
    case .links(let links):
      let found = try links.find(isForward ? owner : row, isForward ? row : owner)
      guard let found else { return false }
      try tables.changing(generation) { () throws(StoreError) in
        try tables.unlink(found, links)
        try tables.recordLinks(.unlink, relationship, numbers: [owner.number, row.number, 0])
      }
      return true
    case .references(let table, let field, let slot, _):
      guard try table.reference(slot, of: row) == owner else { return false }
      guard field.isOptional else {
        throw RecordFault(
          .missing, "row \(row.number) must refer to a row, so it cannot leave row \(owner.number)",
          entity: table.entity.name, field: field.name)
      }
      return try table.update(row) { builder in builder.setNull(slot) }
    }
  }

  /// Removes the row at a position from the owner's list and returns it.
  @discardableResult
  package func remove(at place: Int, from owner: RowID) throws -> RowID {
    guard let row = try reading.row(at: place, of: owner) else {
      throw fault(.outOfRange, "there is no place \(place)")
    }
    guard case .links(let links) = way else {
      _ = try remove(row, from: owner)
      return row
    }
    guard let found = try links.links(owner, isForward, positions: place..<place + 1).first else {
      throw LinkDraft.damaged(relationship)
    }
    try tables.changing(generation) { () throws(StoreError) in
      try tables.unlink(found, links)
      try tables.recordLinks(.unlink, relationship, numbers: [owner.number, row.number, UInt64(place) + 1])
    }
    return row
  }

  /// Empties the owner's list.
  package func removeAll(of owner: RowID) throws {
    try tables.check(generation)
    switch way {
    case .links(let links):
      try tables.changing(generation) { () throws(StoreError) in
        try tables.unlinkAll(owner, links, isForward: isForward)
        try tables.recordLinks(.unlinkAll, relationship, numbers: [owner.number])
      }
    case .references: for row in try rows(of: owner) { try remove(row, from: owner) }
    }
  }

  // MARK: Order

  /// Moves a row of the owner's list to another position, which is counted without it.
  package func move(from place: Int, to other: Int, in owner: RowID) throws {
    try tables.check(generation)
    try checkOrder()
    let count = try count(of: owner)
    guard place >= 0, place < count, other >= 0, other < count else {
      throw fault(.outOfRange, "there are \(count) rows; \(place) cannot go to \(other)")
    }
    if place == other { return }
    switch way {
    case .references(_, _, _, let order?): try move(order, owner, from: place, to: other)
    case .links(let links):
      guard let link = try links.links(owner, isForward, positions: place..<place + 1).first else {
        throw LinkDraft.damaged(relationship)
      }
      try tables.changing(generation) { () throws(StoreError) in
        try tables.moveLink(link, links, isForward: isForward, to: other)
        try tables.recordLinks(.moveLink, relationship, numbers: [owner.number, UInt64(place), UInt64(other)])
      }
    case .references: return
    }
  }

  private func move(_ order: ChildOrder, _ owner: RowID, from place: Int, to other: Int) throws(StoreError) {
    try tables.changing(generation) { () throws(StoreError) in
      guard try tables.moveChild(of: owner, order, from: place, to: other) else {
        throw LinkDraft.damaged(relationship)
      }
      try tables.recordLinks(.moveLink, relationship, numbers: [owner.number, UInt64(place), UInt64(other)])
    }
  }

  /// Makes these rows the owner's list, in this order.
  ///
  /// It writes only differences: a row that stays keeps its position in the lists of the other
  /// side.
  package func replace(_ rows: [RowID], of owner: RowID) throws {
    try tables.check(generation)
    if !relationship.traits.contains(.repeating), Set(rows).count != rows.count {
      throw fault(.notUnique, "a row is named twice, and may be in the list only once")
    }
    switch way {
    case .links(let links):
      for row in Set(rows) { try checkRow(row, relationship.target) }
      try checkRow(owner, relationship.entity)
      try replaceLinks(rows, of: owner, links)
    case .references(let table, let field, _, let order):
      let wanted = Set(rows)
      let leaving = try self.rows(of: owner).filter { !wanted.contains($0) }
      guard leaving.isEmpty || field.isOptional else {
        throw RecordFault(
          .missing, "row \(leaving[0].number) must refer to a row, so it cannot leave row \(owner.number)",
          entity: table.entity.name, field: field.name)
      }
      for row in rows { try checkRow(row, relationship.target) }
      for row in leaving { try remove(row, from: owner) }
      for row in rows { try append(row, to: owner) }
      if let order {
        try arrange(rows, of: owner) { () throws(StoreError) in try tables.arrange(owner, rows, order: order) }
      }
    }
  }

  private func replaceLinks(_ rows: [RowID], of owner: RowID, _ links: LinkDraft) throws {
    var known = try self.rows(of: owner)
    if known == rows { return }
    if relationship.traits.contains(.repeating) {
      try removeAll(of: owner)
      for row in rows { try append(row, to: owner) }
      return
    }
    let (before, wanted) = (Set(known), Set(rows))
    for row in known where !wanted.contains(row) { try remove(row, from: owner) }
    known.removeAll { !wanted.contains($0) }
    // If the remaining rows are in order, the new ones are inserted at their final positions.
    let isInOrder = known == rows.filter { before.contains($0) }
    for (place, row) in rows.enumerated() where !before.contains(row) {
      try insert(row, at: relationship.isOrdered && isInOrder && place < known.count ? place : nil, in: owner)
      known.append(row)
    }
    if relationship.isOrdered, !isInOrder {
      try arrange(rows, of: owner) { () throws(StoreError) in
        try tables.arrange(owner, rows, links: links, isForward: isForward)
      }
    }
  }

  private func arrange(_ rows: [RowID], of owner: RowID, _ body: () throws(StoreError) -> Void) throws {
    if try self.rows(of: owner) == rows { return }
    try tables.changing(generation) { () throws(StoreError) in
      try body()
      try tables.recordLinks(.arrange, relationship, numbers: [owner.number, UInt64(rows.count)] + rows.map(\.number))
    }
  }

  // MARK: Checks

  private func checkOrder() throws(RecordFault) {
    if !relationship.isOrdered { throw fault(.conflict, "the relationship keeps no order") }
  }

  private func checkRow(_ row: RowID, _ entity: EntityID) throws {
    if try tables.contains(row, entity) { return }
    let name = tables.catalog.entity(entity)?.name ?? ""
    throw fault(.unknown, "there is no row \(row.number) of \(name)")
  }

  private func fault(_ code: RecordFault.Code, _ detail: String) -> RecordFault {
    RecordFault(code, detail, entity: tables.catalog.entity(relationship.entity)?.name, field: relationship.name)
  }
}

extension RecordWriter {
  /// The writer of a to-many relationship, by its name in an entity.
  package func links(_ name: String, of entity: String) throws -> LinkWriter {
    try links(catalog.relationship(name, of: entity))
  }

  package func links(_ one: Relationship) throws -> LinkWriter { try LinkWriter(one, tables) }
}
