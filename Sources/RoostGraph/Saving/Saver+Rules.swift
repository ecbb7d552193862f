internal import RoostRecords

/// Checks rules for values and calls objects' `validate`.
extension Saver {
  /// Whether the changes of this context are the program's. Rows that were fetched into a working
  /// set are not validated.
  var validates: Bool { store.backing == nil || saveBacking != nil }

  /// The errors of rules that the row in a box breaks.
  ///
  /// - Parameters:
  ///   - box: contains the row.
  ///   - map: the map of its class.
  ///   - mask: the properties that are written; the others are as they were stored.
  ///   - name: the name of the object.
  func breaches(_ box: SinkBox, _ map: EntityMap, mask: UInt64, name: ObjectName) -> [GraphFault] {
    guard let check = store.checks[map.number] else { return [] }
    return check.breaches(box.sink.builder, mask, matches: matches).map { fault($0, map, name: name) }
  }

  /// Matches the texts that a save is about to write with their patterns, before the save takes the
  /// writer's lock.
  func matchPatterns() {
    if !store.hasPatterns || !validates { return }
    for object in changes.changed + changes.inserted {
      let flags = object._$state.flags
      guard flags.isDisjoint(with: [.deleted, .gone]), let map = object.entityMap,
        let check = store.checks[map.number]
      else { continue }
      let mask = flags.contains(.inserted) ? check.patternBits : check.patternBits & object._$state.changed
      if mask == 0 { continue }
      let box = sink(map)
      box.sink.clear()
      objects.makeValues(object, mask)
      object._$encode(only: mask, into: &box.sink)
      // A value that cannot be stored causes an error when it is written.
      if box.sink.failure == nil { check.note(box.sink.builder, mask, in: matches) }
    }
  }

  /// Records the rules that the row of an object breaks. The row is still written, so that the save
  /// finds all errors before it ends.
  func check(_ object: any _ModelObject, _ map: EntityMap, box: SinkBox, mask: UInt64, run: SaveRun) {
    guard store.checks[map.number] != nil, validates else { return }
    breaches(box, map, mask: mask, name: objects.name(object)).forEach(run.refuse)
  }

  func fault(_ breach: RuleCheck.Breach, _ map: EntityMap, name: ObjectName) -> GraphFault {
    var fault = GraphFault(.invalid, breach.detail, name: name, property: map.type.propertyName(breach.property))
    fault.breach = RuleBreach(rule: breach.rule, value: breach.value.brief)
    return fault
  }

  // MARK: `validate`

  /// The errors of an object's own `validate`. It runs code of the program.
  func judge(_ object: any _ModelObject, _ change: ObjectChange, name: ObjectName) -> [GraphFault] {
    let type = type(of: object)._$type
    guard let judge = type.judge, !isFilling else { return [] }
    if change != .delete { object.computeDerived(type) }
    return judge(object, change).map { own in
      var fault = GraphFault(.invalid, own.detail, name: name, property: own.property)
      fault.breach = RuleBreach(cause: own.cause)
      return fault
    }
  }

  /// Calls `validate` of all unsaved objects and keeps the errors for the following attempts.
  ///
  /// The program's code may insert, change and delete objects meanwhile; those are validated in
  /// further rounds.
  static func judge(_ savers: [Saver]) throws {
    let judging = savers.filter { $0.store.hasJudges && $0.validates }
    if judging.isEmpty { return }
    for saver in judging where saver.isJudging {
      throw GraphFault(.conflict, "validate(_:) called save(): it runs within a save, so let it only read models")
    }
    for saver in judging { (saver.isJudging, saver.judged) = (true, []) }
    defer { for saver in judging { saver.isJudging = false } }
    var known: Set<Judged> = []
    for _ in 0..<mostRounds {
      var isNew = false
      for saver in judging {
        saver.links.settle()
        for (object, change) in saver.pendingObjects where known.insert(Judged(object, change)).inserted {
          isNew = true
          let faults = saver.judge(object, change, name: saver.objects.name(object))
          saver.judged += faults.prefix(max(0, SaveRun.mostFaults - saver.judged.count))
        }
      }
      if !isNew { return }
    }
    throw GraphFault(
      .invalid,
      "validate(_:) inserted, changed or deleted further objects in each of \(mostRounds) rounds: let it "
        + "only read models")
  }

