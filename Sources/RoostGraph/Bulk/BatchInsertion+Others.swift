internal import RoostFile
internal import RoostRecords

/// Inserts the objects that a batch's object references, unless they are inserted already or have a
/// context.
extension BatchInsertion {
  /// One object with those that it brings along, while they are written.
  struct Group {
    var objects: [any _ModelObject] = []
    var places: [Place] = []
    /// The index of each object in ``objects``.
    var numbers: [ObjectIdentifier: Int] = [:]
    /// References that the lists of other objects set, by object.
    var owed: [ObjectIdentifier: [(property: Int, owner: any _ModelObject)]] = [:]
    /// References of objects that are already inserted or stored, which will refer to an object of
    /// the group.
    var moved: [(member: any _ModelObject, property: Int, owner: any _ModelObject)] = []
    var lists: [(owner: any _ModelObject, relation: Relation, members: [any _ModelObject])] = []
    /// The objects that reference the owner of a list, by list of the group's objects.
    var joined: [ListName: [any _ModelObject]] = [:]
    /// How often a unique policy's closure was called for an object.
    var turns: [ObjectIdentifier: Int] = [:]

    struct ListName: Hashable {
      var owner: ObjectIdentifier
      var property: Int
    }

    func contains(_ object: any _ModelObject) -> Bool { numbers[ObjectIdentifier(object)] != nil }
  }

  /// - Parameters:
  ///   - object: the object to insert.
  ///   - decided: the row that the object will be merged into, if the unique policy decided that
  ///     already.
  func addWithOthers(_ object: any _ModelObject, decided: (row: RowID, decision: Decision)? = nil) throws {
    var group = Group()
    try collect(object, &group)
    // The object itself was validated before.
    if bulk.store.hasJudges {
      for (one, place) in zip(group.objects, group.places) where one !== object { try judge(one, place) }
    }
    if let decided, try isLike(object, group.places[0], row: decided.row, same: nil, group: group) {
      book.note(object, (decided.decision.policy, decided.decision.name))
      object._$state.row = decided.row.number
    }
    try findRows(&group)
    // As in a save, existing objects are moved first, because a merge may set the same references
    // differently.
    try move(group)
    for (number, one) in group.objects.enumerated() { try write(one, group.places[number], group: group) }
    try partMutual(group)
    for list in group.lists { try write(list.owner, list.relation, members: list.members, group: group) }
    // The first rows referenced rows that did not exist yet.
    try run.writer.forgetClosedReferences()
    for (one, place) in zip(group.objects, group.places) where book.merged[ObjectIdentifier(one)] == nil {
      noteArrival(RowID(one._$state.row), place)
    }
    if group.places.contains(where: { $0.isCounted || $0.hasJudgedNeighbours }) { try count() }
  }

  // MARK: Finding

  /// Whether an object has no row yet.
  private func isNew(_ object: any _ModelObject) -> Bool {
    object._$state.origin == nil && !book.contains(object)
  }

  /// Finds all objects that an object references, and the references that their lists set.
  private func collect(_ object: any _ModelObject, _ group: inout Group) throws {
    var waiting: [(object: any _ModelObject, before: Int?, link: Int)] = [(object, nil, 0)]
    var isFirst = true
    while let (next, before, link) = waiting.popLast() {
      // The object itself may be known already, and still reference others. It is examined once,
      // even if it references itself.
      guard isNew(next) || isFirst else { continue }
      let step = isFirst ? nil : book.step(from: before, by: link)
      isFirst = false
      if isNew(next) {
        if next._$state.flags.contains(.fresh) { next.settle() }
        let place = try place(next)
        group.numbers[ObjectIdentifier(next)] = group.objects.count
        group.objects.append(next)
        group.places.append(place)
        book.add(next, try bulk.store.records.reserve(of: place.map.entity.id).number, by: step)
      }
      var collector = LinkCollector()
      next._$visit(&collector)
      for (link, other) in collector.found.enumerated().reversed() { waiting.append((other, step, link)) }
    }
    (group.owed, group.moved, group.lists, group.joined) = ([:], [], [], [:])
    for (number, one) in group.objects.enumerated() { try collectLinks(one, group.places[number], group: &group) }
    finishLists(&group)
  }

  private func collectLinks(_ object: any _ModelObject, _ place: Place, group: inout Group) throws {
    for relation in place.relations {
      if relation.isList {
        let members = (object.many(relation.property).members ?? []).map { bulk.links.model($0, relation) }
        if members.isEmpty { continue }
        for member in members {
          if member._$state.origin != nil { try check(member, relation, of: object) }
          if relation.isByLinks, !relation.isOwnInverse { join(object, member, relation: relation, group: &group) }
          if !relation.isByLinks, let inverse = relation.inverse { owe(member, inverse, owner: object, group: &group) }
        }
        group.lists.append((object, relation, members))
        continue
      }
      guard let other = object.one(relation.property).object.map({ bulk.links.model($0, relation) }) else {
        continue
      }
      if other._$state.origin != nil { try check(other, relation, of: object) }
      if relation.isInverseList { join(object, other, relation: relation, group: &group) }
      if case .found = relation.way, let inverse = relation.inverse {
        owe(other, inverse, owner: object, group: &group)
      } else if relation.isOwnInverse, other !== object {
        owe(other, relation.property, owner: object, group: &group)
      }
    }
  }

  private func join(
    _ object: any _ModelObject, _ owner: any _ModelObject, relation: Relation, group: inout Group
  ) {
    guard let inverse = relation.inverse, group.contains(owner) else { return }
    group.joined[Group.ListName(owner: ObjectIdentifier(owner), property: inverse), default: []].append(object)
  }

