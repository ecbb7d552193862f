internal import RoostFile
internal import RoostRecords

/// Merges objects whose unique values a row has already, and calls the closures of unique policies.
extension BatchInsertion {
  /// Merges an object into the row that has its unique values, as the policy says; throws if that
  /// is not allowed. Returns false if all is done, because the object brought others along.
  func mergeAlone(
    _ object: any _ModelObject, _ place: Place, first: RowID, fault: RecordFault
  ) throws -> Bool {
    var row = first
    var turns = 0
    while true {
      let decision = try decide(object, place, row: row) { refusal(fault, object) }
      // The closure may have changed either of the two.
      if decision.isAsked {
        if try !isAlone(object, place) {
          try addWithOthers(object, decided: (row, decision))
          return false
        }
        try judge(object, place)
        try encode(object, place)
        guard let now = try place.table.row(like: &place.box.sink.builder, in: place.uniques) else {
          try encode(object, place)
          do {
            let new = try place.table.insert(&place.box.sink.builder)
            book.add(object, new.number)
            run.inserted.append(place.map.number, new)
          } catch let fault as RecordFault { throw refusal(fault, object) }
          return true
        }
        if now != row {
          try checkTurn(&turns, object)
          guard bulk.saver.isAlike(RowName(place.map.entity.id, now), place.map, writer: run.writer) else {
            throw refusal(fault, object)
          }
          row = now
          continue
        }
      }
      try encode(object, place)
      let known = (decision.policy, decision.name)
      book.add(object, try merge(object, place, into: row, policy: known).number)
      book.note(object, known)
      return true
    }
  }

  /// Throws if a closure gives an object another object's values 100 times.
  func checkTurn(_ turns: inout Int, _ object: any _ModelObject) throws {
    turns += 1
    if turns < 100 { return }
    throw GraphFault(
      .conflict,
      "the closure of the unique policy gave it the unique values of another object 100 times: give it an unused value",
      name: bulk.objects.name(object))
  }

  /// The decision about an object.
  struct Decision {
    var policy: UniquePolicy
    var name: String
    /// Whether a closure was called, which may have changed anything.
    var isAsked = false
  }

  /// Decides about an object whose unique values a row has. Changes that a closure makes to the
  /// row's object are written.
  func decide(
    _ object: any _ModelObject, _ place: Place, row: RowID, refusal: () -> GraphFault
  ) throws -> Decision {
    var decision = Decision(policy: bulk.saver.uniquePolicy(of: place.map), name: "")
    decision.name = decision.policy.name(place.map.type)
    if case .asks(let choose) = decision.policy {
      decision.isAsked = true
      let scratches = Scratches(bulk, place.table, map: place.map)
      var isChanged = false
      let choice = try scratches.visit(row) { scratch, stored in
        let choice = try choose(object, scratch.object)
        isChanged = try take(scratch, stored, place: place)
        return choice
      }
      if isChanged { try write(row, place) }
      decision.policy = .always(choice ?? .refuse)
    }
    if case .always(.refuse) = decision.policy { throw SaveRefusal(faults: [refusal()]) }
    return decision
  }

  /// Puts a row with the closure's changes into its box; returns false if there are none.
  private func take(_ scratch: Scratch, _ row: Row, place: Place) throws -> Bool {
    if scratch.changed == 0 || scratch.failure != nil { return false }
    let box = place.box
    let name = ObjectName(place.map.type.name, row.id.number)
    scratch.object.computeDerived(place.map.type)
    let refused = bulk.saver.judge(scratch.object, .update, name: name)
    scratch.object.computeDerived(place.map.type)
    box.sink.builder.load(admitted: row.bytes)
    box.sink.failure = nil
    try noteLeads(row.id, scratch.changed, place: place)
    scratch.object._$encode(only: scratch.changed, into: &box.sink)
    if let failure = box.sink.failure {
      throw SaveRefusal(faults: [bulk.saver.refusal(failure, name, writer: run.writer)])
    }
    let faults = refused + bulk.saver.breaches(box, place.map, mask: scratch.changed, name: name)
    if !faults.isEmpty { throw SaveRefusal(faults: faults) }
    try noteLeads(row.id, scratch.changed, place: place)
    return true
  }

