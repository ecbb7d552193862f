internal import RoostFile
internal import RoostRecords

/// Makes lazy values that an object cannot make from its kept row: values that are stored outside
/// the row, and values that their types reject.
extension ObjectTable {
  /// Fills the empty slots of lazy properties. Values that cannot be read get a default, and the
  /// next save throws the error.
  ///
  /// The values come from the row as the context shows it. After a save of this context it differs
  /// from the kept row, but not in these properties: a property that was set is no longer lazy, and
  /// an object whose row another context changed is read again.
  ///
  /// - Parameters:
  ///   - object: the object.
  ///   - wanted: the bits of the properties to fill.
  ///   - own: the table of the snapshot in which the object's row was read; nil for the session's
  ///     snapshot.
  func makeValues(_ object: any _ModelObject, _ wanted: UInt64 = .max, in own: TableReader? = nil) {
    if object.makeValues(wanted) { return }
    guard let kept = object._$state.kept, let origin = object._$state.origin as? RowOrigin else { return }
    kept.retain()
    defer { kept.release() }
    let bits = kept.unread & wanted
    object._$state.forgetLazy(bits)
    do { try read(bits, of: object, in: own ?? session.table(origin.map), origin: origin, kept: kept) } catch {
      fail(object, error)
      // If a value was read in part, none of it is kept.
      for property in origin.map.type.properties.indices.prefix(63) where bits & _ModelState.bit(property) != 0 {
        object._$fill(property, orEmpty: true)
      }
      fillEmpty(object, origin.map)
    }
  }

  private func read(
    _ bits: UInt64, of object: any _ModelObject, in table: TableReader, origin: RowOrigin, kept: KeptRow
  ) throws {
    let id = RowID(object._$state.row)
    var failure: (any Error)?
    let isShown = try table.withRow(id) { (row) throws(StoreError) -> Bool in
      if isUnloaded(origin, id.number) { return false }
      // A closed context merges no commits, so the row may be that of a later commit.
      if session.isClosed, !row.bytes.elementsEqual(kept.bytes) { return false }
      var source = _RowSource(row.start, origin.map.rows[row.version], large: LargeValuesOfRow(table: table, row: id))
      object._$decode(only: bits, from: &source)
      failure = source.noteRefused(in: object, only: bits)
      return true
    }
    if let failure { throw failure }
    if isShown != true {
      throw GraphFault(
        .deleted,
        "its row was changed or deleted after the context was closed, so a value that is stored outside the row cannot be read",
        entity: origin.map.type.name, row: id.number)
    }
  }

  /// Makes the lazy values of an object that has some outside its row. Called before that row is
  /// deleted.
  func makeValuesOutside(_ object: any _ModelObject) {
    if let kept = object._$state.kept, kept.hasValuesOutside { makeValues(object) }
  }
}
