internal import RoostRecords

/// Noting changes, and giving them up.
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
          .deleted, "it is deleted, so what is set has no effect: make a new one", name(object),
          origin.map.type.propertyName(property)))
    }
    if !object._$state.flags.contains(.changed) {
      object._$state.flags.insert(.changed)
      // Behind the context's end it is saved by nobody, and would be kept for good.
      if !object._$state.flags.contains(.inserted), !isClosed { changed.append(object) }
    }
    object._$state.changed |= _ModelState.bit(property)
  }

  /// Gives all changes up: inserted objects are nobody's again, and changed ones read their rows anew.
  package func rollback() {
    quietly(.closing) {
      giveUp()
      attempt { if reader != nil { try advance() } }
    }
  }

  func giveUp() {
    for object in inserted where object._$state.flags.contains(.inserted) { letGo(object) }
    for object in changed + deleted where !object._$state.flags.contains(.gone) {
      object._$state.changed = 0
      object._$state.flags.remove([.changed, .deleted, .invalid])
      object._$forget()
      object._$state.flags.insert(.fault)
      noteTold(object, nil)
    }
    inserted = []
    changed = []
    deleted = []
    forgetLinks()
    bases = [:]
    mayDangle = false
    complaints = []
    forgetInvalid()
    singles = [:]
    batches.letGo()
  }

  private func letGo(_ object: any _ModelObject) {
    if let origin = object._$state.origin as? RowOrigin {
      origin.objects.remove(object._$state.row, object._$state.ticket)
    }
    object._$state.origin = nil
    object._$state.row = 0
    object._$state.changed = 0
    object._$state.flags.remove([.managed, .inserted, .changed, .deleted, .gone])
    object._$state.flags.insert(.observed)
  }
}
