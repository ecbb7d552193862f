internal import RoostRecords

/// Handles rows whose derived values a save changed although their objects did not.
extension Saver {
  /// Computes the derived properties of new and changed objects.
  func computeDerived() {
    for object in changes.changed + changes.inserted {
      guard object._$state.flags.isDisjoint(with: [.deleted, .gone]), let map = object.entityMap else { continue }
      object.computeDerived(map.type)
    }
  }

  /// Computes the derived properties of a row again and checks its class's rules. Returns the
  /// errors.
  ///
  /// Such a row has values of two writers, because a merge or a policy chose between them. So no
  /// object has computed the derived values that fit.
  func settleMixed(_ row: RowID, _ map: EntityMap, writer: RecordWriter) throws -> [GraphFault] {
    let type = map.type
    if type.computed.isEmpty, type.judge == nil || !validates { return [] }
    let table = try writer.table(map.entity.id)
    let (scratch, box) = (Scratch(map, links), SinkBox(map.newest))
    let name = ObjectName(type.name, row.number)
    let wasJudging = exchange(&isJudging, with: true)
    defer { isJudging = wasJudging }
    var faults: [GraphFault] = []
    let isChanged = try table.visit(row) { stored in
      scratch.begin(stored, table)
      defer { scratch.leave() }
      scratch.object.computeDerived(type)
      if validates { faults = judge(scratch.object, .update, name: name) }
      scratch.object.computeDerived(type)
      if let fault = scratch.fault { throw SaveRefusal(faults: [fault]) }
      if let failure = scratch.failure { throw failure }
      if scratch.changed == 0 { return false }
      box.sink.builder.load(admitted: stored.bytes)
      scratch.object._$encode(only: scratch.changed, into: &box.sink)
      if let failure = box.sink.failure { throw SaveRefusal(faults: [refusal(failure, name, writer: writer)]) }
      if hasChecks, validates { faults += breaches(box, map, mask: scratch.changed, name: name) }
      return true
    }
    guard isChanged == true else { return faults }
    do { try table.replace(row, with: &box.sink.builder) } catch let fault as RecordFault {
      throw SaveRefusal(faults: [refusal(fault, name, writer: writer)])
    }
    return faults
  }

  /// Makes the objects of these rows read them again after the commit.
  func noteDerived(_ run: SaveRun) {
    if run.derived.isEmpty { return }
    objects.noteUnread(
      run.derived.compactMap { name in store.map(of: name.entity).flatMap { objects.registered($0, name.row) } })
  }
}
