internal import RoostRecords

/// Links of objects that go, before their rules are asked: rules follow what is stored.
extension GraphContext {
  /// Takes out of the stored lists what was taken out here, and puts in what was put in, where a rule follows them.
  func relink(_ run: SaveRun) throws {
    if links.lists.isEmpty, links.edits.isEmpty { return }
    for object in deletedObjects {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      for case .some(let relation) in store.relations[origin.map.number] where relation.isByLinks {
        switch relation.deleteRule {
        case .cascade, .deny: try relink(object, origin, relation, run)
        case .nullify, .noAction: continue
        }
      }
    }
  }

  private func relink(_ object: any _ModelObject, _ origin: RowOrigin, _ relation: Relation, _ run: SaveRun) throws {
    let key = key(object, origin, relation.property)
    let list = links.lists[key]
    guard list?.isDirty == true || links.edits[key] != nil,
      let side = run.writer.catalog.relationship(relation.way.id),
      try run.writer.contains(RowID(key.row), origin.map.entity.id)
    else { return }
    let before = try stored(key, relation)
    let here = try list.map { $0.withStrangers($0.rows) } ?? rows(key, object, relation)
    let (was, isNow) = (Set(before), Set(here))
    let links = try run.writer.links(side)
    for row in before where !isNow.contains(row) { try links.remove(RowID(row), from: RowID(key.row)) }
    let target = store.maps[relation.target]
    var staying: [ObjectName] = []
    for row in here where !was.contains(row) {
      let member = registered(target, RowID(row))
      if member?._$state.flags.contains(.deleted) == true { continue }
      if member?._$state.flags.contains(.inserted) == true {
        // It has no row yet that the rule could find. Where it were to go too it would be deleted by now.
        if relation.deleteRule == .deny { staying.append(ObjectName(target.type.name, row)) }
      } else if try run.writer.contains(RowID(row), target.entity.id) {
        try links.append(RowID(row), to: RowID(key.row))
      }
    }
    if !staying.isEmpty {
      run.refuse(GraphFault.denied(name(object), origin.map.type.propertyName(relation.property), staying))
    }
  }
}
