internal import RoostRecords

/// Follows references and keeps both sides of a relationship consistent.
///
/// A managed object stores row numbers of other objects, never the objects. So a reference always
/// calls the context, which first updates the other sides of changed lists. Lists hold objects
/// while they are loaded.
extension LinkGraph {
  // MARK: References

  /// The row that a reference refers to; nil for none.
  func leading(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) throws -> UInt64? {
    let row = try current(object, relation, origin: origin)
    return RowNumber.leads(row) ? row : nil
  }

  /// The row that a reference refers to. In a one-to-one relationship, a side that was changed here
  /// decides until the save. So an unchanged side is nil if the changed side refers to another
  /// object.
  func current(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) throws -> UInt64 {
    let row = try ownReference(of: object, relation, origin: origin)
    if !relation.isOneToOne || isChanged(object, relation.property) { return row }
    return isLeft(object._$state.row, of: origin.map, relation: relation, by: row) ? RowNumber.nothing : row
  }

  /// Whether the partner of a one-to-one relationship has another partner here, or none, although
  /// another context stored this one.
  func isLeft(_ row: UInt64, of map: EntityMap, relation: Relation, by partner: UInt64) -> Bool {
    guard relation.isOneToOne, let inverse = relation.inverse, RowNumber.leads(partner),
      let partner = objects.registered(store.maps[relation.target], RowID(partner)), isChanged(partner, inverse),
      map.type.mayBeNil(relation.property)
    else { return false }
    let back = partner.one(inverse).row
    return back != RowNumber.unknown && back != row
  }

  private func isChanged(_ object: any _ModelObject, _ property: Int) -> Bool {
    let flags = object._$state.flags
    return flags.contains(.inserted)
      || flags.contains(.changed) && object._$state.changed & _ModelState.bit(property) != 0
  }

  /// The row that a reference refers to by its slot, or by the inverse's index.
  private func ownReference(of object: any _ModelObject, _ relation: Relation, origin: RowOrigin) throws -> UInt64 {
    // The slot of a fault contains no value.
    if object._$state.flags.contains(.fault) {
      objects.fill(object, objects.own(origin, object), for: relation.property)
    }
    let row = object.one(relation.property).row
    if row != RowNumber.unknown { return row }
    var found = RowNumber.nothing
    if case .found(let id) = relation.way, !object._$state.flags.contains(.inserted),
      let side = try session.snapshot().catalog.relationship(id),
      let row = try session.snapshot().links(side).row(at: 0, of: RowID(object._$state.row))
    {
      found = row.number
    }
    setSlot(object, relation.property, row: found)
    return found
  }

  /// The object of a row; nil if there is no such row.
  func find(_ map: EntityMap, _ row: RowID) throws -> (any _ModelObject)? {
    if let known = objects.registered(map, row) {
      let flags = known._$state.flags
      if flags.contains(.deleted) { return nil }
      if flags.contains(.inserted) || flags.isDisjoint(with: [.fault, .changed]) { return known }
      // Others may have deleted it, or it never existed.
      return try session.table(map).contains(row) ? known : nil
    }
    if isDoomed(map.home, row.number) { return nil }
    objects.noteSingle(objects.origin(map), nil)
    return try objects.readOne(row.number, objects.origin(map))
  }

  /// The object of a row; nil if it is deleted here or does not exist.
  ///
  /// - Parameters:
  ///   - map: the number of the map of its class.
  ///   - row: the row.
  ///   - willRead: called before the row is read.
  func live(_ map: Int, _ row: UInt64, willRead: () -> Void = {}) throws -> (any _ModelObject)? {
    let map = store.maps[map]
    if let known = objects.registered(map, RowID(row)) { return known._$state.flags.contains(.deleted) ? nil : known }
    if isDoomed(map.home, row) { return nil }
    willRead()
    return try objects.readOne(row, objects.origin(map))
  }

  /// The object that a reference named before this change, even if it is marked for deletion. If
  /// the deletion is undone, that object must not show the old link.
  func former(_ map: Int, _ row: UInt64) throws -> (any _ModelObject)? {
    guard let known = objects.registered(store.maps[map], RowID(row)), known._$state.flags.contains(.deleted) else {
      return try live(map, row)
    }
    return !known._$state.flags.contains(.gone) || isUnborn(known) ? known : nil
  }

  /// The object of a list's member. The row exists, because the list's index contains it.
  func member(_ map: Int, _ row: UInt64) throws -> (any _ModelObject)? {
    let map = store.maps[map]
    if let known = objects.registered(map, RowID(row)) { return known._$state.flags.contains(.deleted) ? nil : known }
    if isDoomed(map.home, row) { return nil }
    // Only the row tells its class.
    if map.family != nil { return try objects.readOne(row, objects.origin(map), isAlone: false) }
    return objects.origin(map).object(row)
  }

  /// Whether a relationship can reference an object: its class must be the relationship's class or
  /// a subclass. If it is not, the next save throws an error.
  func mayLead(_ owner: any _ModelObject, _ relation: Relation, to other: any _ModelObject) -> Bool {
    let targetMap = store.maps[relation.target]
    guard let origin = other._$state.origin as? RowOrigin, !origin.map.isKind(of: targetMap) else { return true }
    let target = targetMap.type.name
    changes.complain(
      GraphFault(
        .wrongModel, "it can only reference \(target), not \(origin.map.type.name)",
        entity: type(of: owner)._$type.name, row: owner._$state.row,
        property: type(of: owner)._$type.propertyName(relation.property)))
    return false
  }

