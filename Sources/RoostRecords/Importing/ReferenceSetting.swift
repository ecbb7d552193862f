/// Sets waiting references and lists in one transaction.
///
/// Each is set as a whole or not at all. A reference that was set meanwhile is left as it is, and a
/// rule of the relationship may forbid the change.
struct ReferenceSetting {
  let writer: RecordWriter
  /// Relationships that are their own inverse.
  let mutual: Set<String>
  let watch: (any ImportWatch)?

  /// Sets a reference. Returns why it could not be set; nil on success.
  func set(
    _ kept: ImportState.Kept, _ relationship: Relationship, field: FieldID, to target: RowID
  ) throws -> UnresolvedReference.Reason? {
    // The row may have been deleted meanwhile.
    guard try writer.contains(kept.row, relationship.entity) else { return nil }
    let table = try writer.table(relationship.entity)
    guard let name = table.entity.field(field)?.name else { return .missing }
    let slot = try table.slot(name)
    let now = try table.reference(slot, of: kept.row)
    if now == target { return nil }
    guard now == kept.former else { return .changed }
    let isMutual = mutual.contains(relationship.name)
    // The target was stored after the record that waited for it. So a partner of it was set later,
    // too.
    if isMutual, let partner = try table.reference(slot, of: target), partner != kept.row { return .changed }
    try whole(kept.row, relationship) {
      try table.update(kept.row) { $0.set(slot, reference: target) }
      if isMutual { try writer.agree(mutual: relationship, of: kept.row) { changed($0, relationship) } }
      changed(kept.row, relationship)
      led(target, relationship)
      if let former = kept.former { watch?.left(former, of: relationship.target, by: relationship.id) }
    }
    return nil
  }

  /// Sets a list to the rows of its record. Rows that were added meanwhile follow.
  func set(_ relationship: Relationship, _ row: RowID, targets: [RowID]) throws {
    guard try writer.contains(row, relationship.entity) else { return }
    try whole(row, relationship) {
      let links = try writer.links(relationship)
      let former = try links.rows(of: row)
      if relationship.traits.contains(.repeating) {
        for target in targets { try links.append(target, to: row) }
      } else {
        // Two keys may now mean the same row.
        var seen: Set<RowID> = []
        try links.replace((targets + former).filter { seen.insert($0).inserted }, of: row)
      }
      if mutual.contains(relationship.name) {
        try writer.agree(mutual: relationship, of: row, former: []) { changed($0, relationship) }
      }
      changed(row, relationship)
      for target in targets { led(target, relationship) }
    }
  }

  /// Why a list has too few members, after all waiting ones were set.
  func lack(_ relationship: Relationship, _ row: RowID) throws -> RecordFault? {
    guard let judge else { return nil }
    return try judge.lack(of: row, in: relationship.id)
  }

  // MARK: Watching

  private var judge: (any ImportWatch)? { watch.flatMap { $0.judges ? $0 : nil } }

  /// Runs the code that sets one reference or list. Everything is rolled back if a rule forbids it.
  private func whole(_ row: RowID, _ relationship: Relationship, body: () throws -> Void) throws {
    if judge == nil, !mutual.contains(relationship.name) { return try body() }
    try writer.savepoint {
      judge?.beginRow()
      try body()
      if let fault = try judge?.fault(of: row, by: relationship.id) { throw fault }
    }
  }

  private func changed(_ row: RowID, _ relationship: Relationship) { watch?.changed(row, of: relationship.entity) }

  private func led(_ row: RowID, _ relationship: Relationship) {
    watch?.led(row, of: relationship.target, by: relationship.id)
  }
}
