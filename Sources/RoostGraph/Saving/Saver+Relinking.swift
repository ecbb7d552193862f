internal import RoostRecords

/// Writes links and references of objects to be deleted before their delete rules run, because the
/// rules follow stored rows.
extension Saver {
  /// Writes the changes of lists and references that delete rules follow: removed and added
  /// members, and new targets of references.
  func relink(_ run: SaveRun) throws {
    // Objects that wait for a unique value are included. Otherwise a rule of their former owner
    // would delete them.
    for object in run.waiting {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      for case .some(let relation) in store.relations[origin.map.number] {
        if case .reference = relation.way { try relead(object, origin, relation: relation, run: run) }
      }
    }
    for object in changes.deletedObjects {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      for case .some(let relation) in store.relations[origin.map.number] {
        switch relation.deleteRule {
        case .cascade, .deny: break
        case .nullify, .noAction: continue
        }
        if relation.isByLinks {
          try relink(object, origin, relation: relation, run: run)
        } else if case .reference = relation.way {
          try relead(object, origin, relation: relation, run: run)
        }
      }
    }
  }

  /// Writes the new target of a reference. Its former target no longer owns this object.
  private func relead(_ object: any _ModelObject, _ origin: RowOrigin, relation: Relation, run: SaveRun) throws {
    let row = RowID(object._$state.row)
    guard run.writes(object, relation.property),
      let field = origin.map.field(relation.property), try run.writer.contains(row, origin.map.entity.id)
    else { return }
    let table = try run.writer.table(origin.map.entity.id)
    let slot = try table.slot(field.name)
    if origin.map.type.sharesBit(relation.property),
      try changes.base(LinkKey(object, origin), origin.map, property: relation.property, fields: [field.id])
        == [leads(object, relation).map { .reference(RowID($0)) } ?? .null]
    {
      return
    }
    if slot.nullBit >= 0 { try table.update(row) { builder in builder.setNull(slot) } }
    let planned = plannedPartner(object, relation, origin: origin, run: run)
    let wanted = planned ?? leads(object, relation).map { run.row(relation.home, $0) } ?? 0
    if wanted == 0 { return }
    let target = RowID(wanted)
    // A target without a row is written later in this save, or is deleted with the object. A
    // required reference is written anyway.
    if slot.nullBit >= 0, try !run.writer.contains(target, store.maps[relation.target].entity.id) { return }
    do { try table.update(row) { builder in builder.set(slot, reference: target) } } catch let fault as RecordFault {
      // Another row references the target already, so the reference is not this row's.
      if fault.code != .notUnique { throw fault }
    }
  }

  private func relink(_ object: any _ModelObject, _ origin: RowOrigin, relation: Relation, run: SaveRun) throws {
    if links.ledger.lists.isEmpty, links.ledger.edits.isEmpty { return }
    let key = LinkKey(object, origin, property: relation.property)
    let list = links.ledger.lists[key]
    guard list?.isDirty == true || links.ledger.edits[key] != nil,
      let side = run.writer.catalog.relationship(relation.way.id),
      try run.writer.contains(RowID(key.row), origin.map.entity.id)
    else { return }
    let before = try links.stored(key, relation)
    let here = try list.map { $0.withStrangers($0.rows) } ?? self.links.rows(key, object, relation: relation)
    let (was, isNow) = (Set(before), Set(here))
    let links = try run.writer.links(side)
    for row in before where !isNow.contains(row) { try links.remove(RowID(row), from: RowID(key.row)) }
    let target = store.maps[relation.target]
    var staying: [ObjectName] = []
    for row in here where !was.contains(row) {
      let member = objects.registered(target, RowID(row))
      if member?._$state.flags.contains(.deleted) == true { continue }
      if member?._$state.flags.contains(.inserted) == true {
        // It has no row yet that the rule could find. If it were deleted too, that would have
        // happened by now.
        if relation.deleteRule == .deny { staying.append(ObjectName(target.type.name, row)) }
      } else if try run.writer.contains(RowID(row), target.entity.id) {
        try links.append(RowID(row), to: RowID(key.row))
      }
    }
    if !staying.isEmpty {
      run.refuse(
        GraphFault.denied(objects.name(object), origin.map.type.propertyName(relation.property), others: staying))
    }
  }
}
