internal import RoostRecords

/// Finding what was changed here and by another context too, before anything is written.
///
/// Only rows are looked at that others changed: where nobody committed since the snapshot, none.
extension Saver {
  func compare(_ run: SaveRun) throws {
    guard let news = run.news else { return }
    for object in changes.changed {
      let flags = object._$state.flags
      guard flags.contains(.changed), flags.isDisjoint(with: [.deleted, .inserted]),
        let origin = object._$state.origin as? RowOrigin
      else { continue }
      let row = LinkKey(object, origin)
      guard news.contains(row.map, row.row) || changes.hasBase(row) else { continue }
      try compare(object, origin, row: row, run: run)
    }
    guard mergePolicy == .error else { return }
    for object in changes.deletedObjects {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      let row = LinkKey(object, origin)
      if news.contains(row.map, row.row) || changes.hasBase(row) {
        try compareDeleted(object, origin, row: row, run: run)
      }
    }
  }

  private func compare(_ object: any _ModelObject, _ origin: RowOrigin, row: LinkKey, run: SaveRun) throws {
    let reader = try run.reading(origin.map)
    let all = try objects.fields(origin.map)
    let changed = object._$state.changed
    guard try reader.contains(RowID(row.row)) else { return try vanish(object, origin, row: row, run: run) }
    var written = changed
    for (property, fields) in all.sorted(by: { $0.key < $1.key }) where changed & _ModelState.bit(property) != 0 {
      // A computed value is no conflict: it follows the others, and is computed of what is stored in the end.
      if origin.map.type.computed.contains(property) { continue }
      guard let stored = try reader.values(fields, of: RowID(row.row)),
        let before = try changes.base(row, origin.map, property: property, fields: fields), !isStill(before, stored),
        let here = try values(object, origin, property: property, fields: fields, run: run)
      else { continue }
      if isStill(here, stored), mergePolicy != .error { continue }
      // Properties that share a bit are told apart by their values.
      let isShared = origin.map.type.sharesBit(property)
      if isShared, isStill(here, before) {
        if mergePolicy != .overwrite { run.keep(object, property) }
        continue
      }
      let conflict = SaveOutcome.Conflict(
        object: objects.name(object), property: self.property(origin.map, property), before: text(before),
        here: text(here),
        stored: text(stored), seen: changes.baseCommit(row), newest: run.writer.commitNumber - 1,
        keepsStored: mergePolicy == .storeWins)
      if mergePolicy == .error {
        run.refuse(refusal(conflict))
        continue
      }
      run.summary.conflicts.append(conflict)
      guard mergePolicy == .storeWins else { continue }
      if isShared { run.keep(object, property) } else { written &= ~_ModelState.bit(property) }
    }
    if mergePolicy == .overwrite { written = overwritten(object, origin) }
    if written != changed { run.masks[ObjectIdentifier(object)] = written }
  }

  /// The bits of all properties, but for those whose stored values were refused and that were not set since.
  func overwritten(_ object: any _ModelObject, _ origin: RowOrigin) -> UInt64 {
    objects.makeValues(object)
    var bits = UInt64.max
    for property in object.refused.keys where !origin.map.type.sharesBit(property) {
      bits &= ~_ModelState.bit(property)
    }
    return bits
  }

  /// Another context deleted what was changed here. The row stays deleted; by default, and where the store wins, the changes are
  /// dropped and reported.
  private func vanish(_ object: any _ModelObject, _ origin: RowOrigin, row: LinkKey, run: SaveRun) throws {
    run.vanished.insert(row)
    if mergePolicy != .storeWins { try refuseOrphans(object, origin, run: run) }
    let cure = "delete it here too, give its changes up with rollback(), or save with the merge policy .storeWins"
    let hasValues = try objects.fields(origin.map).keys.contains { object._$state.changed & _ModelState.bit($0) != 0 }
    switch mergePolicy {
    case .error:
      run.refuse(
        GraphFault(
          .conflict, "another context deleted this object, which was changed here: " + cure, name: objects.name(object))
      )
    // Members that came or went are told by their own sides.
    case .overwrite where hasValues:
      run.refuse(
        GraphFault(
          .deleted, "another context deleted this object, which was changed here: " + cure, name: objects.name(object)))
    case .overwrite, .objectWins, .storeWins: run.summary.dropped.append(objects.name(object))
    }
  }

  /// Refuses new members of a list that owns them, where the list's owner was deleted by another context. Members that name their
  /// owner themselves are refused when their own rows are written.
  private func refuseOrphans(_ object: any _ModelObject, _ origin: RowOrigin, run: SaveRun) throws {
    for case .some(let relation) in store.relations[origin.map.number]
    where relation.isByLinks && relation.deleteRule == .cascade {
      let key = LinkKey(object, origin, property: relation.property)
      for row in links.ledger.lists[key]?.rows ?? links.ledger.edits[key]?.added ?? [] {
        guard let member = objects.registered(store.maps[relation.target], RowID(row)) else { continue }
        let flags = member._$state.flags
        if flags.contains(.inserted), !flags.contains(.deleted) {
          run.refuse(GraphFault.orphan(objects.name(member), nil, of: objects.name(object), policy: mergePolicy))
        }
      }
    }
  }

  private func compareDeleted(_ object: any _ModelObject, _ origin: RowOrigin, row: LinkKey, run: SaveRun) throws {
    for (property, fields) in try objects.fields(origin.map).sorted(by: { $0.key < $1.key }) {
      guard let stored = try run.reading(origin.map).values(fields, of: RowID(row.row)),
        let before = try changes.base(row, origin.map, property: property, fields: fields), !isStill(before, stored)
      else { continue }
      let seen = changes.baseCommit(row)
      return run.refuse(
        GraphFault(
          .conflict,
          "another context changed this property of an object that was deleted here, from \(text(before)) at commit \(seen) to "
            + "\(text(stored)) by commit \(run.writer.commitNumber - 1): undo the deletion with rollback(), or save with "
            + "another merge policy", name: objects.name(object), property: self.property(origin.map, property)))
    }
  }

  /// What an object has in the fields of one property.
  private func values(
    _ object: any _ModelObject, _ origin: RowOrigin, property: Int, fields: [FieldID], run: SaveRun
  ) throws -> [Value]? {
    let box = sink(origin.map)
    let row = RowID(object._$state.row)
    guard try run.writer.table(origin.map.entity.id).read(row, into: &box.sink.builder) else { return nil }
    box.sink.failure = nil
    object._$encode(only: _ModelState.bit(property), into: &box.sink)
    // What cannot be stored is refused when it is written.
    if box.sink.failure != nil { return nil }
    return try run.reading(origin.map).values(fields, of: row, in: box.sink.builder)
  }

  private func refusal(_ one: SaveOutcome.Conflict) -> GraphFault {
    GraphFault(
      .conflict,
      "it was \(one.before) at commit \(one.seen); here it became \(one.here), and another context stored \(one.stored), by "
        + "commit \(one.newest) at the latest: undo the change with rollback(), or save with another merge policy",
      name: one.object, property: one.property)
  }

  private func property(_ map: EntityMap, _ property: Int) -> String { map.type.propertyName(property) }

  func isStill(_ before: [Value], _ now: [Value]) -> Bool {
    before.count == now.count && zip(before, now).allSatisfy { $0.isStill($1) }
  }

  private func text(_ values: [Value]) -> String {
    values.count == 1 ? values[0].brief : "(" + values.map(\.brief).joined(separator: ", ") + ")"
  }
}
