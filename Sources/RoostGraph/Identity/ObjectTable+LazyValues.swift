internal import RoostFile
internal import RoostRecords

/// Lazy values that an object cannot make from the row that it keeps: those that are stored outside of the row, and those that their types
/// refuse.
extension ObjectTable {
  /// Fills the empty slots of lazy properties. What cannot be read gets a default, and the next save throws why.
  ///
  /// - Parameter own: the table of the snapshot in which the object's row was read; nil for the session's snapshot.
  func makeValues(_ object: any _ModelObject, _ wanted: UInt64 = .max, in own: TableReader? = nil) {
    if object.makeValues(wanted) { return }
    guard let kept = object._$state.kept, let origin = object._$state.origin as? RowOrigin else { return }
    kept.retain()
    defer { kept.release() }
    let bits = kept.unread & wanted
    do {
      let id = RowID(object._$state.row)
      let table = try own ?? session.table(origin.map)
      guard let isSame = try table.withRow(id, { (row) throws(StoreError) in row.bytes.elementsEqual(kept.bytes) })
      else {
        throw GraphFault(
          .deleted, "there is no such row, so a value that is stored outside of it cannot be read any more",
          entity: origin.map.type.name, row: id.number)
      }
      if !isSame { return refresh(object, wanted, origin: origin) }
      object._$state.forgetLazy(bits)
      var source = _RowSource(kept.start, kept.plan, large: LargeValuesOfRow(table: table, row: id))
      object._$decode(only: bits, from: &source)
      if let failure = source.noteRefused(in: object, only: bits) { throw failure }
    } catch {
      object._$state.forgetLazy(bits)
      fail(object, error)
      // Of a value that was read in part, nothing stays.
      for property in origin.map.type.properties.indices.prefix(63) where bits & _ModelState.bit(property) != 0 {
        object._$fill(property, orEmpty: true)
      }
      fillEmpty(object, origin.map)
    }
  }

  /// Reads a row again that the session's snapshot has otherwise than an object, and fills the slots.
  private func refresh(_ object: any _ModelObject, _ wanted: UInt64, origin: RowOrigin) {
    if !object._$state.flags.isDisjoint(with: [.changed, .lent]) { return fillUnchanged(object, origin) }
    session.release(object._$forget())
    object._$state.flags.insert(.fault)
    fill(object, origin)
    session.notify(object, nil)
    makeValues(object, wanted)
  }

  /// Makes the values of an object that are stored outside of its row, which is about to go.
  func makeValuesOutside(_ object: any _ModelObject) {
    if let kept = object._$state.kept, kept.hasValuesOutside { makeValues(object) }
  }
}
