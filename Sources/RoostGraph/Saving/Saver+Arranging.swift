internal import RoostRecords

/// Writes the lists of a save and counts their members.
extension Saver {
  /// Writes the lists that changed.
  func arrange(_ run: SaveRun) throws {
    let dirty = links.ledger.lists.values.filter {
      $0.isDirty && !$0.owner._$state.flags.contains(.deleted) && !(run.isPlain && isWritten($0))
    }
    var before = try membersBefore(dirty, run)
    let rejoined = try dirty.contains(where: mayRejoin) ? membersOfMerged(run) : [:]
    try arrangeEdits(run)
    // The lists of merged objects are appended to those of their rows.
    for list in dirty.sorted(by: { run.order($0.key) < run.order($1.key) }) {
      guard let side = run.writer.catalog.relationship(list.relation.way.id) else { continue }
      do {
        if run.news == nil, run.decisions.isEmpty {
          if isWritten(list) { continue }
          var rows = living(list).map { RowID($0) }
          // Only the store knows whether members that are not shown were deleted by this save.
          if !list.strangers.isEmpty {
            let entity = store.maps[list.relation.target].entity.id
            let strangers = Set(list.strangers.map { RowID($0.row) })
            rows = try rows.filter { try !strangers.contains($0) || run.writer.contains($0, entity) }
          }
          try run.writer.links(side).replace(rows, of: RowID(list.key.row))
        } else {
          try merge(list, side, run: run, before: &before, rejoined: rejoined)
        }
      } catch let fault as RecordFault {
        // The error of the rejected row itself is more precise.
        if !run.isBroken { run.refuse(refusal(fault, list.owner, run: run)) }
      }
    }
  }

  /// The stored members of lists of links that new objects add to, before this save adds links. The
  /// other sides of the relationship add members in their own order.
  private func membersBefore(_ dirty: [LoadedList], _ run: SaveRun) throws -> [LinkKey: [UInt64]] {
    var before: [LinkKey: [UInt64]] = [:]
    for list in dirty where list.relation.isByLinks {
      let row = run.row(list.key.map, list.key.row)
      if row == list.key.row { continue }
      let key = LinkKey(map: list.key.map, row: row, property: list.key.property)
      if before[key] != nil { continue }
      guard let side = run.writer.catalog.relationship(list.relation.way.id) else { continue }
      before[key] = try run.writer.links(side).rows(of: RowID(row)).map(\.number)
    }
    return before
  }

  private func mayRejoin(_ list: LoadedList) -> Bool {
    list.relation.isByLinks && !list.owner._$state.flags.contains(.inserted)
  }

  /// By list of links of a row, the members of the new objects that are merged into the row. The row's
  /// own object may have lost them: the program replaced it in their lists by the new object.
  private func membersOfMerged(_ run: SaveRun) throws -> [LinkKey: [UInt64]] {
    var found: [LinkKey: [UInt64]] = [:]
    for key in run.decisions.keys.sorted(by: { ($0.map, $0.row) < ($1.map, $1.row) }) {
      guard let object = objects.registered(store.maps[key.map], RowID(key.row)), let map = object.entityMap else {
        continue
      }
      for case .some(let relation) in store.relations[map.number] where relation.isByLinks {
        let list = LinkKey(map: key.map, row: run.row(key.map, key.row), property: relation.property)
        found[list, default: []] += living(try links.rows(key, object, relation: relation), relation).map {
          run.row(relation.home, $0)
        }
      }
    }
    return found
  }

  /// Moves the members that were added to unloaded lists to the end, in the order in which they
  /// were added.
  private func arrangeEdits(_ run: SaveRun) throws {
    var edits = Array(links.ledger.edits.lazy.filter { $0.value.addedCount > 1 || $0.value.cameAgain })
    // Several new objects may be merged into one row.
    if !run.decisions.isEmpty { edits.sort { run.order($0.key) < run.order($1.key) } }
    let catalog = run.writer.catalog
    for (key, edit) in edits {
      guard let origin = edit.owner._$state.origin as? RowOrigin, let relation = links.relation(origin, key.property),
        !edit.owner._$state.flags.contains(.deleted), !run.isBroken,
        let side = catalog.relationship(relation.way.id)
      else { continue }
      // New members are written in their order, so they are last already.
      if !relation.isByLinks, edit.comesInOrder { continue }
      let owner = RowID(run.row(key.map, key.row))
      guard try run.writer.contains(owner, store.maps[key.map].entity.id) else { continue }
      let links = try run.writer.links(side)
      if relation.isByLinks {
        try append(edit, relation, to: owner, links: links, run: run)
      } else {
        try arrange(edit, key, relation: relation, of: owner, links: links, run: run)
      }
    }
  }

