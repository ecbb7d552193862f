internal import RoostFile
internal import RoostRecords

/// Filling objects from their rows.
extension LinkGraph {
  /// A getter cannot load: the object is a fault, or a list is not loaded.
  func willRead(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    if object._$state.flags.contains(.fault) {
      if objects.isTracked {
        objects.observe(true)
        object.track(property)
      }
      objects.fill(object, origin, for: property)
    }
    if object._$state.flags.contains(.invalid) { objects.replaceRefused(object, property, origin) }
    guard let relation = relation(origin, property), relation.isList, !object.many(property).isFilled,
      object._$state.flags.isDisjoint(with: .lent)
    else { return }
    load(object, relation, origin)
  }

  /// A setter is about to store.
  func willWrite(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    if let relation = relation(origin, property) {
      if object._$state.flags.contains(.fault) { objects.fill(object, origin) }
      if object._$state.flags.contains(.gone) {
        // Nothing comes of it, on the other side neither.
        if !relation.isList { ledger.before = object.one(property).row }
      } else if relation.isList {
        willWriteList(object, relation, origin)
      } else {
        willWriteReference(object, relation, origin)
      }
    }
    changes.noteChange(object, property, origin)
  }

  /// It has stored.
  func didWrite(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    let relation = relation(origin, property)
    if object._$state.flags.isDisjoint(with: [.changed, .inserted, .gone]) {
      // It ends, which was said; or what was changed before was given up, or saved, while this was under way.
      if isEnding(object) { return }
      changes.noteChange(object, property, origin)
    }
    guard let relation else { return }
    if object._$state.flags.contains(.gone) {
      if !relation.isList { object.one(property).lead(to: ledger.before) }
    } else if relation.isList {
      didWriteList(object, relation, origin)
    } else {
      didWriteReference(object, relation, origin)
    }
  }
}
