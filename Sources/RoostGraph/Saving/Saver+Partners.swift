internal import RoostRecords

/// Handles two partners for one object, set by two contexts, when the row of one conflicts with the
/// other's.
extension Saver {
  /// Writes a row. If it conflicts with a former partner's row, it parts the two and writes again.
  func parting(
    _ object: any _ModelObject, _ origin: RowOrigin, box: SinkBox, run: SaveRun, write: () throws -> Void,
    waits: (RecordFault) -> Bool = { _ in false }, refused: (RecordFault) -> Void
  ) throws {
    // Each round removes the partner of another relationship.
    var left = store.relations[origin.map.number].count
    while true {
      do { return try write() } catch let fault as RecordFault {
        if waits(fault) { return }
        let outcome =
          run.isShared && left > 0 ? try part(fault, object, origin: origin, box: box, run: run) : .unchanged
        left -= 1
        switch outcome {
        case .unchanged: return refused(fault)
        case .refused: return
        case .parted: continue
        }
      }
    }
  }

  /// Clears the reference of the former partner, or of this object: the merge policy says which.
  private func part(
    _ fault: RecordFault, _ object: any _ModelObject, origin: RowOrigin, box: SinkBox, run: SaveRun
  ) throws -> Partnership.Outcome {
    guard let relation = partnership(fault, origin.map) else { return .unchanged }
    return try run.writer.part(fault, of: origin.map.entity.id) { one in
      let names = (
        objects.name(one.former), objects.name(LinkKey(map: relation.home, row: one.target.number, property: 0))
      )
      let property = origin.map.type.propertyName(relation.property)
      if mergePolicy == .error, run.decisions.isEmpty {
        run.refuse(GraphFault.twoPartners(objects.name(object), property, other: names.0, target: names.1))
        return .refused
      }
      guard origin.map.type.mayBeNil(relation.property) else {
        run.refuse(GraphFault.needsPartner(objects.name(object), property, other: names.0, target: names.1))
        return .refused
      }
      if let planned = plannedPartner(object, relation, origin: origin, run: run) {
        return planned == one.target.number ? .takes : .staysAlone
      }
      return mergePolicy == .storeWins && run.decisions.isEmpty ? .staysAlone : .takes
    } clear: {
      box.sink.builder.setNull($0)
      run.noteDifference(object)
    } changed: { one in
      run.note(origin.map.home, one.former.row.number)
      run.note(relation.home, one.target.number)
      let former = LinkKey(map: origin.map.home, row: one.former.row.number, property: 0)
      run.parted.append(former)
      noteLoose(former, run)
      noteCounted(
        LinkKey(map: origin.map.number, row: one.former.row.number, property: 0), relation.property, run: run)
    }
  }

  /// Keeps the references of rows that the program replaced, in a list, by new objects that are merged into
  /// them: the list still contains these rows.
  func keepReplaced(_ run: SaveRun) throws {
    // Most saves that merge change no stored object.
    if run.decisions.isEmpty || changes.changed.isEmpty { return }
    for key in run.decisions.keys {
      guard let new = objects.registered(store.maps[key.map], RowID(key.row)), let map = new.entityMap,
        let existing = objects.registered(store.maps[key.map], RowID(run.row(key.map, key.row))),
        existing._$state.flags.isDisjoint(with: [.inserted, .deleted, .gone]),
        existing.entityMap?.number == map.number
      else { continue }
      for case .some(let relation) in store.relations[map.number] where relation.isInverseList {
        guard case .reference = relation.way, run.writes(existing, relation.property),
          leads(existing, relation) == nil, let owner = leads(new, relation),
          try links.stored(LinkKey(map: key.map, row: existing._$state.row, property: 0), relation)
            == [run.row(relation.home, owner)]
        else { continue }
        leave(existing, relation.property, map: map, run: run)
      }
    }
  }

  /// Keeps the stored value of one property of a changed object.
  private func leave(_ object: any _ModelObject, _ property: Int, map: EntityMap, run: SaveRun) {
    if map.type.sharesBit(property) { return run.keep(object, property) }
    run.masks[ObjectIdentifier(object), default: object._$state.changed] &= ~_ModelState.bit(property)
  }

  /// Whether the row into which a new object is merged takes over its value of a property; nil if it
  /// is not merged.
  func takes(_ new: any _ModelObject, _ property: Int?, run: SaveRun) throws -> Bool? {
    guard let origin = new._$state.origin as? RowOrigin, let decision = run.decisions[LinkKey(new, origin)] else {
      return nil
    }
    let key = LinkKey(new, origin)
    guard case .newest = decision.policy else {
      return try takes(
        new, origin.map, policy: decision.policy, row: RowID(run.row(key.map, key.row)), property: property,
        table: run.writer.table(origin.map.entity.id))
    }
    if let known = run.isNewer[key] ?? decision.isNewer { return known }
    // The row may not have all values yet that it has when the object is merged. So the merge compares
    // again.
    let isTaken = try takes(
      new, origin.map, policy: decision.policy, row: RowID(run.row(key.map, key.row)), property: property,
      table: run.writer.table(origin.map.entity.id))
    run.isNewer[key] = isTaken
    return isTaken
  }

  /// Compares the outcome of a merge with what the references of other rows assumed. If it is different,
  /// the save is tried again.
  func noteOutcome(_ choice: UniqueChoice, _ key: LinkKey, decision: SaveRun.Decision, run: SaveRun) {
    guard case .newest = decision.policy else { return }
    let isNewer = choice == .upsert
    if let assumed = run.isNewer[key] ?? decision.isNewer, assumed != isNewer { run.mistaken[key] = isNewer }
    run.isNewer[key] = isNewer
  }

  /// Whether a row takes over a new object's value of a property.
  func takes(
    _ object: any _ModelObject, _ map: EntityMap, policy: UniquePolicy, row: RowID, property: Int?,
    table: TableWriter
  ) throws -> Bool {
    switch policy {
    case .always(let choice): return choice == .upsert || choice == .mergeNonNil
    case .fields(let properties): return property.map(properties.contains) ?? false
    case .newest(_, let isNewer):
      // If the row has the object's values already, it counts as equally new.
      return try table.visit(row) { try compare(object, map, to: $0, of: table, by: isNewer) } ?? true
    case .asks: preconditionFailure("the closure of the policy was called before")
    }
  }

  /// The to-one relationship in which two rows want the same object; they are different objects
  /// then.
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
    _ object: ObjectName, _ property: String, other: ObjectName, target: ObjectName
  ) -> GraphFault {
    GraphFault(
      .conflict,
      "another context set \(other) to reference \(target), and only one object may: clear one of the two references",
      name: object,
      property: property, others: [other, target])
  }

  static func needsPartner(
    _ object: ObjectName, _ property: String, other: ObjectName, target: ObjectName
  ) -> GraphFault {
    GraphFault(
      .denied, "\(other) must reference \(target) too, and only one object may: change one of the two references",
      name: object,
      property: property, others: [other, target])
  }
}
