internal import RoostRecords

/// Taking objects into the context with everything that they lead to.
extension GraphContext {
  /// Takes an object into the context, and those that it leads to; each gets its lasting row number here. One that is here
  /// already stays.
  package func insert(_ object: any _ModelObject) throws { try call(.inserting) { try insert(object, into: nil) } }

  /// - Parameter list: one that has the object as a member already.
  func insert(_ object: any _ModelObject, into list: LinkKey?) throws {
    try checkOpen()
    if try origin(of: object) != nil {
      // What was to be deleted stays after all.
      if object._$state.flags.contains(.gone) {
        throw GraphFault(.deleted, "it is deleted, and so cannot be inserted again: make a new one", name(object))
      }
      object._$state.flags.remove(.deleted)
      return
    }
    // Found before anything is changed: a model that is unknown, or an object of another context.
    var found: [any _ModelObject] = []
    var seen: Set<ObjectIdentifier> = []
    var waiting: [any _ModelObject] = [object]
    while let next = waiting.popLast() {
      guard seen.insert(ObjectIdentifier(next)).inserted, try origin(of: next) == nil else { continue }
      _ = try map(of: next)
      if next._$state.flags.contains(.fresh) { next.settle() }
      found.append(next)
      var collector = LinkCollector()
      next._$visit(&collector)
      waiting += collector.found.reversed()
    }
    for one in found { try adopt(one) }
    // Which lists have whom, so that nobody comes in twice.
    var members: [LinkKey: Set<UInt64>] = [:]
    if let list { members[list] = [object._$state.row] }
    var adopted: [LoadedList] = []
    for one in found { adoptLists(one, &members, &adopted) }
    var mayShow = !adopted.isEmpty
    for one in found where adoptReferences(one, members) { mayShow = true }
    // Another list that is being changed may have hidden it; nobody has looked at it yet.
    for list in adopted {
      show(list)
      agreeWhole(list)
    }
    if mayShow { for list in links.unsettled.values { hideOthers(list) } }
  }

  private func adopt(_ object: any _ModelObject) throws {
    let map = try map(of: object)
    let row = try store.records.reserve(of: map.entity.id)
    let origin = origin(map)
    object._$state.row = row.number
    object._$state.origin = origin
    object._$state.ticket = origin.objects.put(row.number, object)
    object._$state.flags.insert([.managed, .inserted])
    object._$state.flags.remove(.fresh)
    if !observesObjects { object._$state.flags.remove(.observed) }
    object._$state.changed = .max
    inserted.append(object)
  }

  /// From here on the context looks after the object's lists. Their members are noted.
  private func adoptLists(
    _ object: any _ModelObject, _ known: inout [LinkKey: Set<UInt64>], _ adopted: inout [LoadedList]
  ) {
    guard let origin = object._$state.origin as? RowOrigin else { return }
    for case .some(let relation) in store.relations[origin.map.number] where relation.isList {
      var reader = ListReader()
      object._$visitLink(relation.property, &reader)
      if reader.members == nil {
        var writer = ListWriter(members: [])
        object._$visitLink(relation.property, &writer)
      }
      let key = key(object, origin, relation.property)
      let list = LoadedList(key, object, relation, [])
      keep(list)
      guard let members = reader.members, !members.isEmpty else { continue }
      known[key] = Set(members.map { $0._$state.row })
      adopted.append(list)
    }
  }

  /// From here on the object names others by their rows. Says whether one of those heard of it.
  private func adoptReferences(_ object: any _ModelObject, _ members: [LinkKey: Set<UInt64>]) -> Bool {
    guard let origin = object._$state.origin as? RowOrigin else { return false }
    var isHeard = false
    for case .some(let relation) in store.relations[origin.map.number] where !relation.isList {
      var reader = ReferenceReader()
      object._$visitLink(relation.property, &reader)
      if reader.row != 0 { continue }
      let other = reader.object.flatMap { mayLead(object, relation, to: $0) ? $0 : nil }
      let row = other?._$state.row ?? RowNumber.nothing
      var writer = ReferenceWriter(row: row)
      object._$visitLink(relation.property, &writer)
      if row == RowNumber.nothing { continue }
      if relation.isInverseList, let inverse = relation.inverse,
        members[LinkKey(map: relation.home, row: row, property: inverse)]?.contains(object._$state.row) == true
      {
        continue
      }
      agree(object, relation, origin, before: RowNumber.nothing, now: row)
      isHeard = true
    }
    return isHeard
  }
}
