/// Relationships that are their own inverse, such as spouses or friends: if A refers to B, B refers
/// to A.
///
/// The catalog does not mark them. A writer that knows them writes one side, and calls these
/// functions to update the others.
extension RecordWriter {
  /// Updates other rows after the reference of a row was written: the referenced row refers back,
  /// and no other row refers to either.
  ///
  /// - Parameter changed: called with each other row that changes.
  package func agree(mutual one: Relationship, of own: RowID, changed: (RowID) -> Void) throws {
    guard case .one(let field) = one.shape, let inverse = catalog.inverse(of: one) else { return }
    let table = try table(one.entity)
    guard let name = table.entity.field(field)?.name else { return }
    let slot = try table.slot(name)
    func lead(_ row: RowID, to other: RowID?) throws {
      if other == nil, slot.nullBit < 0 {
        throw RecordFault(
          .missing, "row \(row.number) must reference a row, and row \(own.number) takes its partner",
          entity: table.entity.name, field: name)
      }
      try table.update(row) { builder in
        if let other { builder.set(slot, reference: other) } else { builder.setNull(slot) }
      }
      changed(row)
    }
    let partner = try table.reference(slot, of: own)
    for row in try links(inverse).rows(of: own) where row != partner { try lead(row, to: nil) }
    guard let partner else { return }
    for row in try links(inverse).rows(of: partner) where row != own { try lead(row, to: nil) }
    if try table.reference(slot, of: partner) != own { try lead(partner, to: own) }
  }

  /// Updates the partners of a row after its reference was written. If `keeps` decides that the
  /// referenced row keeps another partner, it clears this row's reference first.
  ///
  /// - Parameters:
  ///   - keeps: whether the referenced row, which has another partner, keeps that one.
  ///   - changed: called with each row that changes.
  package func agree(
    mutual one: Relationship, of own: RowID, keeps: (RowID) throws -> Bool, changed: (RowID) -> Void
  ) throws {
    guard case .one(let field) = one.shape else { return }
    let table = try table(one.entity)
    guard let name = table.entity.field(field)?.name else { return }
    let slot = try table.slot(name)
    if let other = try table.reference(slot, of: own), try table.reference(slot, of: other) != own, try keeps(other) {
      try table.update(own) { builder in builder.setNull(slot) }
      changed(own)
    }
    try agree(mutual: one, of: own, changed: changed)
  }

  /// Updates other rows after a list of links was written: rows in the list get this row in theirs,
  /// and rows that left it lose it.
  ///
  /// - Parameters:
  ///   - former: the list before the change.
  ///   - changed: called with each other row that changes.
  package func agree(
    mutual one: Relationship, of own: RowID, former: [RowID], changed: (RowID) -> Void
  ) throws {
    let links = try links(one)
    let now = try links.rows(of: own)
    let members = Set(now)
    for row in former where !members.contains(row) { if try links.remove(own, from: row) { changed(row) } }
    for row in now { if try links.append(own, to: row) { changed(row) } }
  }
}
