internal import RoostFile
internal import RoostRecords

/// Writes a group of objects that reference each other.
extension BatchInsertion {
  /// Puts an object's row into its box, including references that the lists of other objects set.
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

  /// Writes the row in the box. If an object that it references has another partner, the row is
  /// written again: without that former partner, or without the reference.
  ///
  /// - Parameters:
  ///   - object: the object of the row.
  ///   - place: the place of its class; its box contains the row.
  ///   - group: the objects that are written with it.
  ///   - write: writes the row.
  ///   - staysAlone: called after the reference was cleared.
  func parting(
    _ object: any _ModelObject, _ place: Place, group: Group?, write: () throws -> Void,
    staysAlone: () throws -> Void = {}
  ) throws {
    // Each round removes the partner of another relationship.
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

  /// Writes the row of an image. The image always gets the partner that it names.
  @discardableResult
  func parting<Result>(_ map: EntityMap, _ write: () throws -> Result) throws -> Result {
    while true {
      do { return try write() } catch let fault as RecordFault {
        guard try part(fault, nil, map: map) == .parted else { throw fault }
      }
    }
  }

  /// The object that a reference of `object` refers to, set by itself or by the other object's
  /// list.
  func partner(of object: any _ModelObject, _ relation: Relation, _ group: Group?) -> (any _ModelObject)? {
    let owed = group?.owed[ObjectIdentifier(object)]?.last { $0.property == relation.property }
    return owed?.owner ?? object.one(relation.property).object.map { bulk.links.model($0, relation) }
  }

  /// Decides which row keeps a partner that two rows reference. The written row gets it, as in a
  /// save. But if the partner was merged into a stored row, the unique policy decides whether that
  /// row changes its partner.
  ///
  /// - Parameters:
  ///   - fault: the error of the write.
  ///   - object: the object of the written row; nil for an image.
  ///   - map: the map of its class.
  ///   - owner: the object that a relationship of the written row references.
  ///   - clear: clears a reference of the written row.
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
      bulk.noteChanged(one.former.row.number, map.home, run: run)
      bulk.noteLead(
        relation, from: LinkKey(map: map.number, row: one.former.row.number, property: 0), to: one.target, run)
    }
  }

  /// Sets both sides of relationships that are their own inverse: the object that a new object
  /// references references it back, and no other row references either. An object that was merged
  /// into a row that keeps its partner is left out. Two new objects agree already.
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
      bulk.noteChanged(row.number, place.map.home, run: run)
      if relation.minimum == 0 { return }
      run.counted.insert(
        LinkKey(map: bulk.saver.declaring(place.map, relation), row: row.number, property: relation.property))
    }
  }

  // MARK: Existing rows

  /// Changes references of objects that are already inserted or stored, so that they refer to new
  /// objects.
  func move(_ group: Group) throws {
    for (member, property, owner) in group.moved {
      let map = try place(member).map
      guard let relation = bulk.store.relations[map.number][property] else { continue }
      let row = RowID(member._$state.row)
      // As in a save, the references of a new object override those of the stored row it was merged
      // into.
      if member._$state.origin != nil, said.contains(LinkKey(map: map.home, row: row.number, property: property)) {
        continue
      }
      let table = try run.writer.table(map.entity.id)
      let slot = try table.slot(map.type.fieldName(property))
      let key = LinkKey(map: map.number, row: row.number, property: 0)
      let former = try table.reference(slot, of: row)
      if former?.number == owner._$state.row { continue }
      // An object that was merged into a row that keeps its values does not change its reference.
      if let decision = book.merged[ObjectIdentifier(member)],
        try !bulk.saver.takes(member, map, policy: decision.policy, row: row, property: property, table: table)
      {
        continue
      }
      // A stored partner stays where it is if its new owner was merged into a row that keeps its values.
      if relation.isOneToOne, member._$state.origin != nil, let decision = book.merged[ObjectIdentifier(owner)] {
        let place = try place(owner)
        let kept = try !bulk.saver.takes(
          owner, place.map, policy: decision.policy, row: RowID(owner._$state.row), property: relation.inverse,
          table: place.table)
        if kept { continue }
      }
      if let former { bulk.noteLead(relation, from: key, to: former, run) }
      do {
        if relation.isOwnInverse, let former {
          // The former partner has no reference from here on.
          try table.update(former) { builder in builder.setNull(slot) }
          bulk.noteChanged(former.number, map.home, run: run)
        }
        try lead(row, to: owner, table, slot: slot, member: member, map: map, relation: relation)
      } catch let fault as RecordFault {
        throw SaveRefusal(faults: [bulk.saver.refusal(fault, bulk.objects.name(member), writer: run.writer)])
      }
      bulk.noteChanged(row.number, map.home, run: run)
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

  /// Writes a list: its links, or the order of the members whose rows reference the owner.
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

  /// The members of a list, as a save orders them. A new object's list begins with its own members;
  /// other rows that reference it follow. A stored object's list is extended.
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

  /// Whether the list is complete and in order because its members' rows were written: only new
  /// members, in their order.
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