  /// Appends links that several members added. The members' own lists would add them in the order
  /// of their rows.
  private func append(
    _ edit: LinkLedger.Edit, _ relation: Relation, to owner: RowID, links: LinkWriter, run: SaveRun
  ) throws {
    let target = store.maps[relation.target].entity.id
    for row in living(edit.added, relation) {
      let row = RowID(run.row(relation.home, row))
      if try run.writer.contains(row, target) { try links.append(row, to: owner) }
    }
  }

  /// Moves added members to the end of the list, in the order in which they were added: their rows
  /// may have been written in another order, or a member was removed and added again. An upserted
  /// member keeps its stored place.
  private func arrange(
    _ edit: LinkLedger.Edit, _ key: LinkKey, relation: Relation, of owner: RowID, links: LinkWriter,
    run: SaveRun
  ) throws {
    let now = try links.rows(of: owner).map(\.number)
    let there = Set(now)
    let before = run.decisions.isEmpty ? [] : Set(try self.links.stored(key, relation))
    var came: [UInt64] = []
    var seen: Set<UInt64> = []
    for added in living(edit.added, relation) {
      let row = run.row(relation.home, added)
      guard there.contains(row), row == added || !before.contains(row), seen.insert(row).inserted else { continue }
      came.append(row)
    }
    let wanted = now.filter { !seen.contains($0) } + came
    if wanted != now { try links.replace(wanted.map { RowID($0) }, of: owner) }
  }

  /// The members that are not deleted.
  private func living(_ list: LoadedList) -> [UInt64] { list.withStrangers(living(list.rows, list.relation)) }

  private func living(_ rows: [UInt64], _ relation: Relation) -> [UInt64] {
    let target = store.maps[relation.target]
    return rows.filter { row in
      if links.isDoomed(relation.home, row) { return false }
      return objects.registered(target, RowID(row))?._$state.flags.contains(.deleted) != true
    }
  }

  /// Merges a list with others' changes. It contains all members that were added here or by others,
  /// and none that were removed here or by others. The order is the one of this context; members
  /// that others added follow. The members of a new object that is merged into a row follow the
  /// row's.
  private func merge(
    _ list: LoadedList, _ side: Relationship, run: SaveRun, before: inout [LinkKey: [UInt64]],
    rejoined: [LinkKey: [UInt64]]
  ) throws {
    let owner = run.row(list.key.map, list.key.row)
    let target = store.maps[list.relation.target]
    guard try run.writer.contains(RowID(owner), store.maps[list.key.map].entity.id) else { return }
    var seen = Set<UInt64>()
    var here: [UInt64] = []
    let key = LinkKey(map: list.key.map, row: owner, property: list.key.property)
    for row in living(list).map({ run.row(list.relation.home, $0) }) where seen.insert(row).inserted {
      if try run.writer.contains(RowID(row), target.entity.id) { here.append(row) }
    }
    let links = try run.writer.links(side)
    let stored = try links.rows(of: RowID(owner)).map(\.number)
    let there = Set(stored)
    var wanted: [UInt64]
    if run.decisions[LinkKey(map: list.key.map, row: list.key.row, property: 0)] != nil {
      if list.relation.isByLinks {
        let first = (before[key] ?? stored).filter(there.contains)
        let known = Set(first)
        wanted = first + here.filter { !known.contains($0) }
        wanted += stored.filter { !seen.contains($0) && !known.contains($0) }
      } else {
        wanted = stored.filter { !seen.contains($0) } + here.filter { there.contains($0) }
      }
    } else if list.relation.isByLinks {
      let before = Set(try base(list).map { run.row(list.relation.home, $0) })
      wanted = here.filter { there.contains($0) || !before.contains($0) }
      for row in rejoined[key] ?? [] where before.contains(row) && there.contains(row) && seen.insert(row).inserted {
        wanted.append(row)
      }
      wanted += stored.filter { !seen.contains($0) && !before.contains($0) }
    } else {
      // The members' own rows tell which belong to it.
      wanted = here.filter { there.contains($0) } + stored.filter { !seen.contains($0) }
    }
    if wanted != stored {
      try links.replace(wanted.map { RowID($0) }, of: RowID(owner))
      noteJoined(list.relation, Set(wanted).symmetricDifference(stored), run: run)
      if store.judgedHomes.contains(list.key.map), store.backing == nil {
        run.mixed.insert(LinkKey(map: list.key.map, row: owner, property: 0))
      }
    }
    // The next new object that is merged into this row adds its members after these.
    if let known = before[key].map(Set.init) {
      before[key] = wanted.filter { known.contains($0) || seen.contains($0) }
    }
  }

  /// The list in the snapshot on which the changes are based.
  private func base(_ list: LoadedList) throws -> [UInt64] {
    if list.owner._$state.flags.contains(.inserted) { return [] }
    guard let side = try session.snapshot().catalog.relationship(list.relation.way.id) else { return [] }
    return try session.snapshot().links(side).rows(of: RowID(list.key.row)).map(\.number)
  }

