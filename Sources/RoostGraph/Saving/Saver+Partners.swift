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
      if isOutranked(object, by: one.former.row, at: one.target, relation: relation, run: run) { return .staysAlone }
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
      let new = objects.registered(store.maps[relation.target], RowID(row))
    else { return false }
    return try !(takes(new, relation.inverse, run: run) ?? true)
  }

  /// Whether a later merge gave a partner of this object to another row. The merges of a save come
  /// after its other changes, in the order in which the new objects were inserted.
  func isOutranked(
    _ object: any _ModelObject, by other: RowID, at target: RowID, relation: Relation, run: SaveRun
  ) -> Bool {
    guard !run.decisions.isEmpty, let map = object.entityMap,
      let known = objects.registered(store.maps[map.home], other), known._$state.flags.isPending,
      !known._$state.flags.contains(.deleted),
      known._$state.flags.contains(.inserted) || run.writes(known, relation.property),
      let row = leads(known, relation), run.row(relation.home, row) == target.number
    else { return false }
    return lastMerge(object, relation, run: run) < lastMerge(known, relation, run: run)
  }

  /// The place of the last merge on which a reference depends; 0 if there is none.
  private func lastMerge(_ object: any _ModelObject, _ relation: Relation, run: SaveRun) -> Int {
    if run.places.isEmpty {
      for new in changes.inserted {
        guard let origin = new._$state.origin as? RowOrigin, run.decisions[LinkKey(new, origin)] != nil else {
          continue
        }
        run.places[LinkKey(new, origin)] = run.places.count + 1
      }
    }
    guard let origin = object._$state.origin as? RowOrigin, let row = leads(object, relation) else { return 0 }
    let target = LinkKey(map: relation.home, row: row, property: 0)
    return max(run.places[LinkKey(object, origin)] ?? 0, run.places[target] ?? 0)
  }

  /// Keeps the stored partners that a new object took, if the row it is merged into does not take
  /// over its reference.
  func keepTaken(_ run: SaveRun) throws {
    if run.decisions.isEmpty { return }
    for (key, taking) in links.ledger.takings where !taking.isUnsaved {
      let taker = taking.taker
      guard let new = objects.registered(store.maps[taker.map], RowID(taker.row)), let map = new.entityMap,
        let relation = store.relations[map.number][taker.property],
        let partner = objects.registered(store.maps[key.map], RowID(key.row)), let back = partner.entityMap,
        partner._$state.flags.isDisjoint(with: [.deleted, .gone]), leads(new, relation) == key.row
      else { continue }
      if try takes(new, taker.property, run: run) ?? true { continue }
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

  /// The object that gets its partner back, because a new object that took the partner is dropped. Only
  /// the program's unsaved pair: stored ones are kept (``keepTaken(_:)``).
  func formerOwner(of partner: LinkKey, _ relation: Relation) -> UInt64? {
    guard let taking = links.ledger.takings[partner], taking.isUnsaved, taking.former != 0,
      let former = objects.registered(store.maps[relation.target], RowID(taking.former)),
      former._$state.flags.isDisjoint(with: [.deleted, .gone]), let map = former.entityMap,
      let back = store.relations[map.number][taking.taker.property], leads(former, back) == nil
    else { return nil }
    return taking.former
  }

  /// Keeps the stored value of one property of a changed object.
  private func leave(_ object: any _ModelObject, _ property: Int, map: EntityMap, run: SaveRun) {
    if map.type.sharesBit(property) { return run.keep(object, property) }
    run.masks[ObjectIdentifier(object), default: object._$state.changed] &= ~_ModelState.bit(property)
  }

  /// Whether the row into which a new object is merged takes over its value of a property; nil if it
  /// is not merged.
  private func takes(_ new: any _ModelObject, _ property: Int?, run: SaveRun) throws -> Bool? {
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
