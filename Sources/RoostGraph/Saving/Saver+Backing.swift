internal import RoostRecords

/// Saves to the backing store of a working set.
extension Saver {
  /// Why a save must be delayed: it begins again when the reason is gone.
  enum Delay: Error {
    /// Others committed changes that this context does not show, so its objects differ from what
    /// will be stored.
    case isBehind
    /// Rows must be loaded, because their values are part of the request.
    case needs(DelayedRows)
    /// The backing store merged new objects into others.
    case merges
    /// Others changed these rows in the backing store.
    case isStale(DelayedRows, any Error)
  }

  /// Rows of one store. A save may change several stores, which number their maps independently.
  struct DelayedRows {
    let store: GraphStore
    let rows: [LinkKey]

    init(_ store: GraphStore, _ rows: [LinkKey]) { (self.store, self.rows) = (store, rows) }

    /// The rows and their maps; nil if they are of another store.
    func places(in other: GraphStore) -> [(map: EntityMap, row: UInt64)]? {
      store === other ? rows.map { (store.maps[$0.map], $0.row) } : nil
    }
  }

  /// Passes the changes of an attempt to the backing store, as the last step before the commit.
  func saveToBacking(_ run: SaveRun) throws {
    guard let saveBacking else { return }
    if let outcome {
      run.afterCommit = outcome.afterCommit
      return
    }
    if let news = run.news, news.rows?.isEmpty != true { throw Delay.isBehind }
    if mergePolicy == .storeWins { showStored(run) }
    var request = BackingChanges(inserted: changes.insertedObjects)
    var unloaded: [LinkKey] = []
    func objects(_ rows: [Int: [UInt64]]) throws -> [any _ModelObject] {
      var found: [any _ModelObject] = []
      for (number, rows) in rows.sorted(by: { $0.key < $1.key }) {
        let map = store.maps[number]
        for row in Set(rows).sorted() {
          guard let object = try object(map, row), !object._$state.flags.contains(.inserted) else { continue }
          // A row that was fetched in vain is no longer in the backing store.
          if store.backing?.keys.isUnloaded(map, row, in: session.seenCommit) != true {
            found.append(object)
          } else if object._$state.flags.isDisjoint(with: [.invalid, .gone]) {
            unloaded.append(LinkKey(map: number, row: row, property: 0))
          }
        }
      }
      return found
    }
    request.deleted = try objects(run.entry.deleted)
    let gone = run.entry.deleted.mapValues(Set.init)
    let changed = try run.entry.rows.merging(partners(run), uniquingKeysWith: +)
    request.updated = try objects(
      changed.reduce(into: [:]) { kept, rows in
        kept[rows.key] = rows.value.filter { gone[rows.key]?.contains($0) != true }
      })
    if !unloaded.isEmpty { throw Delay.needs(DelayedRows(store, unloaded)) }
    let outcome: BackingOutcome
    do { outcome = try saveBacking(request) } catch let conflict as BackingConflict {
      throw Delay.isStale(DelayedRows(store, stale(request)), conflict.reason)
    }
    self.outcome = outcome
    run.afterCommit = outcome.afterCommit
    if !outcome.merged.isEmpty { throw Delay.merges }
  }

  /// Updates the properties of objects that others changed too, because the backing store gets the
  /// objects' values.
  private func showStored(_ run: SaveRun) {
    for object in changes.changed {
      guard let mask = run.masks[ObjectIdentifier(object)], let origin = object._$state.origin as? RowOrigin else {
        continue
      }
      object._$state.changed = mask
      objects.fillUnchanged(object, origin)
      object.computeDerived(origin.map.type)
    }
  }

  /// Keeps all values of changed objects as they are here, so that no newer value replaces one.
  private func holdAll() {
    for object in changes.changed {
      let flags = object._$state.flags
      guard flags.contains(.changed), flags.isDisjoint(with: [.deleted, .inserted, .gone, .fault]),
        let origin = object._$state.origin as? RowOrigin
      else { continue }
      object._$state.changed |= overwritten(object, origin)
    }
  }

  /// The rows that others may have changed: those of the request, and those in their references and
  /// lists.
  private func stale(_ request: BackingChanges) -> [LinkKey] {
    var rows: Set<LinkKey> = []
    for object in request.updated + request.deleted {
      if let map = object.entityMap { rows.insert(LinkKey(map: map.number, row: object._$state.row, property: 0)) }
    }
    for object in request.inserted + request.updated {
      guard let map = object.entityMap else { continue }
      for case .some(let relation) in store.relations[map.number] {
        for row in targets(of: object, relation) {
          rows.insert(LinkKey(map: relation.home, row: row, property: 0))
        }
      }
    }
    return Array(rows)
  }