  /// Records the new targets of the references in the box.
  private func noteLeads(_ row: RowID, _ changed: UInt64, place: Place) throws {
    let key = LinkKey(map: place.map.number, row: row.number, property: 0)
    for relation in place.relations where changed & _ModelState.bit(relation.property) != 0 {
      guard case .reference = relation.way else { continue }
      let slot = try place.table.slot(place.map.type.fieldName(relation.property))
      bulk.noteLead(relation, from: key, to: place.box.sink.builder.reference(slot), run)
    }
  }

  private func write(_ row: RowID, _ place: Place) throws {
    do { try place.table.replace(row, with: &place.box.sink.builder) } catch let fault as RecordFault {
      throw SaveRefusal(faults: [
        bulk.saver.refusal(fault, ObjectName(place.map.type.name, row.number), writer: run.writer)
      ])
    }
    run.note(changed: row.number, place.map.home)
  }

  /// Merges the row in the box, which is the object's, into a stored row.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - place: the place of its class.
  ///   - row: the stored row.
  ///   - policy: the unique policy and its name.
  ///   - group: the objects that are written with it; one of them may be a partner of another row.
  func merge(
    _ object: any _ModelObject, _ place: Place, into row: RowID, policy: (policy: UniquePolicy, name: String),
    group: Group? = nil
  ) throws -> RowID {
    let wanted = try place.relations.filter { relation in
      guard case .reference = relation.way else { return false }
      let slot = try place.table.slot(place.map.type.fieldName(relation.property))
      return place.box.sink.builder.reference(slot) != nil
    }
    let before = try bulk.saver.keepReferences(of: row, place.map, place.box, table: place.table)?.before ?? []
    var found: Saver.MergedRow?
    try parting(object, place, group: group) {
      found = try bulk.saver.mergeRow(object, place.map, policy: policy.policy, box: place.box, table: place.table)
    } staysAlone: {
      // It keeps its partner.
      try bulk.saver.keepReferences(of: row, place.map, place.box, table: place.table)
    }
    guard let merged = found else { return row }
    let id = RowID(merged.row)
    if merged.isNew {
      // A closure gave it other values.
      run.inserted.append(place.map.number, id)
      return id
    }
    run.note(changed: merged.row, place.map.home)
    if merged.choice != .keepExisting {
      let faults = try bulk.saver.settleMixed(id, place.map, writer: run.writer)
      if !faults.isEmpty { throw SaveRefusal(faults: faults) }
      if place.map.type.judge != nil {
        run.neighbours.insert(LinkKey(map: place.map.home, row: merged.row, property: 0))
      }
    }
    for relation in wanted
    where try bulk.saver.takes(
      object, place.map, policy: policy.policy, row: id, property: relation.property, table: place.table)
    {
      noteSaid(LinkKey(map: place.map.home, row: merged.row, property: relation.property))
    }
    let references = place.relations.filter { if case .reference = $0.way { true } else { false } }
    for (relation, former) in zip(references, before) {
      guard let former else { continue }
      run.note(owner: former.number, relation.home)
      // The list that it left may have bounds.
      let slot = try place.table.slot(place.map.type.fieldName(relation.property))
      if try place.table.reference(slot, of: id) == former { continue }
      bulk.noteLead(
        relation, from: LinkKey(map: place.map.number, row: id.number, property: 0), to: former, run)
    }
    let known = ObjectName(place.map.type.name, merged.row)
    run.noteMerge(
      SaveOutcome.Merge(
        inserted: known, existing: known, choice: merged.choice, policy: policy.name, fields: merged.fields))
    return id
  }
}
