internal import RoostRecords

/// Two contexts that gave one object two partners, where a row stands in the way of another one.
extension Saver {
  private enum Parting {
    /// It is about something else.
    case nobody
    /// One of them leads nowhere from here on, so it can be tried again.
    case parted
    case refused
  }

  /// Writes a row; where it has a former partner in its way, again without that.
  func parting(
    _ object: any _ModelObject, _ origin: RowOrigin, _ box: SinkBox, _ run: SaveRun, _ write: () throws -> Void,
    waits: (RecordFault) -> Bool = { _ in false }, refused: (RecordFault) -> Void
  ) throws {
    // Each turn parts it from the partner of another relationship.
    var left = store.relations[origin.map.number].count
    while true {
      do { return try write() } catch let fault as RecordFault {
        if waits(fault) { return }
        let parting: Parting = left > 0 ? try part(fault, object, origin, box, run) : .nobody
        left -= 1
        switch parting {
        case .nobody: return refused(fault)
        case .refused: return
        case .parted: continue
        }
      }
    }
  }

  /// Lets the former partner lead nowhere, or this one: the merge policy says which. Whoever must lead somewhere stays.
  private func part(
    _ fault: RecordFault, _ object: any _ModelObject, _ origin: RowOrigin, _ box: SinkBox, _ run: SaveRun
  ) throws -> Parting {
    guard run.isShared, fault.code == .notUnique, fault.rows.count == 1, let other = fault.rows.first,
      let relation = partnership(fault, origin.map), let field = origin.map.field(relation.property)
    else { return .nobody }
    let table = try run.writer.table(origin.map.entity.id)
    let slot = try table.slot(field.name)
    guard let target = box.sink.builder.reference(slot) else { return .nobody }
    let names = (objects.name(other), objects.name(LinkKey(map: relation.home, row: target.number, property: 0)))
    let isKept = try keepsPartner(object, relation, run)
    let property = origin.map.type.propertyName(relation.property)
    if mergePolicy == .error, run.decisions.isEmpty {
      run.refuse(GraphFault.twoPartners(objects.name(object), property, names.0, names.1))
      return .refused
    }
    guard origin.map.type.mayBeNil(relation.property) else {
      run.refuse(GraphFault.needsPartner(objects.name(object), property, names.0, names.1))
      return .refused
    }
    if isKept || (mergePolicy == .storeWins && run.decisions.isEmpty) {
      box.sink.builder.setNull(slot)
      return .parted
    }
    try table.update(other.row) { builder in builder.setNull(slot) }
    run.note(origin.map.home, other.row.number)
    run.note(relation.home, target.number)
    run.parted.append(LinkKey(map: origin.map.home, row: other.row.number, property: 0))
    return .parted
  }

  /// Whether an object leads to a new one that becomes a stored one, and that keeps whom it has.
  func keepsPartner(_ object: any _ModelObject, _ relation: Relation, _ run: SaveRun) throws -> Bool {
    guard !run.decisions.isEmpty, let row = leads(object, relation),
      let decision = run.decisions[LinkKey(map: relation.home, row: row, property: 0)],
      let new = objects.registered(store.maps[relation.target], RowID(row)), let map = new.entityMap
    else { return false }
    let table = try run.writer.table(map.entity.id)
    return try !takes(new, map, decision.policy, RowID(run.row(relation.home, row)), relation.inverse, table)
  }

  /// Whether a row takes over what a new object says of a property.
  func takes(
    _ object: any _ModelObject, _ map: EntityMap, _ policy: UniquePolicy, _ row: RowID, _ property: Int?,
    _ table: TableWriter
  ) throws -> Bool {
    switch policy {
    case .always(let choice): return choice == .upsert || choice == .mergeNonNil
    case .fields(let properties): return property.map(properties.contains) ?? false
    case .newest(_, let isNewer):
      // Where the row has the object's values already it is as new.
      return try table.visit(row) { stored in
        let existing = Scratch(map, links)
        defer { existing.leave() }
        existing.begin(stored, table)
        let isTaken = isNewer(object, existing.object)
        if let failure = existing.failure { throw failure }
        return isTaken
      } ?? true
    case .asks: preconditionFailure("somebody was asked before")
    }
  }

  /// The relationship to one of which two rows want the same object: that makes them no one object.
  func partnership(_ fault: RecordFault, _ map: EntityMap) -> Relation? {
    for case .some(let relation) in store.relations[map.number] {
      guard case .reference = relation.way else { continue }
      if fault.field == map.type.fieldName(relation.property) { return relation }
    }
    return nil
  }
}

extension GraphFault {
  static func twoPartners(
    _ object: ObjectName, _ property: String, _ other: ObjectName, _ target: ObjectName
  ) -> GraphFault {
    GraphFault(
      .conflict,
      "another context set \(other) to reference \(target), and only one object may: clear one of the two references",
      object,
      property, others: [other, target])
  }

  static func needsPartner(
    _ object: ObjectName, _ property: String, _ other: ObjectName, _ target: ObjectName
  ) -> GraphFault {
    GraphFault(
      .denied, "\(other) must reference \(target) too, and only one object may: change one of the two references",
      object,
      property, others: [other, target])
  }
}