  /// The stored rows of a reference, or of a list of links that was changed here. No other
  /// relationship is stored with the object.
  private func targets(of object: any _ModelObject, _ relation: Relation) -> [UInt64] {
    var rows: [UInt64] = []
    if case .reference = relation.way {
      rows = [object.one(relation.property).row].filter(RowNumber.leads)
    } else if let list = changedLinks(of: object, relation) {
      rows = list.linked
    }
    return rows.filter { row in
      objects.registered(store.maps[relation.target], RowID(row))?._$state.flags.contains(.inserted) != true
    }
  }

  private func changedLinks(of object: any _ModelObject, _ relation: Relation) -> LoadedList? {
    guard relation.isByLinks, let origin = object._$state.origin as? RowOrigin,
      let list = links.ledger.lists[LinkKey(object, origin, property: relation.property)], list.hasChanges
    else { return nil }
    return list
  }

  /// Removes objects that others deleted from the references and lists of unsaved objects, because
  /// the backing store gets their values. The transaction of the working set does the same with
  /// rows (``lead(_:_:mask:box:run:)``), and throws if a required reference would be removed.
  private func partVanished() throws {
    for object in changes.changed + changes.insertedObjects {
      let flags = object._$state.flags
      guard flags.isPending, flags.isDisjoint(with: [.deleted, .gone]), let map = object.entityMap else { continue }
      for case .some(let relation) in store.relations[map.number] {
        let target = store.maps[relation.target]
        let inverse = relation.inverse.flatMap { store.relations[relation.target][$0] }
        for row in targets(of: object, relation) where try !session.table(target).contains(RowID(row)) {
          if let list = changedLinks(of: object, relation) {
            if let known = objects.registered(target, RowID(row)) { links.drop(known, from: list) }
          } else if map.type.mayBeNil(relation.property),
            inverse?.deleteRule != .cascade || mergePolicy == .storeWins
          {
            links.setReference(object, relation.property, row: RowNumber.nothing)
          }
        }
      }
    }
  }

  /// The rows at the other sides of relationships that this save changes. A backing store may store
  /// both sides.
  private func partners(_ run: SaveRun) throws -> [Int: [UInt64]] {
    var found: [Int: [UInt64]] = [:]
    for (number, rows) in run.entry.deleted {
      for row in Set(rows) {
        let key = LinkKey(map: number, row: row, property: 0)
        for way in store.oneWayLists(to: store.maps[number]) {
          found[way.owner, default: []] += try links.owners(of: key, way)
        }
      }
    }
    var seen: Set<LinkKey> = []
    for (number, rows) in run.entry.rows.merging(run.entry.deleted, uniquingKeysWith: +) {
      for row in rows {
        for map in store.maps where map.home == number {
          for case .some(let relation) in store.relations[map.number] where relation.inverse != nil {
            let key = LinkKey(map: number, row: row, property: relation.property)
            guard seen.insert(key).inserted else { continue }
            let before = Set(try links.stored(key, relation))
            let after = try stored(key, relation, of: map, writer: run.writer)
            found[relation.home, default: []] += before.symmetricDifference(after)
          }
        }
      }
    }
    return found
  }

  /// The rows that a row references by a relationship, in the transaction.
  func stored(
    _ key: LinkKey, _ relation: Relation, of map: EntityMap, writer: RecordWriter
  ) throws -> [UInt64] {
    if case .reference = relation.way {
      guard let field = map.field(relation.property), try writer.contains(RowID(key.row), map.entity.id) else {
        return []
      }
      let table = try writer.table(map.entity.id)
      return try table.reference(table.slot(field.name), of: RowID(key.row)).map { [$0.number] } ?? []
    }
    guard let side = writer.catalog.relationship(relation.way.id) else { return [] }
    return try writer.links(side).rows(of: RowID(key.row)).map(\.number)
  }

  private func object(_ map: EntityMap, _ row: UInt64) throws -> (any _ModelObject)? {
    try objects.registered(map, RowID(row)) ?? objects.readOne(row, objects.origin(map))
  }

  /// Removes the reason of a delay, if it concerns this store.
  func catchUp(after delay: Delay, _ book: inout DecisionBook) throws {
    if saveBacking == nil {
      if case .isBehind = delay { try follower.advance() }
      return
    }
    switch delay {
    case .isBehind: try follower.advance()
    case .needs(let rows): if let places = rows.places(in: store) { try loadBacking?(places, false) }
    case .isStale(let rows, _):
      guard let places = rows.places(in: store) else { break }
      metOthers = true
      if mergePolicy == .overwrite { holdAll() }
      try refreshBacking?(places)
      try follower.advance()
      if mergePolicy != .error { try partVanished() }
    case .merges:
      for (object, row) in outcome?.merged ?? [] {
        guard let origin = object._$state.origin as? RowOrigin else { continue }
        book.decisions[LinkKey(object, origin)] = SaveRun.Decision(row: row, policy: .always(.upsert), name: "store")
      }
    }
    try fetchEditedLists()
  }
}
