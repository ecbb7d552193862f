internal import RoostFile
internal import RoostRecords

/// Turns objects into faults again, so that they are read anew.
extension ObjectTable {
  /// Makes an object read its row again.
  func forget(_ object: any _ModelObject) {
    guard object._$state.flags.isDisjoint(with: [.gone, .lent, .fault, .inserted, .changed]) else { return }
    session.release(object._$forget())
    object._$state.flags.insert(.fault)
    session.notify(object, nil)
  }

  /// Turns all objects without changes into faults again. After a rollback some objects may have
  /// new changes, made by the `deinit` of others.
  func forgetUnchanged() {
    for object in all
    where object._$state.flags.isDisjoint(with: [.fault, .gone, .lent, .changed, .inserted]) {
      session.release(object._$forget())
      object._$state.flags.insert(.fault)
      session.notify(object, nil)
    }
  }

  /// Turns an object that could not be read into a fault again. An object with changes keeps its
  /// values.
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

  /// Reads all properties again that were not changed here.
  func fillUnchanged(_ object: any _ModelObject, _ origin: RowOrigin) {
    let mask = object._$state.changed
    // The lists are emptied while a page of the row is read, and no member's `deinit` may run
    // there.
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
        object._$state.forgetLazy(~mask)
        object._$decode(only: ~mask, from: &source)
        if !object.isUnreadable { object._$state.flags.remove(.invalid) }
        if let failure = source.noteRefused(in: object, only: ~mask) { fail(object, failure) }
        return true
      }
      // The row is gone, and the save will throw. Until then the object keeps its values.
      if found != nil { session.notify(object, nil) }
    } catch { fail(object, error) }
  }
}
