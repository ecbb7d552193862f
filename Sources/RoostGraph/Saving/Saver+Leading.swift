internal import RoostRecords

/// Corrects references in written rows whose target was merged into another row or deleted.
extension Saver {
  /// Corrects the references of a row that is about to be written.
  func lead(
    _ object: any _ModelObject, _ origin: RowOrigin, mask: UInt64, box: SinkBox, run: SaveRun
  ) throws {
    for case .some(let relation) in store.relations[origin.map.number] {
      guard case .reference = relation.way, mask & _ModelState.bit(relation.property) != 0,
        run.kept[ObjectIdentifier(object)]?.contains(relation.property) != true
      else { continue }
      let slot = box.sink.plan.slot(relation.property)
      if let planned = plannedPartner(object, relation, origin: origin, run: run) {
        lead(object, origin, to: planned, relation: relation, box: box, run: run)
        continue
      }
      guard let row = leads(object, relation) else { continue }
      let target = run.row(relation.home, row)
      if target != row {
        run.noteDifference(object)
        box.sink.builder.set(slot, reference: RowID(target))
        noteJoined(relation, [target], run: run)
      }
      guard !run.losesNothing, let loss = try loss(object, relation, row: target, run: run) else { continue }
      run.noteDifference(object)
      switch loss {
      case .refused(let fault): run.refuse(fault)
      case .nothing where origin.map.type.mayBeNil(relation.property):
        box.sink.builder.setNull(slot)
        noteMixed(LinkKey(object, origin), origin.map, run: run)
      case .nothing:
        let other = ObjectName(store.maps[relation.target].type.name, target)
        run.refuse(
          GraphFault(
            .denied, "it must reference an object, and \(other) is deleted: delete it too, or change the reference",
            name: objects.name(object), property: origin.map.type.propertyName(relation.property), others: [other]))
      }
    }
  }

  /// Lets a row under construction reference its planned partner.
  private func lead(
    _ object: any _ModelObject, _ origin: RowOrigin, to partner: UInt64, relation: Relation, box: SinkBox,
    run: SaveRun
  ) {
    let slot = box.sink.plan.slot(relation.property)
    let own = leads(object, relation).map { run.row(relation.home, $0) }
    if own ?? 0 != partner {
      run.noteDifference(object)
      noteMixed(LinkKey(object, origin), origin.map, run: run)
    }
    if partner != 0 {
      box.sink.builder.set(slot, reference: RowID(partner))
      if leads(object, relation) != partner {
        run.noteDifference(object)
        noteJoined(relation, [partner], run: run)
      }
    } else if origin.map.type.mayBeNil(relation.property) {
      box.sink.builder.setNull(slot)
    } else if let own {
      // The row that has the partner refuses this one.
      box.sink.builder.set(slot, reference: RowID(own))
    }
  }

  /// The targets of the references in a row under construction.
  func leads(_ box: SinkBox, _ origin: RowOrigin) -> [RowID?] {
    var rows: [RowID?] = []
    for case .some(let relation) in store.relations[origin.map.number] {
      guard case .reference = relation.way else { continue }
      rows.append(box.sink.builder.reference(box.sink.plan.slot(relation.property)))
    }
    return rows
  }

  /// Records for other contexts which lists a row leaves or joins; not all of their owners are
  /// objects here. Partners of one-to-one relationships, which others may have changed, are read
  /// again here too.
  func noteLeads(_ before: [RowID?], _ box: SinkBox, origin: RowOrigin, run: SaveRun) {
    var rows = before.makeIterator()
    for case .some(let relation) in store.relations[origin.map.number] {
      guard case .reference = relation.way, let before = rows.next() else { continue }
      let after = box.sink.builder.reference(box.sink.plan.slot(relation.property))
      if before == after { continue }
      for case .some(let row) in [before, after] {
        run.note(relation.home, row.number)
        noteCounted(LinkKey(map: relation.target, row: row.number, property: 0), relation.inverse, run: run)
        noteJoined(relation, [row.number], run: run)
        if relation.isOneToOne {
          let partner = LinkKey(map: relation.home, row: row.number, property: 0)
          run.parted.append(partner)
          noteLoose(partner, run)
        }
      }
    }
  }

  /// Records a relationship with bounds that a write of its other side changed.
  ///
  /// Objects that were changed here are counted in any case (``count(_:)``). This is for rows that no
  /// object of this context changed.
  func noteCounted(_ row: LinkKey, _ property: Int?, run: SaveRun) {
    guard let property, store.countedRelations[row.map].contains(where: { $0.property == property }) else { return }
    run.left.append(LinkKey(map: row.map, row: row.row, property: property))
  }

