internal import RoostFile
internal import RoostRecords

/// Writing a group of objects that lead to each other.
extension BatchInsertion {
  /// Puts an object's row into its box, with the references that others say.
  func put(_ object: any _ModelObject, _ place: Place, group: Group) throws {
    if object._$state.origin != nil {
      throw GraphFault(
        .conflict,
        "the closure of the unique policy inserted it into a context: do not insert objects of the batch there",
        name: bulk.objects.name(object))
    }
    place.box.sink.clear()
    if bulk.store.computes { object.computeDerived(place.map.type) }
    object._$encode(only: .max, into: &place.box.sink)
    for (property, owner) in group.owed[ObjectIdentifier(object)] ?? [] {
      let slot = try place.table.slot(place.map.type.fieldName(property))
      place.box.sink.builder.set(slot, reference: RowID(owner._$state.row))
    }
    if let failure = place.box.sink.failure { throw refusal(failure, object) }
    try check(object, place)
  }

  func write(_ object: any _ModelObject, _ place: Place, group: Group) throws {
    try put(object, place, group: group)
    #if DEBUG
      let faults = bulk.saver.readBack(object, place.map, box: place.box)
      if !faults.isEmpty { throw SaveRefusal(faults: faults) }
    #endif
    if let policy = book.merged[ObjectIdentifier(object)] {
      object._$state.row = try merge(object, place, into: RowID(object._$state.row), policy: policy, group: group)
        .number
    } else {
      let row = RowID(object._$state.row)
      try parting(object, place, group: group) { try place.table.insert(&place.box.sink.builder, as: row) }
      run.inserted.append(place.map.number, row)
    }
    noteLeads(object, place, row: RowID(object._$state.row))
  }

  /// Writes the row in the box. If an object that it references has another partner, the row is written again: without that former
  /// partner, or without the reference.
  ///
  /// - Parameter staysAlone: called after the reference was cleared.
  func parting(
    _ object: any _ModelObject, _ place: Place, group: Group?, write: () throws -> Void,
    staysAlone: () throws -> Void = {}
  ) throws {
    // Each turn parts it from the partner of another relationship.
    var left = place.relations.count
    while true {
      do { return try write() } catch let fault as RecordFault {
        let outcome = try part(fault, object, map: place.map) {
          partner(of: object, $0, group)
        } clear: {
          place.box.sink.builder.setNull($0)
          try staysAlone()
        }
        guard left > 0, outcome == .parted else { throw refusal(fault, object) }
        left -= 1
      }
    }
  }

  /// Writes the row of an image; the image always takes the partner that it names.
  @discardableResult
  func parting<Result>(_ map: EntityMap, _ write: () throws -> Result) throws -> Result {
    while true {
      do { return try write() } catch let fault as RecordFault {
        guard try part(fault, nil, map: map) == .parted else { throw fault }
      }
    }
  }

  /// Whom an object leads to, by itself or because the other one says so.
  func partner(of object: any _ModelObject, _ relation: Relation, _ group: Group?) -> (any _ModelObject)? {
    let owed = group?.owed[ObjectIdentifier(object)]?.last { $0.property == relation.property }
    return owed?.owner ?? object.one(relation.property).object.map { bulk.links.model($0, relation) }
  }

  /// Who has a partner from here on that two rows reference. A row takes it, as in a save; but where the partner became a stored row, its
  /// unique policy says whether that changes its partner.
  ///
  /// - Parameter owner: the object that a relationship of the written row references.
  func part(
    _ fault: RecordFault, _ object: (any _ModelObject)?, map: EntityMap,
    owner: (Relation) -> (any _ModelObject)? = { _ in nil }, clear: (RoostRecords.Slot) throws -> Void = { _ in }
  ) throws -> Partnership.Outcome {
    guard let relation = bulk.saver.partnership(fault, map) else { return .unchanged }
    return try run.writer.part(fault, of: map.entity.id) { one in
      let mayBeNil = map.type.mayBeNil(relation.property)
      guard let object, let owner = owner(relation), let decision = book.merged[ObjectIdentifier(owner)] else {
        return one.isOneToOne && mayBeNil ? .takes : nil
      }
      let place = try place(owner)
      guard mayBeNil else {
        throw SaveRefusal(faults: [
          GraphFault.needsPartner(
            bulk.objects.name(object), map.type.propertyName(relation.property),
            other: bulk.objects.name(one.former), target: ObjectName(place.map.type.name, one.target.number))
        ])
      }
      return try bulk.saver.takes(
        owner, place.map, policy: decision.policy, row: one.target, property: relation.inverse, table: place.table)
        ? .takes : .staysAlone
    } clear: {
      try clear($0)
    } changed: { one in
      bulk.noteChanged(one.former.row.number, map.home, run)
      bulk.noteLead(
        relation, from: LinkKey(map: map.number, row: one.former.row.number, property: 0), to: one.target, run)
    }
  }

  /// Where both sides of a relationship are one, whom a new object leads to leads back, and nobody else leads to either; unless that one
  /// became a row that keeps its partner. Those that are new on both sides agree already.
  func partMutual(_ group: Group) throws {
    if book.merged.isEmpty { return }
    for (number, object) in group.objects.enumerated() {
      let place = group.places[number]
      for relation in place.relations where relation.isOwnInverse && !relation.isList {
        try partMutual(object, place, relation: relation)
      }
    }
  }