  /// Whether the list is complete and in order because its members' rows were written: new objects
  /// at its end, in their order.
  private func isWritten(_ list: LoadedList) -> Bool {
    guard !list.relation.isByLinks, let stored = list.storedCount else { return false }
    return comeInOrder(list.rows[stored...], list.relation)
  }

  // MARK: Counts

  /// Records the lists that lose members by a deletion, if they have a minimum number of members.
  func noteOwners(_ rows: [Int: [RowID]], _ run: SaveRun) throws {
    run.left += try owners(losing: rows, links.deletions.doomed, run.writer)
  }

  /// The lists that lose members with deleted rows, if they have a minimum number of members.
  func owners(losing rows: [Int: [RowID]], _ doomed: Set<LinkKey>, _ writer: RecordWriter) throws -> [LinkKey] {
    var found: [LinkKey] = []
    for (map, relations) in store.countedRelations.enumerated() {
      // An inherited relationship is counted for the class that declares it.
      for relation in relations where relation.minimum > 0 && relation.property >= store.maps[map].type.first {
        let lost =
          (rows[relation.home] ?? []) + doomed.filter { $0.map == relation.home }.map { RowID($0.row) }
        if lost.isEmpty { continue }
        let catalog = writer.catalog
        guard let side = catalog.relationship(relation.way.id), let inverse = catalog.inverse(of: side) else {
          continue
        }
        for row in lost {
          for owner in try owners(of: row, relation, inverse, writer: writer) {
            found.append(LinkKey(map: map, row: owner.number, property: relation.property))
          }
        }
      }
    }
    return found
  }

  private func owners(_ row: RowID, _ table: TableWriter, field: FieldID) throws -> [RowID] {
    guard let name = table.entity.field(field)?.name else { return [] }
    return try table.reference(table.slot(name), of: row).map { [$0] } ?? []
  }

  private func owners(
    of row: RowID, _ relation: Relation, _ inverse: Relationship, writer: RecordWriter
  ) throws -> [RowID] {
    if case .one(let field) = inverse.shape {
      return try owners(row, writer.table(store.maps[relation.target].entity.id), field: field)
    }
    return try writer.links(inverse).rows(of: row)
  }

  /// Throws if relationships of new or changed objects have too few or too many members.
  func count(_ run: SaveRun) throws {
    if store.countedRelations.allSatisfy(\.isEmpty) { return }
    // Rows that were fetched into a working set are not validated.
    if store.backing != nil, saveBacking == nil { return }
    // Rows that are not written cannot be counted. A row that breaks a rule is written.
    if run.isBroken { return }
    var keys = Set(run.left)
    for object in changes.changed + changes.inserted {
      let flags = object._$state.flags
      guard flags.isPending, !flags.contains(.deleted), let origin = object._$state.origin as? RowOrigin else {
        continue
      }
      for relation in store.countedRelations[origin.map.number]
      where flags.contains(.inserted) || object._$state.changed & _ModelState.bit(relation.property) != 0 {
        keys.insert(
          LinkKey(
            map: declaring(origin.map, relation), row: run.row(origin.map.home, object._$state.row),
            property: relation.property))
      }
    }
    try count(keys, run.writer).forEach(run.refuse)
  }

  /// The errors of relationships that have too few or too many members.
  ///
  /// - Parameters:
  ///   - keys: the relationships.
  ///   - writer: the transaction.
  ///   - mayBeFew: whether too few members are no error, because more will be added.
  func count(_ keys: Set<LinkKey>, _ writer: RecordWriter, mayBeFew: Bool = false) throws -> [GraphFault] {
    var faults: [GraphFault] = []
    for key in keys.sorted(by: { ($0.map, $0.row, $0.property) < ($1.map, $1.row, $1.property) }) {
      guard let relation = store.relations[key.map][key.property] else { continue }
      let map = store.maps[key.map]
      guard try writer.contains(RowID(key.row), map.entity.id) else { continue }
      let count = try count(key, relation, map: map, writer: writer)
      if mayBeFew, count < relation.minimum { continue }
      if let fault = countFault(count, relation, name: objects.name(key), map: map) { faults.append(fault) }
    }
    return faults
  }

  /// The map of the class that declares a relationship.
  func declaring(_ map: EntityMap, _ relation: Relation) -> Int {
    map.family == nil ? map.number : store.map(of: map.type.owner(of: relation.property).model)?.number ?? map.number
  }

  private func count(_ key: LinkKey, _ relation: Relation, map: EntityMap, writer: RecordWriter) throws -> Int {
    guard let side = writer.catalog.relationship(relation.way.id) else { return 0 }
    if case .reference = relation.way {
      let table = try writer.table(map.entity.id)
      return try table.reference(table.slot(side.name), of: RowID(key.row)) == nil ? 0 : 1
    }
    return try writer.links(side).count(of: RowID(key.row))
  }
}