  /// Records rows with a `validate` that a merge or another context gave other related rows than their
  /// objects know.
  func noteJoined(_ relation: Relation, _ rows: some Sequence<UInt64>, run: SaveRun) {
    guard relation.inverse != nil, store.judgedHomes.contains(relation.home), store.backing == nil else { return }
    for row in rows { run.mixed.insert(LinkKey(map: relation.home, row: row, property: 0)) }
  }

  /// The row that a reference refers to by its slot.
  func leads(_ object: any _ModelObject, _ relation: Relation) -> UInt64? {
    let slot = object.one(relation.property)
    let row = slot.object.map { links.model($0, relation)._$state.row } ?? slot.row
    return RowNumber.leads(row) ? row : nil
  }

  private enum Loss {
    case nothing
    case refused(GraphFault)
  }

  /// The treatment of a reference whose target does not exist; nil if it exists.
  private func loss(_ object: any _ModelObject, _ relation: Relation, row: UInt64, run: SaveRun) throws -> Loss? {
    let target = store.maps[relation.target]
    let known = objects.registered(target, RowID(row))?._$state.flags ?? []
    let isDeleted =
      (known.contains(.deleted) && !known.contains(.gone))
      || links.isDoomed(relation.home, row)
    if isDeleted {
      // If the row exists, the deletion clears the reference.
      guard object._$state.flags.contains(.inserted) else {
        return try run.writer.contains(RowID(row), target.entity.id) ? nil : .nothing
      }
      let inverse = relation.inverse.flatMap { store.relations[relation.target][$0] }
      guard let inverse, inverse.deleteRule == .deny else { return .nothing }
      return .refused(
        GraphFault(
          .denied,
          "it cannot be deleted while it references \(objects.name(object)): delete that too, or remove it from the relationship first",
          name: ObjectName(target.type.name, row), property: target.type.propertyName(inverse.property),
          others: [objects.name(object)])
      )
    }
    // An object that was never stored can be dropped without a check.
    if known.contains(.inserted) { return known.contains(.deleted) ? .nothing : nil }
    if run.news == nil, !changes.mayDangle { return nil }
    if try run.writer.contains(RowID(row), target.entity.id) { return nil }
    let inverse = relation.inverse.flatMap { store.relations[relation.target][$0] }
    if inverse?.deleteRule == .cascade, mergePolicy != .storeWins {
      let property = type(of: object)._$type.propertyName(relation.property)
      return .refused(
        GraphFault.orphan(objects.name(object), property, of: ObjectName(target.type.name, row), policy: mergePolicy))
    }
    if mergePolicy != .error { return .nothing }
    return .refused(
      GraphFault(
        .conflict, "another context deleted \(target.type.name) \(row), which it references here",
        name: objects.name(object), property: type(of: object)._$type.propertyName(relation.property),
        others: [ObjectName(target.type.name, row)]))
  }

  /// Resolves relationships that are their own inverse, if two contexts gave an object two
  /// partners: one of them loses it. Other one-to-one relationships are parted when their rows are
  /// written (``parting(_:_:_:_:_:waits:refused:)``).
  func partSingles(_ run: SaveRun) throws {
    if !run.isShared || !store.hasMutualSingles { return }
    // With that policy the save has already thrown, because both contexts changed the partner.
    if mergePolicy == .error, run.decisions.isEmpty { return }
    for object in changes.changed + changes.inserted {
      let flags = object._$state.flags
      guard flags.isPending, !flags.contains(.deleted), let origin = object._$state.origin as? RowOrigin,
        !run.vanished.contains(LinkKey(object, origin))
      else { continue }
      for case .some(let relation) in store.relations[origin.map.number]
      where relation.isOwnInverse && !relation.isList && run.writes(object, relation.property) {
        try partMutual(object, origin, relation: relation, run: run)
      }
    }
  }

  private func partMutual(
    _ object: any _ModelObject, _ origin: RowOrigin, relation: Relation, run: SaveRun
  ) throws {
    guard plannedPartner(object, relation, origin: origin, run: run) == nil,
      let side = run.writer.catalog.relationship(relation.way.id)
    else { return }
    do {
      try run.writer.agree(mutual: side, of: RowID(run.row(origin.map.home, object._$state.row))) { _ in
        mergePolicy == .storeWins && run.decisions.isEmpty
      } changed: { row in
        run.note(origin.map.home, row.number)
        run.parted.append(LinkKey(map: origin.map.home, row: row.number, property: 0))
        noteCounted(LinkKey(map: origin.map.number, row: row.number, property: 0), relation.property, run: run)
      }
    } catch let fault as RecordFault { run.refuse(refusal(fault, object, run: run)) }
  }
}
