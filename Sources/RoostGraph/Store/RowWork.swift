internal import RoostQuery
internal import RoostRecords

/// The changes of rows that a migration makes besides the change of the catalog.
struct RowWork {
  /// Whether rows are found or written by the old catalog or by the new one.
  enum Phase { case before, after }

  private struct Filling {
    var entity: EntityID
    var field: FieldID
    var values: [FieldID: Value]
    /// Another condition for the rows; nil for none.
    var condition: RoostQuery.Expression?
    var found: Phase
    var written: Phase
  }

  /// Copies the members of a relationship to another one, whose sides may be stored in another
  /// form.
  struct Copy {
    /// A side of the source relationship, and the same side of the target.
    var from: RelationshipID
    var to: RelationshipID
    /// Whether the source is removed afterwards.
    var isLast: Bool
    /// The error for a row that would need two references.
    var fault: MigrationFault
  }

  /// Copies the values of a field to another field, and removes the first one.
  struct Move {
    var entity: EntityID
    var from: FieldID
    var to: FieldID
  }

  private var fillings: [Filling] = []
  var moves: [Move] = []
  var copies: [Copy] = []

  var isEmpty: Bool { fillings.isEmpty && moves.isEmpty && copies.isEmpty }

  /// Sets values in rows that store nil in a field.
  mutating func fill(
    _ entity: EntityID, _ field: FieldID, with values: [FieldID: Value], where condition: RoostQuery.Expression? = nil,
    found: Phase, written: Phase
  ) {
    fillings.append(
      Filling(entity: entity, field: field, values: values, condition: condition, found: found, written: written))
  }

  /// The condition that a row stores nil in a field.
  static func isNil(_ field: Field) -> RoostQuery.Expression {
    .compare(.equal, .field(.row, field.id), .constant(.null, Kind(field).optional))
  }

  // MARK: Running

  func carryOut(_ catalog: Catalog, in writer: RecordWriter) throws {
    var rows: [[RowID]] = []
    for filling in fillings { rows.append(filling.found == .before ? try find(filling, writer) : []) }
    for (filling, rows) in zip(fillings, rows) where filling.written == .before { try fill(filling, rows, in: writer) }
    try writer.change { $0 = catalog }
    for (filling, rows) in zip(fillings, rows) where filling.written == .after {
      try fill(filling, filling.found == .after ? find(filling, writer) : rows, in: writer)
    }
    for move in moves { try carryOut(move, writer) }
    for copy in copies { try carryOut(copy, writer) }
    if !moves.isEmpty || copies.contains(where: \.isLast) {
      try writer.change { catalog in
        for move in moves { try catalog.remove(field: move.from, of: move.entity) }
        for copy in copies where copy.isLast { try catalog.retire(copy.from) }
      }
    }
  }

  private func carryOut(_ move: Move, _ writer: RecordWriter) throws {
    guard let entity = writer.catalog.entity(move.entity), let from = entity.field(move.from),
      let to = entity.field(move.to), from.isOptional
    else { return }
    try writer.update(
      Query(entity.name, where: .not(Self.isNil(from))), set: [to.name: .unwrap(.field(.row, from.id))])
  }

  private func find(_ filling: Filling, _ writer: RecordWriter) throws -> [RowID] {
    guard let entity = writer.catalog.entity(filling.entity), let field = entity.field(filling.field), field.isOptional
    else { return [] }
    let isNil = Self.isNil(field)
    let condition = filling.condition.map { .and([isNil, $0]) } ?? isNil
    return try Planner(Ground(writer)).plan(Query(entity.name, where: condition)).rows()
  }

  private func fill(_ filling: Filling, _ rows: [RowID], in writer: RecordWriter) throws {
    let table = try writer.table(filling.entity)
    let slots = try filling.values.compactMap { id, value in
      try table.entity.field(id).map { (try table.slot($0.name), value) }
    }
    for row in rows {
      try table.update(row) { builder in for (slot, value) in slots { try builder.set(slot, value) } }
    }
  }

  /// Copies in the order of the side that has an ordered list, so that the new list has the same
  /// order.
  private func carryOut(_ copy: Copy, _ writer: RecordWriter) throws {
    let catalog = writer.catalog
    guard var from = catalog.relationship(copy.from), var to = catalog.relationship(copy.to),
      let back = catalog.inverse(of: from), let backTo = catalog.inverse(of: to)
    else { return }
    if !from.isOrdered, back.isOrdered { (from, to) = (back, backTo) }
    guard let other = catalog.inverse(of: to) else { return }
    let owners = try writer.reading(from.entity).numbers()
    let reader = try source(from, writer)
    for owner in owners {
      // A salvaged store may have references to rows that are lost.
      for member in try reader(owner) where try writer.contains(member, from.target) {
        if case .one = to.shape {
          try append(owner, to: member, in: other, copy: copy, writer: writer)
        } else {
          try append(member, to: owner, in: to, copy: copy, writer: writer)
        }
      }
    }
  }

  /// A function that reads the members of a row.
  private func source(_ from: Relationship, _ writer: RecordWriter) throws -> (RowID) throws -> [RowID] {
    guard case .one(let field) = from.shape else {
      let links = try writer.links(from)
      return { try links.rows(of: $0) }
    }
    let table = try writer.table(from.entity)
    guard let name = table.entity.field(field)?.name else { return { _ in [] } }
    let slot = try table.slot(name)
    return { try table.reference(slot, of: $0).map { [$0] } ?? [] }
  }

  private func append(
    _ row: RowID, to owner: RowID, in list: Relationship, copy: Copy, writer: RecordWriter
  ) throws {
    if case .manyByReference(let entity, let field) = list.shape {
      let table = try writer.table(entity)
      if let name = table.entity.field(field)?.name, let now = try table.reference(table.slot(name), of: row),
        now != owner
      {
        throw copy.fault
      }
    }
    do { try writer.links(list).append(row, to: owner) } catch let fault as RecordFault where fault.code == .notUnique {
      throw copy.fault
    }
  }
}

extension TableReader {
  /// The numbers of all rows.
  fileprivate func numbers() throws -> [RowID] {
    var cursor = try cursor()
    var numbers: [RowID] = []
    while try cursor.next() { numbers.append(try cursor.id) }
    return numbers
  }
}

extension Catalog {
  fileprivate mutating func remove(field: FieldID, of id: EntityID) throws {
    guard let entity = entity(id), let name = entity.field(field)?.name else { return }
    try change(entity: entity.name) { (entity) throws(RecordFault) in try entity.remove(name) }
  }

  /// Removes a relationship and its reference.
  fileprivate mutating func retire(_ id: RelationshipID) throws {
    guard let one = relationship(id), let other = inverse(of: one) else { return }
    let named = one.isHidden ? other : one
    guard let entity = name(of: named.entity) else { return }
    try remove(relationship: named.name, of: entity)
    for side in [one, other] {
      guard case .one(let field) = side.shape, let owner = self.entity(side.entity), let name = owner.field(field)?.name
      else { continue }
      try change(entity: owner.name) { (entity) throws(RecordFault) in try entity.remove(name) }
    }
  }
}
