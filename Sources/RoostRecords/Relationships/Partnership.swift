/// A refused row and the row that refused it. Both refer to one row by a relationship that only one
/// row may use.
///
/// This file has the rules of one-to-one relationships. Saves, batches and imports call
/// ``RecordWriter/part(_:of:choose:clear:changed:)`` after a refused write. If one property is its
/// own inverse, they call ``RecordWriter/agree(mutual:of:keeps:changed:)`` after the write.
///
/// ## Invariants
/// 1. The row that is written takes the partner, unless its writer chooses otherwise.
/// 2. Exactly one of the two references becomes nil: that of the former row, or that of the written row.
/// 3. A reference that must not be nil is not cleared. The writer refuses the row.
/// 4. An error about anything else changes nothing.
package struct Partnership {
  package let relationship: Relationship
  package let slot: Slot
  /// The row that has the partner now.
  package let former: RowName
  package let target: RowID
  /// Whether the other side is a reference too. Otherwise it is a list whose members are unique by
  /// an index of the model.
  package let isOneToOne: Bool

  package enum Choice {
    /// The written row takes the partner. The former row's reference becomes nil.
    case takes
    /// The former row keeps the partner. The written row's reference becomes nil.
    case staysAlone
    /// The writer refuses the row.
    case refused
  }

  package enum Outcome {
    /// The error is about something else, or the writer has no choice.
    case unchanged
    /// The row can be written again.
    case parted
    case refused
  }
}

extension RecordWriter {
  /// The partnership that refused a row; nil if the error is about something else.
  package func partnership(_ fault: RecordFault, _ entity: EntityID) throws -> Partnership? {
    guard fault.code == .notUnique, fault.rows.count == 1, let former = fault.rows.first, former.entity == entity,
      let field = catalog.entity(entity)?.fields.first(where: { $0.name == fault.field }),
      let one = catalog.relationships(of: entity).first(where: { $0.shape == .one(field.id) })
    else { return nil }
    let table = try table(entity)
    let slot = try table.slot(field.name)
    guard let target = try table.reference(slot, of: former.row) else { return nil }
    return Partnership(
      relationship: one, slot: slot, former: former, target: target,
      isOneToOne: catalog.inverse(of: one)?.isToOne == true)
  }

  /// Makes room for a row that was refused because another row has its partner.
  ///
  /// - Parameters:
  ///   - choose: decides who gets the partner; nil if the writer changes nothing.
  ///   - clear: clears the reference of the row that is to be written.
  ///   - changed: called with a former row that lost its partner.
  package func part(
    _ fault: RecordFault, of entity: EntityID, choose: (Partnership) throws -> Partnership.Choice?,
    clear: (Slot) throws -> Void, changed: (Partnership) -> Void
  ) throws -> Partnership.Outcome {
    guard let one = try partnership(fault, entity), let choice = try choose(one) else { return .unchanged }
    switch choice {
    case .refused: return .refused
    case .staysAlone: try clear(one.slot)
    case .takes:
      if one.slot.nullBit < 0 { return .unchanged }
      try table(entity).update(one.former.row) { builder in builder.setNull(one.slot) }
      changed(one)
    }
    return .parted
  }
}
