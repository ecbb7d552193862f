/// Finds changes that the program makes while a save writes.
///
/// An attempt runs code of the program: `validate` with the result of a merge, `encode(to:)`, and
/// the `deinit` of released objects. A change that this code makes may be too late for its row, and
/// the end of the save would mark it as saved. So an attempt with such a change is not committed:
/// the save is tried again and writes the change, or it throws if `validate` made the change.
extension Saver {
  /// Runs an attempt and learns of the changes that the program makes meanwhile.
  static func watching(_ savers: [Saver], _ attempt: () throws -> Void) throws {
    for saver in savers {
      let writes = JudgedWrites(saver)
      (saver.writes, saver.changes.judgedWrites) = (writes, writes)
      saver.watched = savers
      if saver.store.runsCode { writes.markPending() }
    }
    defer {
      for saver in savers {
        saver.writes?.unmarkPending()
        // The objects are released after the save, because a `deinit` may change others.
        saver.session.release(saver.writes)
        (saver.changes.judgedWrites, saver.writes) = (nil, nil)
        saver.watched = []
      }
    }
    try attempt()
  }

  /// The object of any store that the program changed, inserted or deleted during this attempt; nil
  /// if there is none.
  func lateObject() throws -> ObjectName? {
    var late: ObjectName?
    for saver in watched {
      guard let writes = saver.writes else { continue }
      if writes.isRolledBack {
        throw GraphFault(.conflict, "rollback() was called while the save wrote: call it after the save")
      }
      if late == nil { late = writes.changed.map(saver.objects.name) }
    }
    return late
  }

  /// Throws if `validate` of the attempt's rows changed objects of the context.
  func refuseLateObject() throws {
    guard let name = try lateObject() else { return }
    throw SaveRefusal(faults: [
      GraphFault(
        .invalid,
        "validate(_:) changed, inserted or deleted it while the save merged rows, so nothing is saved: let it only "
          + "read models", name: name)
    ])
  }
}