  private func setSlot(_ object: any _ModelObject, _ property: Int, row: UInt64) {
    object.one(property).lead(to: row)
  }

  /// Sets a reference of an object, and records it as the object's change.
  func setReference(_ object: any _ModelObject, _ property: Int, row: UInt64) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    // No user set it, so no error is recorded for an object that was deleted before it was saved.
    if !object._$state.flags.contains(.gone) { changes.noteChange(object, property, origin: origin) }
    setSlot(object, property, row: row)
    session.notify(object, property)
  }

  func willWriteReference(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) {
    settle()
    ledger.wasChanged = isChanged(object, relation.property)
    do {
      ledger.before = try current(object, relation, origin: origin)
      guard loadRows != nil, RowNumber.leads(ledger.before) else { return }
      // The list of the object that it leaves changes too. A newer snapshot may have made this
      // object a fault.
      fetch([ledger.before], relation)
      ledger.before = try current(object, relation, origin: origin)
    } catch {
      objects.fail(object, error)
    }
  }

  func didWriteReference(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin) {
    var row = RowNumber.nothing
    let (before, wasChanged) = (ledger.before, ledger.wasChanged)
    if let other = object.one(relation.property).object.map({ model($0, relation) }) {
      do {
        try insert(other, into: nil)
        if mayLead(object, relation, to: other) { row = other._$state.row }
        if let inverse = relation.inverse, relation.isOneToOne, row != before,
          object._$state.flags.isDisjoint(with: .inserted), other._$state.flags.contains(.inserted)
        {
          let own = LinkKey(object, origin, property: relation.property)
          noteTaking(of: own, by: other, property: inverse, before: before, isChanged: wasChanged)
        }
      } catch { changes.complain(error, object, property: relation.property) }
    }
    setSlot(object, relation.property, row: row)
    fetch([row], relation)
    agree(object, relation, origin: origin, before: before, now: row)
  }

  /// Updates the other side of a reference.
  func agree(_ object: any _ModelObject, _ relation: Relation, origin: RowOrigin, before: UInt64, now: UInt64) {
    guard let inverse = relation.inverse else { return }
    if before == now {
      // The program set the same partner again. That is a change too: another context's save must
      // not change the partner.
      guard relation.isOneToOne, RowNumber.leads(now),
        let other = objects.need(object, { try live(relation.target, now) }), !isChanged(other, inverse)
      else { return }
      return setReference(other, inverse, row: object._$state.row)
    }
    // A reference to itself was its own other side, and has changed already.
    let wasOwn = relation.isOwnInverse && before == object._$state.row
    if RowNumber.leads(before), !wasOwn, let other = objects.need(object, { try former(relation.target, before) }) {
      if relation.isInverseList {
        edit(other, inverse, member: object, adds: false)
      } else {
        setReference(other, inverse, row: RowNumber.nothing)
      }
    }
    guard RowNumber.leads(now), let other = objects.need(object, { try live(relation.target, now) }) else { return }
    if relation.isInverseList { return edit(other, inverse, member: object, adds: true) }
    guard let origin = other._$state.origin as? RowOrigin, let back = self.relation(origin, inverse) else { return }
    if other._$state.flags.isDisjoint(with: .inserted) {
      let row = objects.need(other) { try current(other, back, origin: origin) } ?? 0
      noteTaking(
        of: LinkKey(other, origin, property: inverse), by: object, property: relation.property, before: row,
        isChanged: isChanged(other, inverse))
    }
    // It may have had another partner, whose reference becomes nil. A working set may lack that one.
    var taken = objects.need(other) { try current(other, back, origin: origin) }
    if loadRows != nil, let row = taken, RowNumber.leads(row), row != object._$state.row {
      fetch([row], back)
      taken = objects.need(other) { try current(other, back, origin: origin) }
    }
    if let partner = taken, RowNumber.leads(partner), partner != object._$state.row,
      let left = objects.need(other, { try former(back.target, partner) })
    {
      setReference(left, relation.property, row: RowNumber.nothing)
    }
    setReference(other, inverse, row: object._$state.row)
  }

  /// Records that a new object takes a stored partner. The program may have set either side.
  ///
  /// - Parameters:
  ///   - partner: the reference of the stored object.
  ///   - object: the object that takes it. If it is not new, the partner is not a taken one any more.
  ///   - property: the reference of that object.
  ///   - row: the former value of the partner's reference.
  ///   - isChanged: whether that value is an unsaved one.
  private func noteTaking(
    of partner: LinkKey, by object: any _ModelObject, property: Int, before row: UInt64, isChanged: Bool
  ) {
    guard object._$state.flags.contains(.inserted), let own = object._$state.origin as? RowOrigin else {
      if !ledger.takings.isEmpty { ledger.noteTaking(nil, partner) }
      return
    }
    var taking = LinkLedger.Taking(taker: LinkKey(object, own, property: property), former: 0)
    if isChanged, let last = ledger.takings[partner], last.taker.row == row {
      (taking.former, taking.isUnsaved) = (last.former, last.isUnsaved)
    } else {
      (taking.former, taking.isUnsaved) = (RowNumber.leads(row) ? row : 0, isChanged)
    }
    ledger.noteTaking(taking, partner)
  }
}
