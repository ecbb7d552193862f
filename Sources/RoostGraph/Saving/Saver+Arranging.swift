internal import RoostRecords

/// Lists of a save, and how many members there are.
extension Saver {
  /// Writes the lists that changed.
  func arrange(_ run: SaveRun) throws {
    let dirty = links.ledger.lists.values.filter {
      $0.isDirty && !$0.owner._$state.flags.contains(.deleted) && !(run.isPlain && isWritten($0))
    }
    var before = try membersBefore(dirty, run)
    try arrangeEdits(run)
    for list in dirty.sorted(by: {
      ($0.key.map, $0.key.row, $0.key.property) < ($1.key.map, $1.key.row, $1.key.property)
    }) {
      guard let side = run.writer.catalog.relationship(list.relation.way.id) else { continue }
      do {
        if run.news == nil, run.decisions.isEmpty {
          if isWritten(list) { continue }
          var rows = living(list).map { RowID($0) }
          // Of those that are not shown nobody knows but the store whether they went in this save.
          if !list.strangers.isEmpty {
            let entity = store.maps[list.relation.target].entity.id
            let strangers = Set(list.strangers.map { RowID($0.row) })
            rows = try rows.filter { try !strangers.contains($0) || run.writer.contains($0, entity) }
          }
          try run.writer.links(side).replace(rows, of: RowID(list.key.row))
        } else {
          try merge(list, side, run: run, before: &before)
        }
      } catch let fault as RecordFault {
        // What refused its own row says more.
        if !run.isBroken { run.refuse(refusal(fault, list.owner, run: run)) }
      }
    }
  }

  /// The stored members of lists by links that new objects add to, before this save links any. The other sides of the relationship
  /// bring members in by an order of their own.
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

  /// Brings what came to lists that are not loaded to their ends, in the order in which it came.
  private func arrangeEdits(_ run: SaveRun) throws {
    var edits = Array(links.ledger.edits.lazy.filter { $0.value.addedCount > 1 || $0.value.cameAgain })
    // Several new objects may become one row.
    if !run.decisions.isEmpty { edits.sort { $0.key.row < $1.key.row } }
    let catalog = run.writer.catalog
    for (key, edit) in edits {
      guard let origin = edit.owner._$state.origin as? RowOrigin, let relation = links.relation(origin, key.property),
        !edit.owner._$state.flags.contains(.deleted), !run.isBroken,
        let side = catalog.relationship(relation.way.id)
      else { continue }
      // New members come last when they are written, and they are written in their order.
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

  /// Links that several members made. The members' own lists would bring them in by the order of their rows.
  private func append(
    _ edit: LinkLedger.Edit, _ relation: Relation, to owner: RowID, links: LinkWriter, run: SaveRun
  ) throws {
    let target = store.maps[relation.target].entity.id
    for row in living(edit.added, relation) {
      let row = RowID(run.row(relation.home, row))
      if try run.writer.contains(row, target) { try links.append(row, to: owner) }
    }
  }

  /// Moves added members to the end of the list, in the order in which they were added: their rows may have been written in another order,
  /// or a member was removed and added again. An upserted member keeps its stored place.
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

  /// The members that stay.
  private func living(_ list: LoadedList) -> [UInt64] { list.withStrangers(living(list.rows, list.relation)) }

  private func living(_ rows: [UInt64], _ relation: Relation) -> [UInt64] {
    let target = store.maps[relation.target]
    return rows.filter { row in
      if links.isDoomed(relation.home, row) { return false }
      return objects.registered(target, RowID(row))?._$state.flags.contains(.deleted) != true
    }
  }

  /// Members that came here and elsewhere are all in it, and what went here or elsewhere is not. Their order is that of here; what
  /// came elsewhere follows. The members of a new object that becomes another one's row follow those that are there.
  private func merge(
    _ list: LoadedList, _ side: Relationship, run: SaveRun, before: inout [LinkKey: [UInt64]]
  ) throws {
    let owner = run.row(list.key.map, list.key.row)
    let target = store.maps[list.relation.target]
    guard try run.writer.contains(RowID(owner), store.maps[list.key.map].entity.id) else { return }
    var seen = Set<UInt64>()
    var here: [UInt64] = []
    for row in living(list).map({ run.row(list.relation.home, $0) }) where seen.insert(row).inserted {
      if try run.writer.contains(RowID(row), target.entity.id) { here.append(row) }
    }
    let links = try run.writer.links(side)
    let stored = try links.rows(of: RowID(owner)).map(\.number)
    let there = Set(stored)
    let key = LinkKey(map: list.key.map, row: owner, property: list.key.property)
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
      wanted += stored.filter { !seen.contains($0) && !before.contains($0) }
    } else {
      // Who belongs to it was said by the members' own rows.
      wanted = here.filter { there.contains($0) } + stored.filter { !seen.contains($0) }
    }
    if wanted != stored { try links.replace(wanted.map { RowID($0) }, of: RowID(owner)) }
    // The next new object that becomes this row adds after these.
    if let known = before[key].map(Set.init) {
      before[key] = wanted.filter { known.contains($0) || seen.contains($0) }
    }
  }

  /// The list as the snapshot has it, which it follows.
  private func base(_ list: LoadedList) throws -> [UInt64] {
    if list.owner._$state.flags.contains(.inserted) { return [] }
    guard let side = try session.snapshot().catalog.relationship(list.relation.way.id) else { return [] }
    return try session.snapshot().links(side).rows(of: RowID(list.key.row)).map(\.number)
  }

  /// Whether writing the members' rows brought the list to what it is: new objects came in at its end, in their order.
  private func isWritten(_ list: LoadedList) -> Bool {
    guard !list.relation.isByLinks, let stored = list.storedCount else { return false }
    return comeInOrder(list.rows[stored...], list.relation)
  }

  // MARK: Counts

  /// Notes which lists lose members by a deletion, as far as they must have some.
  func noteOwners(_ rows: [Int: [RowID]], _ run: SaveRun) throws {
    run.left += try owners(losing: rows, links.deletions.doomed, run.writer)
  }

  /// The lists that lose members with rows, as far as they must have some.
  func owners(losing rows: [Int: [RowID]], _ doomed: Set<LinkKey>, _ writer: RecordWriter) throws -> [LinkKey] {
    var found: [LinkKey] = []
    for (map, relations) in store.countedRelations.enumerated() {
      // An inherited one is counted for the class that declares it.
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

  /// Refuses relationships that have too few members or too many, of objects that were made or changed here.
  func count(_ run: SaveRun) throws {
    if store.countedRelations.allSatisfy(\.isEmpty) { return }
    // What was fetched into a working set is as its store has it.
    if store.backing != nil, saveBacking == nil { return }
    // What is not written cannot be counted. A row that breaks a rule is written.
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

  /// Which relationships have too few members or too many.
  ///
  /// - Parameter mayBeFew: whether too few are none of the caller's business, because others come.
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
