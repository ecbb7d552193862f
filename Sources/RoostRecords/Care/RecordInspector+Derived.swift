internal import RoostFile
internal import RoostTrees

/// Checks derived fields.
extension RecordInspector {
  /// Computes a derived field of all rows from their members, and compares it with the stored
  /// values.
  func examine(_ one: Derivation) {
    guard let shelf = shelves[one.entity], let field = shelf.entity.field(one.field), let id = one.relationship,
      let relationship = catalog.relationship(id), let members = shelves[relationship.target],
      let lists = lists(relationship, members)
    else { return }
    trying { () throws(StoreError) in
      try shelf.rows.survey(gap: { _ in }) { (number, value) throws(StoreError) in
        let row = RowID(number)
        // An unreadable row was already reported.
        guard let bytes = try? value.load(view), let values = try values(row, bytes, shelf: shelf),
          let computed = try compute(one, field, of: row, lists: lists, members: members)
        else { return }
        if shelf.value(one.field, values).isSame(as: computed) { return }
        add(
          .row, "the derived value of \(field.name) is not the \(one.kind.word) of its rows", entity: shelf.entity.name,
          row: row)
      }
    }
  }

  private func lists(_ one: Relationship, _ members: Shelf) -> MemberLists? {
    switch one.shape {
    case .one: return nil
    case .manyByReference(_, let field):
      guard let tree = members.indexes.first(where: { $0.0.id == one.index })?.1 else { return nil }
      return MemberLists(
        relationship: one, tree: tree, source: .index(isOptional: members.entity.field(field)?.isOptional ?? false))
    case .links:
      guard let forward = one.isForward ? one : catalog.inverse(of: one), let tree = bytes(Tables.links(forward.id))
      else { return nil }
      return MemberLists(
        relationship: one, tree: tree, source: .links(Tables.form(forward, catalog), isForward: one.isForward))
    }
  }

  /// Nil if a member is unreadable, or no field can hold the value.
  private func compute(
    _ one: Derivation, _ field: Field, of row: RowID, lists: MemberLists, members: Shelf
  ) throws(StoreError) -> Value? {
    let (start, end) = try lists.bounds(row)
    if one.kind == .count { return .int(Int64(clamping: end - start)) }
    var rows: [RowID] = []
    for place in 0..<Int(clamping: end - start) {
      guard let member = try lists.row(at: place, of: row) else { return nil }
      rows.append(member)
    }
    var fold = DerivedFold(one.kind, field)
    for member in rows.sorted() {
      guard let bytes = try members.row(member), let values = try values(member, bytes, shelf: members) else {
        return nil
      }
      fold.add(
        one.value.map { members.value($0, values) } ?? .null, key: one.key.map { members.value($0, values) } ?? .null)
    }
    do throws(RecordFault) { return try fold.result() } catch { return nil }
  }
}
