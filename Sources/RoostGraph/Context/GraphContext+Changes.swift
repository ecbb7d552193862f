internal import RoostRecords

/// Noting changes.
extension GraphContext {
  package var hasChanges: Bool {
    !complaints.isEmpty || inserted.contains { $0._$state.flags.isPending }
      || changed.contains { $0._$state.flags.isPending } || deleted.contains { $0._$state.flags.isPending }
  }

  /// Notes that a property of the object changes; a fault is filled first.
  func noteChange(_ object: any _ModelObject, _ property: Int, _ origin: RowOrigin) {
    if object._$state.flags.contains(.fault) { fill(object, origin) }
    if object._$state.flags.contains(.gone) {
      return complain(
        GraphFault(
          .deleted, "it is deleted, so setting it has no effect: make a new object", name(object),
          origin.map.type.propertyName(property)))
    }
    if likes.count > 0, object._$state.flags.contains(.inserted), let bits = likes.bits[origin.map.number],
      bits & _ModelState.bit(property) != 0
    {
      likes = Likes()
    }
    if !object._$state.flags.contains(.changed) {
      // Behind the context's end it is saved by nobody, and would be kept for good.
      if !object._$state.flags.contains(.inserted), !isClosed {
        if isGoing(object) {
          return complain(
            GraphFault(
              .deleted, "its deinit changed it, and an object that ends cannot be saved: change it earlier",
              name(object), origin.map.type.propertyName(property)))
        }
        if isWatched { watcher?.willChange(object) }
        changed.append(object)
      }
      object._$state.flags.insert(.changed)
    }
    object._$state.changed |= _ModelState.bit(property)
    if object._$state.flags.contains(.invalid) { object.forgetRefused(property) }
  }
}
