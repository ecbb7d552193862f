internal import RoostFile
internal import RoostRecords

/// Objects that bring others along: what one of a batch leads to, as far as no context has it, is inserted with it.
extension BatchInsertion {
  /// One object with those that it leads to, while they are written.
  private struct Group {
    var objects: [any _ModelObject] = []
    var places: [Place] = []
    /// References that others' lists say, by object.
    var owed: [ObjectIdentifier: [(property: Int, owner: any _ModelObject)]] = [:]
    /// References of stored objects that lead to one of these from here on.
    var moved: [(member: any _ModelObject, property: Int, owner: any _ModelObject)] = []
    var lists: [(owner: any _ModelObject, relation: Relation, members: [any _ModelObject])] = []
    /// Rows that objects become, and by what.
    var merged: [ObjectIdentifier: (policy: UniquePolicy, name: String)] = [:]
  }

  func addWithOthers(_ object: any _ModelObject) throws -> RowID {
    var group = Group()
    // They are in no context, so a row's number in them means nothing to anybody else.
    defer { for one in group.objects where one._$state.origin == nil { one._$state.row = 0 } }
    try collect(object, &group)
    for (place, one) in group.objects.enumerated() { try collectLinks(one, group.places[place], &group) }
    try findRows(&group)
    for (place, one) in group.objects.enumerated() { try write(one, group.places[place], group) }
    try move(group)
    for list in group.lists { try write(list.owner, list.relation, list.members, group) }
    if group.places.contains(where: \.isCounted) { try count() }
    return RowID(object._$state.row)
  }

  // MARK: Finding

