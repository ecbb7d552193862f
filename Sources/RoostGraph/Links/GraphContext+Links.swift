internal import RoostRecords

/// Following references, and keeping both sides of a relationship the same.
///
/// An object that a context has names other objects by their rows, never by themselves; so a reference always asks the
/// context, which lets lists that were changed agree with the other side first. Lists hold objects while they are loaded.
extension GraphContext {
  func relation(_ origin: RowOrigin, _ property: Int) -> Relation? { store.relations[origin.map.number][property] }

  func key(_ object: any _ModelObject, _ origin: RowOrigin, _ property: Int) -> LinkKey {
    LinkKey(map: origin.map.number, row: object._$state.row, property: property)
  }

  // MARK: References

  /// The row that a reference leads to; nil for none.
  func leading(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) throws -> UInt64? {
    let row = try current(object, relation, origin)
    return RowNumber.leads(row) ? row : nil
  }

  /// The object that a reference leads to.
  func resolve(_ object: any _ModelObject, _ property: Int, _ row: UInt64, _ origin: RowOrigin) -> (any _ModelObject)? {
    guard let relation = relation(origin, property) else { return nil }
    settle()
    do {
      let row = try current(object, relation, origin)
      guard RowNumber.leads(row) else { return nil }
      return try live(relation.target, row)
    } catch {
      fail(object, error)
      return nil
    }
  }

  /// Where a reference leads, as the slot says or as the other side does.
  func current(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) throws -> UInt64 {
    let row = object.one(relation.property).row
    if row != RowNumber.unknown { return row }
    var found = RowNumber.nothing
    if case .found(let id) = relation.way, !object._$state.flags.contains(.inserted),
      let side = try snapshot().catalog.relationship(id),
      let row = try snapshot().links(side).row(at: 0, of: RowID(object._$state.row))
    {
      found = row.number
    }
    setSlot(object, relation.property, found)
    return found
  }

  /// The object of a row, unless it is deleted here or not there at all.
  func live(_ map: Int, _ row: UInt64) throws -> (any _ModelObject)? {
    let map = store.maps[map]
    if let known = registered(map, RowID(row)) { return known._$state.flags.contains(.deleted) ? nil : known }
    if links.doomed.contains(LinkKey(map: map.number, row: row, property: 0)) { return nil }
    return try table(map).contains(RowID(row)) ? object(map, RowID(row)) : nil
  }

  /// Whether a relationship can lead to an object: its class must be the one that the relationship names, since each entity
  /// counts its own rows. Where it is another one the next save says so.
  func mayLead(_ owner: any _ModelObject, _ relation: Relation, to other: any _ModelObject) -> Bool {
    guard let origin = other._$state.origin as? RowOrigin, origin.map.number != relation.target else { return true }
    let target = store.maps[relation.target].type.name
    fail(
      owner,
      GraphFault(
        .wrongModel, "it leads to \(target) alone, and this is a \(origin.map.type.name)",
        entity: type(of: owner)._$type.name, row: owner._$state.row,
        property: type(of: owner)._$type.propertyName(relation.property)))
    return false
  }

  private func setSlot(_ object: any _ModelObject, _ property: Int, _ row: UInt64) {
    object.one(property).lead(to: row)
  }

  /// Makes a reference of an object lead elsewhere, as a change of its own.
  func setReference(_ object: any _ModelObject, _ property: Int, _ row: UInt64) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    noteChange(object, property, origin)
    setSlot(object, property, row)
  }

  func willWriteReference(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) {
    settle()
    do { links.before = try current(object, relation, origin) } catch { fail(object, error) }
  }

  func didWriteReference(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) {
    var row = RowNumber.nothing
    if let other = object.one(relation.property).object.map({ model($0, relation) }) {
      do {
        try insert(other)
        if mayLead(object, relation, to: other) { row = other._$state.row }
      } catch { fail(object, error) }
    }
    setSlot(object, relation.property, row)
    agree(object, relation, origin, before: links.before, now: row)
  }

  /// Makes the other sides of a reference agree with it.
  func agree(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin, before: UInt64, now: UInt64) {
    guard before != now, let inverse = relation.inverse else { return }
    if RowNumber.leads(before), let other = try? live(relation.target, before) {
      if relation.isInverseList {
        edit(other, inverse, object, adds: false)
      } else {
        setReference(other, inverse, RowNumber.nothing)
      }
    }
    guard RowNumber.leads(now), let other = try? live(relation.target, now) else { return }
    if relation.isInverseList { return edit(other, inverse, object, adds: true) }
    guard let origin = other._$state.origin as? RowOrigin, let back = self.relation(origin, inverse) else { return }
    // It may have led to another one, which now leads nowhere.
    if let partner = try? current(other, back, origin), RowNumber.leads(partner), partner != object._$state.row,
      let left = try? live(back.target, partner)
    {
      setReference(left, relation.property, RowNumber.nothing)
    }
    setReference(other, inverse, object._$state.row)
  }
}
