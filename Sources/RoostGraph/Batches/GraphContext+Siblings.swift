internal import RoostRecords

/// Following a relationship of all objects that came together.
extension GraphContext {
  /// Reads what a reference leads to, for all objects that came with this one.
  func readTargets(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin) {
    guard !isClosed, let (batch, place) = batches.find(origin.map.home, object._$state.row) else { return }
    readTargets(batch, place, relation, origin)
  }

  private func readTargets(_ batch: Batch, _ place: Int, _ relation: Relation, _ origin: RowOrigin) {
    let target = self.origin(store.maps[relation.target])
    var wanted: [UInt64] = []
    var seen: Set<UInt64> = []
    // Whoever asks for one that cannot be read asks again, and hears why.
    try? batch.around(place) { row in
      guard let sibling = origin.known(row), sibling._$state.flags.isDisjoint(with: [.fault, .deleted, .lent]),
        case let row = try current(sibling, relation, origin), RowNumber.leads(row), seen.insert(row).inserted
      else { return false }
      if let known = target.known(row), !known._$state.flags.contains(.fault) {
        // Its user may let it go before the loop comes there.
        batch.keep(known)
        return false
      }
      if links.doomed.contains(LinkKey(map: relation.home, row: row, property: 0)) { return false }
      wanted.append(row)
      return true
    }
    guard wanted.count > 1, let found = try? readTogether(wanted, target) else { return }
    batch.keep(found)
    noteBatch(target.map, wanted)
  }

  /// Loads the lists of objects that came with one whose list was loaded, as far as there is room.
  func loadSiblings(_ object: any _ModelObject, _ relation: Relation, _ origin: RowOrigin, _ rows: inout [UInt64])
    -> Int
  {
    guard !isClosed, let (batch, place) = batches.find(origin.map.home, object._$state.row) else { return 0 }
    return loadLists(batch, place, relation, origin, &rows)
  }

  private func loadLists(
    _ batch: Batch, _ place: Int, _ relation: Relation, _ origin: RowOrigin, _ rows: inout [UInt64]
  ) -> Int {
    var count = 0
    // As far as it can be known, none is loaded for which others would go.
    var longest = rows.count + 1
    batch.around(place) { row in
      guard rows.count < Self.mostMembersAtOnce, links.memberCount + longest < links.unloadAt,
        let sibling = origin.known(row),
        sibling._$state.flags.isDisjoint(with: [.fault, .deleted, .lent, .invalid, .inserted]),
        !sibling._$isFilled(relation.property), links.lists[key(sibling, origin, relation.property)] == nil
      else { return false }
      // The one that cannot be read says so when somebody asks for it.
      let before = rows.count
      guard (try? loadOne(sibling, relation, origin, &rows)) != nil else { return false }
      longest = max(longest, rows.count - before + 1)
      count += 1
      return true
    }
    return count
  }

  /// Members that are loaded for objects that nobody asked yet.
  private static var mostMembersAtOnce: Int { 10_000 }

  /// Reads relationships of a fetch's objects before somebody asks.
  package func prefetch(_ map: EntityMap, _ rows: [UInt64], _ properties: [Int]) {
    let origin = origin(map)
    let batch = Batch(map.home, rows)
    batches.add(batch)
    for property in properties {
      guard let relation = relation(origin, property) else { continue }
      settle(relation.pair)
      for place in stride(from: 0, to: rows.count, by: Batch.width) {
        guard relation.isList else {
          readTargets(batch, place, relation, origin)
          continue
        }
        var members: [UInt64] = []
        let count = loadLists(batch, place, relation, origin, &members)
        noteLists(count, relation, members)
      }
    }
  }

  /// Notes that lists were loaded which nobody asked for yet.
  func noteLists(_ count: Int, _ relation: Relation, _ members: [UInt64]) {
    if count > 0 {
      statistics.listsLoadedTogether += count
      statistics.coarseReads += 1
    }
    noteBatch(store.maps[relation.target], members)
  }
}