  /// Appends the objects that reference an owner to the members that its list names, in the order
  /// of a save.
  private func finishLists(_ group: inout Group) {
    for place in group.lists.indices {
      let (owner, relation, members) = group.lists[place]
      let name = Group.ListName(owner: ObjectIdentifier(owner), property: relation.property)
      guard let joined = group.joined[name] else { continue }
      var known = Set(members.map { ObjectIdentifier($0) })
      for one in joined where known.insert(ObjectIdentifier(one)).inserted { group.lists[place].members.append(one) }
    }
    let numbers = group.numbers
    let homes = group.places.map(\.map.home)
    func key(_ list: (owner: any _ModelObject, relation: Relation, members: [any _ModelObject])) -> (Int, Int, Int) {
      let number = numbers[ObjectIdentifier(list.owner)] ?? 0
      return (homes[number], number, list.relation.property)
    }
    group.lists.sort { key($0) < key($1) }
  }

  private func owe(_ member: any _ModelObject, _ property: Int, owner: any _ModelObject, group: inout Group) {
    if group.contains(member) {
      group.owed[ObjectIdentifier(member), default: []].append((property, owner))
    } else {
      group.moved.append((member, property, owner))
    }
  }

  // MARK: Existing rows

  /// Finds the rows that have the objects' unique values, before any object is written, because the
  /// other objects must know which row to reference.
  private func findRows(_ group: inout Group) throws {
    var isFound = true
    while isFound {
      isFound = false
      var first: [[Value]: any _ModelObject] = [:]
      var number = 0
      // A unique policy's closure may add references to further objects.
      while number < group.objects.count {
        if try findRow(group.objects[number], group.places[number], first: &first, group: &group) { isFound = true }
        number += 1
      }
    }
  }

  /// Returns false if the object has no row to merge into, or was decided before.
  private func findRow(
    _ one: any _ModelObject, _ place: Place, first: inout [[Value]: any _ModelObject], group: inout Group
  ) throws -> Bool {
    let name = ObjectIdentifier(one)
    if place.uniques.isEmpty || book.merged[name] != nil { return false }
    try put(one, place, group: group)
    let same = try sameAsBefore(one, place, first: &first)
    let row =
      try same.map { RowID($0._$state.row) } ?? place.table.row(like: &place.box.sink.builder, in: place.uniques)
    guard let row else { return false }
    let other = RowName(place.map.entity.id, row)
    if same == nil, !bulk.saver.isAlike(other, place.map, writer: run.writer) { return false }
    func refusal() -> GraphFault {
      GraphFault(
        .notUnique,
        "\(bulk.objects.name(other)) already has this unique value: give one of them another value",
        entity: place.map.type.name, others: [bulk.objects.name(other)])
    }
    let decision: Decision
    if let same, book.merged[ObjectIdentifier(same)] == nil {
      decision = try decide(one, place, beside: same, refusal: refusal)
    } else {
      decision = try decide(one, place, row: row, refusal: refusal)
    }
    if decision.isAsked {
      try checkTurn(&group.turns[name, default: 0], one)
      try collect(one, &group)
      if let same { try collect(same, &group) }
      try judge(one, place)
      if let same { try judge(same, place) }
      // It may have other values or references now.
      if try !isLike(one, place, row: row, same: same, group: group) {
        first = [:]
        return true
      }
    }
    book.note(one, (decision.policy, decision.name))
    one._$state.row = row.number
    return true
  }

  /// Decides about an object that has the unique values of another object of the group.
  private func decide(
    _ one: any _ModelObject, _ place: Place, beside same: any _ModelObject, refusal: () -> GraphFault
  ) throws -> Decision {
    var decision = Decision(policy: bulk.saver.uniquePolicy(of: place.map), name: "")
    decision.name = decision.policy.name(place.map.type)
    if case .asks(let choose) = decision.policy {
      decision.isAsked = true
      decision.policy = .always(try choose(one, same))
    }
    if case .always(.refuse) = decision.policy { throw SaveRefusal(faults: [refusal()]) }
    return decision
  }

  /// Whether an object still has the unique values of a row, or of an object that will be written
  /// as that row.
  private func isLike(
    _ one: any _ModelObject, _ place: Place, row: RowID, same: (any _ModelObject)?, group: Group
  ) throws -> Bool {
    try put(one, place, group: group)
    guard let same, book.merged[ObjectIdentifier(same)] == nil else {
      return try place.table.row(like: &place.box.sink.builder, in: place.uniques) == row
    }
    let own = try uniqueKeys(place)
    try put(same, place, group: group)
    return try !Set(own).isDisjoint(with: uniqueKeys(place))
  }

  /// The first object of the group that has the same unique values.
  private func sameAsBefore(
    _ one: any _ModelObject, _ place: Place, first: inout [[Value]: any _ModelObject]
  ) throws -> (any _ModelObject)? {
    var found: (any _ModelObject)?
    for key in try uniqueKeys(place) {
      if let other = first[key], other !== one { found = found ?? other } else { first[key] = one }
    }
    return found
  }

  /// The unique values of the object whose row is in the box, each with its index and class.
  private func uniqueKeys(_ place: Place) throws -> [[Value]] {
    let reading = try place.table.reading
    return try bulk.store.uniques(of: place.map).compactMap { index in
      let fields = index.fields.sorted()
      let known = try reading.values(fields, of: RowID(0), in: place.box.sink.builder)
      guard let values = index.uniqueValues(Dictionary(zip(fields, known)) { first, _ in first }) else { return nil }
      return [.uint(UInt64(index.id.number)), .uint(UInt64(place.map.home))] + values
    }
  }
}
