internal import RoostRecords

/// Calls `validate` of the objects that a save changes.
///
/// A save changes the unsaved objects. It also changes stored objects that are related to a deleted
/// object: they lose a reference, or a member of a list. The calls run code of the program before
/// the save takes the writer's lock. That code may change, insert and delete objects, so there are
/// rounds: each round calls new objects, and objects whose values changed in the round before. A
/// round that changes nothing is the last.
extension Saver {
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

  /// Calls `validate` of all objects that these saves change, and keeps the errors for the following
  /// attempts.
  static func judge(_ savers: [Saver]) throws {
    let judging = savers.filter { $0.store.hasJudges && $0.validates }
    if judging.isEmpty { return }
    for saver in judging where saver.isJudging {
      throw GraphFault(.conflict, "validate(_:) called save(): it runs within a save, so let it only read models")
    }
    for saver in judging { saver.beginJudging() }
    /// False for an object that changed after its call.
    var known: [Judged: Bool] = [:]
    defer {
      for one in known.keys { one.object._$state.flags.remove(.judged) }
      for saver in judging { saver.endJudging() }
    }
    var last: ObjectName?
    for _ in 0..<mostRounds {
      last = nil
      for saver in judging {
        for one in try saver.waitingForJudge() where known[one] != true {
          known[one] = true
          last = saver.objects.name(one.object)
          saver.judgeNow(one)
        }
      }
      for saver in judging {
        for object in saver.takeChanged() {
          last = saver.objects.name(object)
          for change in ObjectChange.allCases {
            let one = Judged(object, change)
            if known[one] != nil { known[one] = false }
          }
        }
      }
      if last == nil { return }
    }
    throw endless(last)
  }

  static var mostRounds: Int { 100 }

  /// The error of a `validate` that changes models in each round.
  static func endless(_ last: ObjectName?) -> SaveRefusal {
    SaveRefusal(faults: [
      GraphFault(
        .invalid,
        "validate(_:) still changed, inserted or deleted models after \(mostRounds) rounds: let it only read models",
        entity: last?.entity, row: last?.row)
    ])
  }

  private func beginJudging() {
    links.settle()
    (isJudging, judged, neighbours) = (true, [], [])
    writes = JudgedWrites(self)
    changes.judgedWrites = writes
  }

  private func endJudging() {
    isJudging = false
    (changes.judgedWrites, writes) = (nil, nil)
  }

  /// Calls `validate` of one object, and replaces its earlier errors.
  private func judgeNow(_ one: Judged) {
    let object = ObjectIdentifier(one.object)
    if !judged.isEmpty { judged.removeAll { $0.object == object } }
    let faults = judge(one.object, one.change, name: objects.name(one.object))
    for fault in faults.prefix(SaveRun.mostFaults) { judged.append((object, fault)) }
  }

  /// The objects whose values and relationships the last round changed.
  private func takeChanged() -> [any _ModelObject] {
    links.settle()
    return writes?.takeChanged() ?? []
  }

  /// An object and the reason of its call. It keeps the object, so that no other object gets its
  /// address.
  private struct Judged: Hashable {
    let object: any _ModelObject
    let change: ObjectChange

    init(_ object: any _ModelObject, _ change: ObjectChange) { (self.object, self.change) = (object, change) }

    static func == (one: Judged, other: Judged) -> Bool { one.object === other.object && one.change == other.change }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(object)) }
  }

  /// The objects with a `validate` that the save would change now. From here on their setters tell
  /// ``JudgedWrites`` of each change. A copy, because `validate` may change all lists.
  private func waitingForJudge() throws -> [Judged] {
    var found: [Judged] = []
    func add(_ objects: [any _ModelObject], _ change: ObjectChange) {
      for object in objects where type(of: object)._$type.judge != nil {
        object._$state.flags.insert(.judged)
        found.append(Judged(object, change))
      }
    }
    add(changes.insertedObjects, .insert)
    add(changes.changedObjects, .update)
    let deleted = changes.deletedObjects
    add(deleted, .delete)
    if !deleted.isEmpty { add(try findNeighbours(deleted), .update) }
    return found
  }

  // MARK: Neighbours

  /// The stored objects that a deletion changes and that have no unsaved changes themselves: their
  /// references become nil, or their lists lose a member. Only objects with a `validate`, each once.
  func findNeighbours(_ deleted: [any _ModelObject]) throws -> [any _ModelObject] {
    var keys: [(key: LinkKey, map: Int)] = deleted.compactMap { object in
      (object._$state.origin as? RowOrigin).map { (LinkKey(object, $0), $0.map.number) }
    }
    for key in links.deletions.doomed { keys.append((key, objects.map(of: key).number)) }
    keys.removeAll { !hasJudgedNeighbours($0.map) }
    if keys.isEmpty { return [] }
    try loadBacking?(keys.map { (store.maps[$0.map], $0.key.row) }, true)
    var found: [any _ModelObject] = []
    neighbours = []
    for (key, number) in keys {
      for case .some(let relation) in store.relations[number] where isNeighbourJudged(relation) {
        for row in try links.stored(key, relation) {
          if let one = try neighbour(row, relation.target) { found.append(one) }
        }
      }
      for way in store.oneWayLists(to: store.maps[number]) where store.judgedHomes.contains(way.owner) {
        for row in try links.owners(of: key, way) {
          if let one = try neighbour(row, way.owner) { found.append(one) }
        }
      }
    }
    return found
  }

  func hasJudgedNeighbours(_ map: Int) -> Bool {
    store.relations[map].contains { $0.map(isNeighbourJudged) ?? false }
      || store.oneWayLists(to: store.maps[map]).contains { store.judgedHomes.contains($0.owner) }
  }

  /// Whether the deletion of an object changes the objects at the other side of its relationship, and
  /// these have a `validate`.
  func isNeighbourJudged(_ relation: Relation) -> Bool {
    guard relation.inverse != nil, store.judgedHomes.contains(relation.home) else { return false }
    if relation.deleteRule != .noAction || relation.isByLinks { return true }
    // The reference goes with the row, so the other side's list loses it.
    if case .reference = relation.way { return true } else { return false }
  }

  /// The object of a row, if it has no unsaved changes and was not found before.
  private func neighbour(_ row: UInt64, _ number: Int) throws -> (any _ModelObject)? {
    let key = LinkKey(map: store.maps[number].home, row: row, property: 0)
    if neighbours.contains(key) { return nil }
    guard let object = try links.live(number, row), type(of: object)._$type.judge != nil,
      !object._$state.flags.isPending
    else { return nil }
    neighbours.insert(key)
    return object
  }
}
