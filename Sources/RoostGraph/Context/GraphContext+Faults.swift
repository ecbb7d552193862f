internal import RoostFile
internal import RoostRecords

/// Filling objects from their rows.
extension GraphContext {
  /// A getter cannot load: the object is a fault, or a list is not loaded.
  func willRead(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    if object._$state.flags.contains(.fault) {
      if isTracked {
        observe(true)
        object.track(property)
      }
      fill(object, origin, for: property)
    }
    if object._$state.flags.contains(.invalid) { replaceRefused(object, property, origin) }
    guard let relation = relation(origin, property), relation.isList, !object.many(property).isFilled,
      object._$state.flags.isDisjoint(with: .lent)
    else { return }
    load(object, relation, origin)
  }

  /// A setter is about to store.
  func willWrite(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    if let relation = relation(origin, property) {
      if object._$state.flags.contains(.fault) { fill(object, origin) }
      if object._$state.flags.contains(.gone) {
        // Nothing comes of it, on the other side neither.
        if !relation.isList { links.before = object.one(property).row }
      } else if relation.isList {
        willWriteList(object, relation, origin)
      } else {
        willWriteReference(object, relation, origin)
      }
    }
    noteChange(object, property, origin)
  }

  /// It has stored.
  func didWrite(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    let relation = relation(origin, property)
    if object._$state.flags.isDisjoint(with: [.changed, .inserted, .gone]) {
      // It ends, which was said; or what was changed before was given up, or saved, while this was under way.
      if isEnding(object) { return }
      noteChange(object, property, origin)
    }
    guard let relation else { return }
    if object._$state.flags.contains(.gone) {
      if !relation.isList { object.one(property).lead(to: links.before) }
    } else if relation.isList {
      didWriteList(object, relation, origin)
    } else {
      didWriteReference(object, relation, origin)
    }
  }

  /// Reads what was not changed here again.
  func fillUnchanged(_ object: any _ModelObject, _ origin: RowOrigin) {
    let mask = object._$state.changed
    // Its lists are emptied while a page of the row is read: no member may end there.
    for case .some(let relation) in store.relations[origin.map.number]
    where relation.isList && mask & _ModelState.bit(relation.property) == 0 {
      session.release(object.many(relation.property).members ?? [])
    }
    let id = RowID(object._$state.row)
    do {
      let table = try session.table(origin.map)
      let found = try table.withRow(id) { (row) throws(StoreError) in
        var source = _RowSource(
          row.start, origin.map.rows[row.version], large: LargeValuesOfRow(table: table, row: row.id))
        object._$decode(only: ~mask, from: &source)
        if !object.isUnreadable { object._$state.flags.remove(.invalid) }
        if let failure = source.noteRefused(in: object, only: ~mask) { fail(object, failure) }
        return true
      }
      // The row is gone; the save will say so. Until then the object shows what it has.
      if found != nil { session.notify(object, nil) }
    } catch { fail(object, error) }
  }

  /// Says that something of an object could not be had. The next save says it too.
  func fail(_ object: any _ModelObject, _ error: any Error) {
    if !object.isUnreadable, !session.isClosed, !isEnding(object) { invalid.append(object) }
    object._$state.flags.insert(.invalid)
    object._$state.takeExtras().failure = error
    if failure == nil { failure = error }
  }

  /// Runs what is needed for an object and may not throw there.
  func need<Result>(_ object: any _ModelObject, _ body: () throws -> Result?) -> Result? {
    do { return try body() } catch {
      fail(object, error)
      return nil
    }
  }

  /// Makes an object that could not be read a fault again. One with changes keeps what it has.
  func tryAgain(_ object: any _ModelObject) {
    guard object._$state.flags.contains(.invalid) else { return }
    object._$state.extras?.failure = nil
    if !object._$state.flags.isDisjoint(with: [.gone, .inserted, .changed, .lent]) {
      if object.refused.isEmpty { object._$state.flags.remove(.invalid) }
      return
    }
    object._$state.flags.remove(.invalid)
    session.release(object._$forget())
    object._$state.flags.insert(.fault)
  }

  /// Makes all objects that could not be read faults again.
  func forgetInvalid() {
    let all = exchange(&invalid, with: [])
    for object in all { tryAgain(object) }
    session.release(all)
    // It may hold a user's object too.
    session.release([exchange(&failure, with: nil)].compactMap { $0 })
  }
}
