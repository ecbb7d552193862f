internal import RoostFile
internal import RoostRecords

/// Filling objects from their rows.
extension GraphContext {
  /// A getter cannot load: the object is a fault, or a list is not loaded.
  func willRead(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    if object._$state.flags.contains(.fault) { fill(object, origin) }
    guard let relation = relation(origin, property), relation.isList, !object._$isFilled(property),
      object._$state.flags.isDisjoint(with: .lent)
    else { return }
    load(object, relation, origin)
  }

  /// A setter is about to store.
  func willWrite(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    if let relation = relation(origin, property) {
      if object._$state.flags.contains(.fault) { fill(object, origin) }
      if relation.isList {
        willWriteList(object, relation, origin)
      } else {
        willWriteReference(object, relation, origin)
      }
    }
    noteChange(object, property, origin)
  }

  /// It has stored.
  func didWrite(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    guard let relation = relation(origin, property) else { return }
    if relation.isList { didWriteList(object, relation, origin) } else { didWriteReference(object, relation, origin) }
    tellWaiting()
  }

  /// Reads the object's row. Where it cannot be read the object is invalid from here on, and its extras know why.
  func fill(_ object: any _ModelObject, _ origin: RowOrigin) {
    statistics.faultsFilled += 1
    let id = RowID(object._$state.row)
    do {
      let table = try table(origin.map)
      let found = try table.withRow(id) { (row) throws(StoreError) in
        take(row, table, into: object, origin)
        return true
      }
      if found == nil {
        fail(object, GraphFault(.deleted, "there is no such row", entity: origin.map.type.name, row: id.number))
        fillWithAnything(object, origin.map)
      }
    } catch {
      fail(object, error)
      fillWithAnything(object, origin.map)
    }
  }

  /// Gives an object the values of a row that is at hand.
  func take(_ row: Row, _ table: TableReader, into object: any _ModelObject, _ origin: RowOrigin) {
    var source = _RowSource(row.start, origin.map.rows[row.version], large: LargeValuesOfRow(table: table, row: row.id))
    object._$decode(from: &source)
    object._$state.flags.remove(.fault)
    if let failure = source.failure { fail(object, failure) }
  }

  /// Reads what was not changed here again.
  func fillUnchanged(_ object: any _ModelObject, _ origin: RowOrigin) {
    let mask = object._$state.changed
    let id = RowID(object._$state.row)
    do {
      let table = try table(origin.map)
      let found = try table.withRow(id) { (row) throws(StoreError) in
        var source = _RowSource(
          row.start, origin.map.rows[row.version], large: LargeValuesOfRow(table: table, row: row.id))
        object._$decode(only: ~mask, from: &source)
        if let failure = source.failure { fail(object, failure) }
        return true
      }
      // The row is gone; the save will say so. Until then the object shows what it has.
      if found != nil { noteTold(object, nil) }
    } catch { fail(object, error) }
  }

  func fail(_ object: any _ModelObject, _ error: any Error) {
    object._$state.flags.insert(.invalid)
    object._$state.takeExtras().failure = error
    if failure == nil { failure = error }
  }

  /// Reads the values that stand outside a row.
  struct LargeValuesOfRow: _RowSource.LargeValues {
    let table: TableReader
    let row: RowID

    func bytes(of field: FieldID) throws(StoreError) -> [UInt8] { try table.large(field, row) }
  }
}