  private static var mostRounds: Int { 100 }

  /// The unsaved objects that have a `validate`. A copy, because that may change all lists.
  private var pendingObjects: [(object: any _ModelObject, change: ObjectChange)] {
    func own(_ objects: [any _ModelObject], _ change: ObjectChange) -> [(any _ModelObject, ObjectChange)] {
      objects.filter { type(of: $0)._$type.judge != nil }.map { ($0, change) }
    }
    return own(changes.insertedObjects, .insert) + own(changes.changedObjects, .update)
      + own(changes.deletedObjects, .delete)
  }

  /// An object that was validated, and for which change. It keeps the object alive, so that no
  /// other object gets its address.
  private struct Judged: Hashable {
    let object: any _ModelObject
    let change: ObjectChange

    init(_ object: any _ModelObject, _ change: ObjectChange) { (self.object, self.change) = (object, change) }

    static func == (one: Judged, other: Judged) -> Bool { one.object === other.object && one.change == other.change }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
  }

  // MARK: Before a save

  /// The errors that a save would throw for an object: rules, counts and its own `validate`. It
  /// writes nothing.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - changesOnly: whether to check only the properties that a save would write.
  func faults(of object: any _ModelObject, changesOnly: Bool = false) throws -> [GraphFault] {
    let origin = try objects.origin(of: object)
    let map = try objects.map(of: object)
    let name = objects.name(object)
    let flags = object._$state.flags
    if flags.contains(.deleted) {
      return flags.contains(.gone) ? [] : judge(object, .delete, name: name)
    }
    if flags.contains(.fresh) { object.settle() }
    if let origin {
      if flags.contains(.fault) { links.fetchValues(of: object, origin) }
      if object._$state.flags.contains(.fault) { objects.fill(object, origin) }
    }
    object.computeDerived(map.type)
    var faults: [GraphFault] = []
    if let check = store.checks[map.number] {
      objects.makeValues(object, check.bits)
      let box = sink(map)
      box.sink.clear()
      object._$encode(only: check.bits, into: &box.sink)
      if let failure = box.sink.failure { throw failure }
      let isPart = changesOnly && !flags.contains(.inserted)
      faults += breaches(box, map, mask: isPart ? object._$state.changed : .max, name: name)
    }
    for relation in store.countedRelations[map.number] {
      let count = try links.count(object, relation)
      if let fault = countFault(count, relation, name: name, map: map) { faults.append(fault) }
    }
    let isNew = object._$state.origin == nil || flags.contains(.inserted)
    return faults + judge(object, isNew ? .insert : .update, name: name)
  }

  /// All objects with unsaved changes.
  var pending: [any _ModelObject] { changes.insertedObjects + changes.changedObjects + changes.deletedObjects }

  func countFault(_ count: Int, _ relation: Relation, name: ObjectName, map: EntityMap) -> GraphFault? {
    let isFew = count < relation.minimum
    guard isFew || (relation.maximum > 0 && count > relation.maximum) else { return nil }
    let property = map.type.propertyName(relation.property)
    let message = store.countMessages[[map.type.owner(of: relation.property).name, property]]
    return GraphFault(
      .count,
      message
        ?? (isFew
          ? "it has \(count), and needs \(relation.minimum) at least: add some, or delete it"
          : "it has \(count), and may have \(relation.maximum) at most: remove some"),
      name: name,
      property: property)
  }
}

extension LinkGraph {
  /// The number of objects in a relationship, with unsaved changes.
  fileprivate func count(_ object: any _ModelObject, _ relation: Relation) throws -> Int {
    guard let origin = object._$state.origin as? RowOrigin else {
      if relation.isList { return object.many(relation.property).members?.count ?? 0 }
      return object.one(relation.property).isHolding ? 1 : 0
    }
    settle()
    return try rows(LinkKey(object, origin), object, relation: relation).count
  }
}
