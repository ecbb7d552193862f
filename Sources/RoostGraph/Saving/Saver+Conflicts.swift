internal import RoostRecords

/// Finds properties that both this context and another one changed, before anything is written.
///
/// It examines only rows that others changed. If there was no commit since the snapshot, it
/// examines none.
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
      // A computed value is no conflict: it follows other values, and is computed from the stored
      // ones at the end.
      if origin.map.type.computed.contains(property) { continue }
      guard let stored = try reader.values(fields, of: RowID(row.row)),
        let before = try changes.base(row, origin.map, property: property, fields: fields), !isStill(before, stored),
        let here = try values(object, origin, property: property, fields: fields, run: run)
      else { continue }
      if isStill(here, stored), mergePolicy != .error { continue }
      // For properties that share a bit, their values tell which changed.
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

  /// The bits of all properties, except those whose stored values were rejected and that were not
  /// set since.
  func overwritten(_ object: any _ModelObject, _ origin: RowOrigin) -> UInt64 {
    objects.makeValues(object)
    var bits = UInt64.max
    for property in object.refused.keys where !origin.map.type.sharesBit(property) {
      bits &= ~_ModelState.bit(property)
    }
    return bits
  }

  /// Handles an object that was changed here and deleted by another context. The row stays deleted.
  /// By default, and with the policy `storeWins`, the changes are dropped and reported.
  private func vanish(_ object: any _ModelObject, _ origin: RowOrigin, row: LinkKey, run: SaveRun) throws {
    run.vanished.insert(row)
    if mergePolicy != .storeWins { try refuseOrphans(object, origin, run: run) }
    let cure = "delete it here too, discard its changes with rollback(), or save with the merge policy .storeWins"
    let hasValues = try objects.fields(origin.map).keys.contains { object._$state.changed & _ModelState.bit($0) != 0 }
    switch mergePolicy {
    case .error:
      run.refuse(
        GraphFault(
          .conflict, "another context deleted this object, which was changed here: " + cure, name: objects.name(object))
      )
    // Members that were added or removed store that in their own rows.
    case .overwrite where hasValues:
      run.refuse(
        GraphFault(
          .deleted, "another context deleted this object, which was changed here: " + cure, name: objects.name(object)))
    case .overwrite, .objectWins, .storeWins: run.summary.dropped.append(objects.name(object))
    }
  }

  /// Throws for new members of an owning list whose owner another context deleted. Members that
  /// reference their owner themselves are handled when their own rows are written.
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
      let (from, to) = ("from \(text(before))", "to \(text(stored))")
      return run.refuse(
        GraphFault(
          .conflict,
          "\(isChild ? "the parent" : "another") context changed this property of an object that was deleted here, "
            + (isChild ? "\(from) \(to)" : "\(from) at commit \(seen) \(to) by commit \(run.writer.commitNumber - 1)")
            + ": undo the deletion with rollback(), or save with another merge policy", name: objects.name(object),
          property: self.property(origin.map, property)))
    }
  }

  /// The values of an object in the fields of one property.
  private func values(
    _ object: any _ModelObject, _ origin: RowOrigin, property: Int, fields: [FieldID], run: SaveRun
  ) throws -> [Value]? {
    let box = sink(origin.map)
    let row = RowID(object._$state.row)
    guard try run.writer.table(origin.map.entity.id).read(row, into: &box.sink.builder) else { return nil }
    box.sink.failure = nil
    object._$encode(only: _ModelState.bit(property), into: &box.sink)
    // A value that cannot be stored causes an error when it is written.
    if box.sink.failure != nil { return nil }
    return try run.reading(origin.map).values(fields, of: row, in: box.sink.builder)
  }

  /// Whether this is a child context. The commits of its working set mean nothing to the program.
  private var isChild: Bool { store.backing?.isContext == true }

  private func refusal(_ one: SaveOutcome.Conflict) -> GraphFault {
    GraphFault(
      .conflict,
      (isChild
        ? "it was \(one.before); here it became \(one.here), and the parent context changed it to \(one.stored)"
        : "it was \(one.before) at commit \(one.seen); here it became \(one.here), and another context stored "
          + "\(one.stored), by commit \(one.newest) at the latest")
        + ": undo the change with rollback(), or save with another merge policy",
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
