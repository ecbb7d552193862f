internal import RoostRecords

/// Rows whose derived values a save changed, although no object of them did.
extension Saver {
  /// Computes the derived properties of new and changed objects.
  func computeDerived() {
    for object in changes.changed + changes.inserted {
      guard object._$state.flags.isDisjoint(with: [.deleted, .gone]), let map = object.entityMap else { continue }
      object.computeDerived(map.type)
    }
  }

  /// Makes the objects of these rows read them again once the save is committed.
  func noteDerived(_ run: SaveRun) {
    if run.derived.isEmpty { return }
    objects.noteUnread(
      run.derived.compactMap { name in store.map(of: name.entity).flatMap { objects.registered($0, name.row) } })
  }
}
