internal import RoostRecords

/// Saving to the store behind a working set.
extension Saver {
  /// A save to a backing store cannot go on: it begins again after that was done.
  enum Delay: Error {
    /// Others committed what this context does not show, so its objects are not what will be stored.
    case isBehind
    /// Rows have to be loaded, because their values are part of the request.
    case needs([LinkKey])
    /// The backing store merged new objects into others.
    case merges
  }

  /// Hands the changes of an attempt to the backing store, as the last step before the commit.
  func saveToBacking(_ run: SaveRun) throws {
    guard let saveBacking else { return }
    if let outcome {
      run.afterCommit = outcome.afterCommit
      return
    }
    if let news = run.news, news.rows?.isEmpty != true { throw Delay.isBehind }
    var request = BackingChanges(inserted: changes.insertedObjects)
    var unloaded: [LinkKey] = []
    func objects(_ rows: [Int: [UInt64]]) throws -> [any _ModelObject] {
      var found: [any _ModelObject] = []
      for (number, rows) in rows.sorted(by: { $0.key < $1.key }) {
        let map = store.maps[number]
        for row in Set(rows).sorted() {
          guard let object = try object(map, row), !object._$state.flags.contains(.inserted) else { continue }
          // One that was looked for in vain is not in the backing store any more.
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
    let changed = try run.entry.rows.merging(partners(of: run.entry.deleted)) { $0 + $1 }
    request.updated = try objects(
      changed.reduce(into: [:]) { kept, rows in
        kept[rows.key] = rows.value.filter { gone[rows.key]?.contains($0) != true }
      })
    if !unloaded.isEmpty { throw Delay.needs(unloaded) }
    let outcome = try saveBacking(request)
    self.outcome = outcome
    run.afterCommit = outcome.afterCommit
    if !outcome.merged.isEmpty { throw Delay.merges }
  }

  /// The rows whose lists had deleted rows among their members.
  private func partners(of deleted: [Int: [UInt64]]) throws -> [Int: [UInt64]] {
    var found: [Int: [UInt64]] = [:]
    for (number, rows) in deleted {
      for row in rows {
        let key = LinkKey(map: number, row: row, property: 0)
        for way in store.oneWayLists(to: store.maps[number]) {
          found[way.owner, default: []] += try links.owners(of: key, way)
        }
        for map in store.maps where map.home == number {
          for case .some(let relation) in store.relations[map.number] where relation.isInverseList {
            let key = LinkKey(map: number, row: row, property: relation.property)
            found[relation.home, default: []] += try links.stored(key, relation)
          }
        }
      }
    }
    return found
  }

  private func object(_ map: EntityMap, _ row: UInt64) throws -> (any _ModelObject)? {
    try objects.registered(map, RowID(row)) ?? objects.readOne(row, objects.origin(map))
  }

  /// Does what a delayed save waits for.
  func catchUp(after delay: Delay, _ book: inout DecisionBook) throws {
    guard saveBacking != nil else { return }
    switch delay {
    case .isBehind: try follower.advance()
    case .needs(let rows): try loadBacking?(rows.map { (store.maps[$0.map], $0.row) })
    case .merges:
      for (object, row) in outcome?.merged ?? [] {
        guard let origin = object._$state.origin as? RowOrigin else { continue }
        book.decisions[LinkKey(object, origin)] = SaveRun.Decision(row: row, policy: .always(.upsert), name: "store")
      }
    }
  }
}
