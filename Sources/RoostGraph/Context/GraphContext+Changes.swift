internal import RoostRecords

/// Inserting, deleting, and giving changes up.
extension GraphContext {
  package var hasChanges: Bool {
    inserted.contains { $0._$state.flags.isPending } || changed.contains { $0._$state.flags.isPending }
      || deleted.contains { $0._$state.flags.isPending }
  }

  /// Takes an object into the context; it gets its lasting row number here. An object that is here already stays.
  package func insert(_ object: any _ModelObject) throws {
    try checkOpen()
    if try origin(of: object) != nil {
      // What was to be deleted stays after all.
      if object._$state.flags.contains(.deleted), !object._$state.flags.contains(.gone) {
        object._$state.flags.remove(.deleted)
      }
      return
    }
    let map = try map(of: object)
    let row = try store.records.reserve(of: map.entity.id)
    if object._$state.flags.contains(.fresh) { object.settle() }
    let origin = origin(map)
    object._$state.row = row.number
    object._$state.origin = origin
    object._$state.ticket = origin.objects.put(row.number, object)
    object._$state.flags.insert([.managed, .inserted])
    object._$state.flags.remove([.fresh, .observed])
    object._$state.changed = .max
    inserted.append(object)
  }

  /// Deletes an object at the next save. One that has no row yet is simply let go.
  package func delete(_ object: any _ModelObject) throws {
    try checkOpen()
    guard try origin(of: object) != nil else {
      throw GraphFault(
        .foreign, "the object is in no context, so there is nothing to delete", entity: type(of: object)._$type.name)
    }
    let flags = object._$state.flags
    if flags.contains(.deleted) { return }
    if flags.contains(.fault), let origin = object._$state.origin as? RowOrigin {
      // Its last values stay readable.
      fill(object, origin)
    }
    object._$state.flags.insert(.deleted)
    if flags.contains(.inserted) { object._$state.flags.insert(.gone) } else { deleted.append(object) }
  }

  /// Gives all changes up: inserted objects are nobody's again, and changed ones read their rows anew.
  package func rollback() {
    for object in inserted where object._$state.flags.contains(.inserted) { letGo(object) }
    for object in changed + deleted where !object._$state.flags.contains(.gone) {
      object._$state.changed = 0
      object._$state.flags.remove([.changed, .deleted, .invalid])
      object._$forget()
      object._$state.flags.insert(.fault)
    }
    inserted = []
    changed = []
    deleted = []
    failure = nil
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