  private func partMutual(_ object: any _ModelObject, _ place: Place, relation: Relation) throws {
    guard let side = run.writer.catalog.relationship(relation.way.id) else { return }
    try run.writer.agree(mutual: side, of: RowID(object._$state.row)) { other in
      guard let known = object.one(relation.property).object.map({ bulk.links.model($0, relation) }),
        let decision = book.merged[ObjectIdentifier(known)]
      else { return false }
      return try !bulk.saver.takes(
        known, place.map, policy: decision.policy, row: other, property: relation.property, table: place.table)
    } changed: { row in
      bulk.noteChanged(row.number, place.map.home, run)
      if relation.minimum == 0 { return }
      run.counted.insert(
        LinkKey(map: bulk.saver.declaring(place.map, relation), row: row.number, property: relation.property))
    }
  }

  // MARK: Those that are there

  /// Lets objects that are in already, or stored, lead to new ones.
  func move(_ group: Group) throws {
    for (member, property, owner) in group.moved {
      let map = try place(member).map
      guard let relation = bulk.store.relations[map.number][property] else { continue }
      let row = RowID(member._$state.row)
      // As in a save: what a new one says of the stored one that it becomes holds.
      if member._$state.origin != nil, said.contains(LinkKey(map: map.home, row: row.number, property: property)) {
        continue
      }
      let table = try run.writer.table(map.entity.id)
      let slot = try table.slot(map.type.fieldName(property))
      let key = LinkKey(map: map.number, row: row.number, property: 0)
      let former = try table.reference(slot, of: row)
      if former?.number == owner._$state.row { continue }
      // What became a row that keeps what it has does not go elsewhere.
      if let decision = book.merged[ObjectIdentifier(member)],
        try !bulk.saver.takes(member, map, policy: decision.policy, row: row, property: property, table: table)
      {
        continue
      }
      if let former { bulk.noteLead(relation, from: key, to: former, run) }
      do {
        if relation.isOwnInverse, let former {
          // The former partner leads nowhere from here on.
          try table.update(former) { builder in builder.setNull(slot) }
          bulk.noteChanged(former.number, map.home, run)
        }
        try lead(row, to: owner, table, slot: slot, member: member, map: map, relation: relation)
      } catch let fault as RecordFault {
        throw SaveRefusal(faults: [bulk.saver.refusal(fault, bulk.objects.name(member), writer: run.writer)])
      }
      bulk.noteChanged(row.number, map.home, run)
    }
  }

  private func lead(
    _ row: RowID, to owner: any _ModelObject, _ table: TableWriter, slot: RoostRecords.Slot,
    member: any _ModelObject, map: EntityMap, relation: Relation
  ) throws {
    func lead() throws { try table.update(row) { builder in builder.set(slot, reference: RowID(owner._$state.row)) } }
    do { try lead() } catch let fault as RecordFault {
      var staysAlone = false
      let outcome = try part(fault, member, map: map) { _ in
        owner
      } clear: { slot in
        try table.update(row) { builder in builder.setNull(slot) }
        staysAlone = true
      }
      guard outcome == .parted else { throw fault }
      if !staysAlone { try lead() }
    }
  }

  // MARK: Lists

  /// Writes a list: links, or the order of members whose rows say that they belong to it.
  func write(
    _ owner: any _ModelObject, _ relation: Relation, members: [any _ModelObject], group: Group
  ) throws {
    guard let side = run.writer.catalog.relationship(relation.way.id) else { return }
    let row = RowID(owner._$state.row)
    var came: [RowID] = []
    var seen: Set<UInt64> = []
    for member in members where seen.insert(member._$state.row).inserted { came.append(RowID(member._$state.row)) }
    let links = try run.writer.links(side)
    do {
      if try !isWritten(members, came, owner: owner, relation: relation, links: links, group: group) {
        let stored = try links.rows(of: row)
        let wanted = wanted(came, stored, relation: relation, isMerged: book.merged[ObjectIdentifier(owner)] != nil)
        if wanted != stored { try links.replace(wanted, of: row) }
      }
      if relation.isOwnInverse { for member in came { try links.append(row, to: member) } }
    } catch let fault as RecordFault { throw refusal(fault, owner) }
    if relation.isByLinks { bulk.noteList(relation, came, before: [], run: run) }
    for member in members where member._$state.origin != nil { run.note(owner: member._$state.row, relation.home) }
  }

  /// As a save has it: a new object's list begins with its own members; those that lead to it beside them follow. A stored one's list is
  /// added to.
  private func wanted(_ came: [RowID], _ stored: [RowID], relation: Relation, isMerged: Bool) -> [RowID] {
    let there = Set(stored)
    if relation.isByLinks {
      if isMerged { return stored + came.filter { !there.contains($0) } }
      let listed = Set(came)
      return came + stored.filter { !listed.contains($0) }
    }
    let here = came.filter { there.contains($0) }
    let listed = Set(here)
    let others = stored.filter { !listed.contains($0) }
    return isMerged ? others + here : here + others
  }

  /// Whether writing the members' rows brought the list to what it is: new ones alone, in their order.
  private func isWritten(
    _ members: [any _ModelObject], _ rows: [RowID], owner: any _ModelObject, relation: Relation,
    links: LinkWriter, group: Group
  ) throws -> Bool {
    if relation.isByLinks || book.merged[ObjectIdentifier(owner)] != nil { return false }
    if zip(rows, rows.dropFirst()).contains(where: { $0 > $1 }) { return false }
    guard members.allSatisfy({ group.contains($0) && book.merged[ObjectIdentifier($0)] == nil }) else { return false }
    return try links.count(of: RowID(owner._$state.row)) == rows.count
  }
}
