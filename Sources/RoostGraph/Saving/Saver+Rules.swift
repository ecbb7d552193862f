internal import RoostRecords

/// Checks rules for values, and finds what a save would refuse of an object.
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
    guard let check = store.checks[map.number], validates else { return }
    let later = store.chainedBits[map.number] & check.bits
    if later != 0, !keepsStored(object, run) {
      run.chained.insert(RowName(map.entity.id, RowID(run.row(map.home, object._$state.row))))
    }
    breaches(box, map, mask: mask & ~later, name: objects.name(object)).forEach(run.refuse)
  }

  /// Whether a new object is merged into a row that stays as it is.
  private func keepsStored(_ object: any _ModelObject, _ run: SaveRun) -> Bool {
    guard !run.decisions.isEmpty, let origin = object._$state.origin as? RowOrigin,
      case .always(.keepExisting)? = run.decisions[LinkKey(object, origin)]?.policy
    else { return false }
    return true
  }

  func fault(_ breach: RuleCheck.Breach, _ map: EntityMap, name: ObjectName) -> GraphFault {
    var fault = GraphFault(.invalid, breach.detail, name: name, property: map.type.propertyName(breach.property))
    fault.breach = RuleBreach(rule: breach.rule, value: breach.value.brief)
    return fault
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