  private func collect(_ object: any _ModelObject, _ group: inout Group) throws {
    var seen: Set<ObjectIdentifier> = []
    var waiting: [any _ModelObject] = [object]
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted, next._$state.origin == nil else { continue }
      if next._$state.flags.contains(.fresh) { next.settle() }
      let place = try place(next)
      group.objects.append(next)
      group.places.append(place)
      next._$state.row = try context.store.records.reserve(of: place.map.entity.id).number
      var collector = LinkCollector()
      next._$visit(&collector)
      waiting += collector.found.reversed()
    }
  }

  private func collectLinks(_ object: any _ModelObject, _ place: Place, _ group: inout Group) throws {
    for relation in place.relations {
      if relation.isList {
        let members = (object.many(relation.property).members ?? []).map { context.model($0, relation) }
        if members.isEmpty { continue }
        for member in members {
          if member._$state.origin != nil { try check(member, relation, of: object) }
          if !relation.isByLinks, let inverse = relation.inverse { owe(member, inverse, object, &group) }
        }
        group.lists.append((object, relation, members))
        continue
      }
      guard let other = object.one(relation.property).object.map({ context.model($0, relation) }) else { continue }
      if other._$state.origin != nil { try check(other, relation, of: object) }
      if case .found = relation.way, let inverse = relation.inverse {
        owe(other, inverse, object, &group)
      } else if relation.isOwnInverse, other !== object {
        owe(other, relation.property, object, &group)
      }
    }
  }

  private func owe(_ member: any _ModelObject, _ property: Int, _ owner: any _ModelObject, _ group: inout Group) {
    if member._$state.origin == nil {
      group.owed[ObjectIdentifier(member), default: []].append((property, owner))
    } else {
      group.moved.append((member, property, owner))
    }
  }

  // MARK: Rows that are there

  /// Finds the rows that have the objects' unique values, before any of them is written: the others must know where to lead.
  private func findRows(_ group: inout Group) throws {
    var isFound = true
    while isFound {
      isFound = false
      var first: [[Value]: any _ModelObject] = [:]
      for (at, one) in group.objects.enumerated() {
        let place = group.places[at]
        if place.uniques.isEmpty || group.merged[ObjectIdentifier(one)] != nil { continue }
        try put(one, place, group)
        let same = try sameAsBefore(one, place, &first)
        let row =
          try same.map { RowID($0._$state.row) } ?? place.table.row(like: &place.box.sink.builder, in: place.uniques)
        guard let row else { continue }
        let other = RowName(place.map.entity.id, row)
        if same == nil, !context.isAlike(other, place.map, run.writer) { continue }
        var policy = context.uniquePolicy(of: place.map)
        let name = policy.name(place.map.type)
        if let same, case .asks(let choose) = policy { policy = .always(try choose(one, same)) }
        if same == nil || isRefused(policy) {
          let decided = try decide(one, place, row) {
            GraphFault(
              .notUnique,
              "\(context.name(other)) has the same value already, and only one may have it: give one of them "
                + "another value", entity: place.map.type.name, others: [context.name(other)])
          }
          group.merged[ObjectIdentifier(one)] = decided
        } else {
          group.merged[ObjectIdentifier(one)] = (policy, name)
        }
        one._$state.row = row.number
        isFound = true
      }
    }
  }

  private func isRefused(_ policy: UniquePolicy) -> Bool { if case .always(.refuse) = policy { true } else { false } }

  /// The first object of the group that has the same unique values.
  private func sameAsBefore(
    _ one: any _ModelObject, _ place: Place, _ first: inout [[Value]: any _ModelObject]
  ) throws -> (any _ModelObject)? {
    let reading = try place.table.reading
    var found: (any _ModelObject)?
    for index in context.store.uniques(of: place.map) {
      let fields = index.parts.map(\.field)
      let values = try reading.values(fields, of: RowID(one._$state.row), in: place.box.sink.builder)
      if values.contains(.null) { continue }
      let key = [.uint(UInt64(index.id.number)), .uint(UInt64(place.map.home))] + values
      if let other = first[key], other !== one { found = found ?? other } else { first[key] = one }
    }
    return found
  }

  // MARK: Writing

  /// Puts an object's row into its box, with the references that others say.
  private func put(_ object: any _ModelObject, _ place: Place, _ group: Group) throws {
    if object._$state.origin != nil {
      throw GraphFault(
        .conflict, "whoever was asked about unique values inserted it by another way: leave that to the batch",
        context.name(object))
    }
    place.box.sink.clear()
    object._$encode(only: .max, into: &place.box.sink)
    for (property, owner) in group.owed[ObjectIdentifier(object)] ?? [] {
      let slot = try place.table.slot(place.map.type.fieldName(property))
      place.box.sink.builder.set(slot, reference: RowID(owner._$state.row))
    }
    if let failure = place.box.sink.failure { throw refusal(failure, object) }
  }

  private func write(_ object: any _ModelObject, _ place: Place, _ group: Group) throws {
    try put(object, place, group)
    #if DEBUG
      let faults = context.readBack(object, place.map, place.box)
      if !faults.isEmpty { throw SaveRefusal(faults: faults) }
    #endif
    if let policy = group.merged[ObjectIdentifier(object)] {
      object._$state.row = try merge(object, place, into: RowID(object._$state.row), policy).number
    } else {
      let row = RowID(object._$state.row)
      do { try place.table.insert(&place.box.sink.builder, as: row) } catch let fault as RecordFault {
        throw refusal(fault, object)
      }
      run.inserted.append(place.map.number, row)
    }
    noteLeads(object, place, RowID(object._$state.row))
  }

  /// Lets stored objects lead to new ones.
  private func move(_ group: Group) throws {
    for (member, property, owner) in group.moved {
      guard let map = member.entityMap, let relation = context.store.relations[map.number][property] else { continue }
      let row = RowID(member._$state.row)
      let table = try run.writer.table(map.entity.id)
      let slot = try table.slot(map.type.fieldName(property))
      let key = LinkKey(map: map.number, row: row.number, property: 0)
      if let former = try table.reference(slot, of: row) { context.noteLead(relation, from: key, to: former, run) }
      do {
        if relation.isOwnInverse, let former = try table.reference(slot, of: row), former.number != owner._$state.row {
          // The former partner leads nowhere from here on.
          try table.update(former) { builder in builder.setNull(slot) }
          run.note(changed: former.number, map.home)
        }
        try table.update(row) { builder in builder.set(slot, reference: RowID(owner._$state.row)) }
      } catch let fault as RecordFault {
        throw SaveRefusal(faults: [context.refusal(fault, context.name(member), run.writer)])
      }
      run.note(changed: row.number, map.home)
    }
  }

  /// Writes a list: links, or the order of members whose rows say that they belong to it.
  private func write(
    _ owner: any _ModelObject, _ relation: Relation, _ members: [any _ModelObject], _ group: Group
  ) throws {
    guard let side = run.writer.catalog.relationship(relation.way.id) else { return }
    let row = RowID(owner._$state.row)
    var rows: [RowID] = []
    var seen: Set<UInt64> = []
    for member in members where seen.insert(member._$state.row).inserted { rows.append(RowID(member._$state.row)) }
    let links = try run.writer.links(side)
    do {
      if relation.isByLinks {
        for member in rows {
          try links.append(member, to: row)
          if relation.isOwnInverse { try links.append(row, to: member) }
        }
      } else if group.merged[ObjectIdentifier(owner)] == nil, zip(rows, rows.dropFirst()).contains(where: { $0 > $1 }) {
        try links.replace(rows, of: row)
      }
    } catch let fault as RecordFault { throw refusal(fault, owner) }
    for member in members where member._$state.origin != nil { run.note(owner: member._$state.row, relation.home) }
  }
}
