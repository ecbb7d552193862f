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
      if try keepsPartner(object, relation, run: run) { return .staysAlone }
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

  /// Whether an object references a new object that is merged into a stored row and keeps that
  /// row's partner.
  func keepsPartner(_ object: any _ModelObject, _ relation: Relation, run: SaveRun) throws -> Bool {
    guard !run.decisions.isEmpty, let row = leads(object, relation),
      let decision = run.decisions[LinkKey(map: relation.home, row: row, property: 0)],
      let new = objects.registered(store.maps[relation.target], RowID(row)), let map = new.entityMap
    else { return false }
    let table = try run.writer.table(map.entity.id)
    return try !takes(
      new, map, policy: decision.policy, row: RowID(run.row(relation.home, row)), property: relation.inverse,
      table: table)
  }

  /// Keeps the stored partners that a new object took, if the row it is merged into does not take
  /// over its reference.
  func keepTaken(_ run: SaveRun) throws {
    if run.decisions.isEmpty { return }
    for (key, taking) in links.ledger.takings {
      let taker = taking.taker
      guard let decision = run.decisions[LinkKey(map: taker.map, row: taker.row, property: 0)],
        let new = objects.registered(store.maps[taker.map], RowID(taker.row)), let map = new.entityMap,
        let relation = store.relations[map.number][taker.property],
        let partner = objects.registered(store.maps[key.map], RowID(key.row)), let back = partner.entityMap,
        partner._$state.flags.isDisjoint(with: [.deleted, .gone]), leads(new, relation) == key.row
      else { continue }
      let table = try run.writer.table(map.entity.id)
      let row = RowID(run.row(taker.map, taker.row))
      if try takes(new, map, policy: decision.policy, row: row, property: taker.property, table: table) { continue }
      if taking.former != 0 {
        // If the program gave it another partner meanwhile, or deleted it, it has left this one.
        guard let former = objects.registered(store.maps[taker.map], RowID(taking.former)),
          former._$state.flags.isDisjoint(with: [.deleted, .gone]), let own = former.entityMap,
          let relation = store.relations[own.number][taker.property], leads(former, relation) == nil
        else { continue }
        leave(former, taker.property, map: own, run: run)
      }
      leave(partner, key.property, map: back, run: run)
    }
  }

  /// Keeps the stored value of one property of a changed object.
  private func leave(_ object: any _ModelObject, _ property: Int, map: EntityMap, run: SaveRun) {
    if map.type.sharesBit(property) { return run.keep(object, property) }
    run.masks[ObjectIdentifier(object), default: object._$state.changed] &= ~_ModelState.bit(property)
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
      return try table.visit(row) { stored in
        let existing = Scratch(map, links)
        defer { existing.leave() }
        existing.begin(stored, table)
        let isTaken = isNewer(object, existing.object)
        if let failure = existing.failure { throw failure }
        return isTaken
      } ?? true
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
