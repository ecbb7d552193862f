internal import RoostRecords

/// What a row held in properties that were changed here, before others changed the row too.
///
/// A context goes on to newer snapshots at each fetch, and keeps what was changed here. Whether somebody else changed the same
/// is found out at the save; by then the snapshot does not show any more what the change began with.
struct RowBase {
  /// The commit of the snapshot.
  var commit: UInt64
  /// By the number of the property.
  var values: [Int: [Value]] = [:]
}

extension GraphContext {
  /// Notes what an older snapshot says of the properties that are changed.
  func keepBase(_ object: any _ModelObject, _ old: RecordReader) {
    let flags = object._$state.flags
    guard !flags.isDisjoint(with: [.changed, .deleted]), flags.isDisjoint(with: [.inserted, .gone]),
      let origin = object._$state.origin as? RowOrigin
    else { return }
    let row = key(object, origin)
    let kept = flags.contains(.deleted) ? .max : object._$state.changed
    var base = bases[row] ?? RowBase(commit: old.commit)
    do {
      let table = try old.table(origin.map.entity.id)
      for (property, fields) in try objects.fields(origin.map) where kept & _ModelState.bit(property) != 0 {
        if base.values[property] == nil { base.values[property] = try table.values(fields, of: RowID(row.row)) }
      }
    } catch { objects.fail(object, error) }
    bases[row] = base
  }
}
