internal import RoostRecords

/// Links and references of objects that go, before their rules are asked: rules follow what is stored.
extension Saver {
  /// Takes out of the stored lists what was taken out here, and puts in what was put in, where a rule follows them; and lets
  /// references lead where they lead here.
  func relink(_ run: SaveRun) throws {
    // What waits for a unique value leads where it leads here, too: else it would go with whom it has left.
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

  /// Lets a reference lead where it was set to. What it led to before is not this object's any more.
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
    guard let target = leads(object, relation).map({ RowID(run.row(relation.home, $0)) }) else { return }
    // What has no row yet comes later in this save, or goes with the object. Where nil may not stand, its number does.
    if slot.nullBit >= 0, try !run.writer.contains(target, store.maps[relation.target].entity.id) { return }
    do { try table.update(row) { builder in builder.set(slot, reference: target) } } catch let fault as RecordFault {
      // Another one leads there by now, so it is not this one's either.
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
        // It has no row yet that the rule could find. Where it were to go too it would be deleted by now.
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
