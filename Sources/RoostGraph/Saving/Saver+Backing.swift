internal import RoostRecords

/// Saving to the store behind a working set.
extension Saver {
  /// A save to a backing store cannot go on: it begins again after that was done.
  enum Delay: Error {
    /// Others committed what this context does not show, so its objects are not what will be stored.
    case isBehind
    /// Rows have to be loaded, because their values are part of the request.
    case needs([LinkKey])
  }

  /// Hands the changes of an attempt to the backing store, as the last step before the commit.
  func saveToBacking(_ run: SaveRun) throws {
    guard let saveBacking else { return }
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
    request.updated = try objects(
      run.entry.rows.reduce(into: [:]) { kept, rows in
        kept[rows.key] = rows.value.filter { gone[rows.key]?.contains($0) != true }
      })
    if !unloaded.isEmpty { throw Delay.needs(unloaded) }
    run.afterCommit = try saveBacking(request)
  }

  private func object(_ map: EntityMap, _ row: UInt64) throws -> (any _ModelObject)? {
    try objects.registered(map, RowID(row)) ?? objects.readOne(row, objects.origin(map))
  }

  /// Does what a delayed save waits for.
  func catchUp(after delay: Delay) throws {
    switch delay {
    case .isBehind: if saveBacking != nil { try follower.advance() }
    case .needs(let rows): try loadBacking?(rows.map { (store.maps[$0.map], $0.row) })
    }
  }
}
