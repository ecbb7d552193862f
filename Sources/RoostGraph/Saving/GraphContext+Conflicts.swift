internal import RoostRecords

/// Finding what was changed here and by another context too, before anything is written.
///
/// Only rows are looked at that others changed: where nobody committed since the snapshot, none.
extension GraphContext {
  func compare(_ run: SaveRun) throws {
    guard let news = run.news else { return }
    for object in changed {
      let flags = object._$state.flags
      guard flags.contains(.changed), flags.isDisjoint(with: [.deleted, .inserted]),
        let origin = object._$state.origin as? RowOrigin
      else { continue }
      let row = key(object, origin)
      guard news.contains(row.map, row.row) || bases[row] != nil else { continue }
      try compare(object, origin, row, run)
    }
    guard mergePolicy == .error else { return }
    for object in deletedObjects {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      let row = key(object, origin)
      if news.contains(row.map, row.row) || bases[row] != nil { try compareDeleted(object, origin, row, run) }
    }
  }

  /// The object's row, as a key.
  func key(_ object: any _ModelObject, _ origin: RowOrigin) -> LinkKey { key(object, origin, 0) }

  private func compare(_ object: any _ModelObject, _ origin: RowOrigin, _ row: LinkKey, _ run: SaveRun) throws {
    let reader = try run.reading(origin.map)
    let all = try fields(origin.map)
    let changed = object._$state.changed
    guard try reader.contains(RowID(row.row)) else { return vanish(object, row, all, run) }
    var written = changed
    for (bit, fields) in all.sorted(by: { $0.key < $1.key }) where changed & 1 << UInt64(bit) != 0 {
      guard let stored = try reader.values(fields, of: RowID(row.row)) else { continue }
      let known = try bases[row]?.values[bit] ?? table(origin.map).values(fields, of: RowID(row.row))
      guard let before = known, !isStill(before, stored) else { continue }
      guard let here = try values(object, origin, bit, fields, run), !isStill(here, stored) else { continue }
      let conflict = SaveSummary.Conflict(
        object: name(object), property: property(origin.map, bit), before: text(before), here: text(here),
        stored: text(stored), seen: bases[row]?.commit ?? seenCommit ?? 0, newest: run.writer.commitNumber - 1,
        keepsStored: mergePolicy == .storeWins)
      if mergePolicy == .error {
        run.refuse(refusal(conflict))
        continue
      }
      run.summary.conflicts.append(conflict)
      if mergePolicy == .storeWins { written &= ~(1 << UInt64(bit)) }
    }
    if mergePolicy == .overwrite { written = .max }
    if written != changed { run.masks[ObjectIdentifier(object)] = written }
  }

  /// Somebody else deleted what was changed here.
  private func vanish(_ object: any _ModelObject, _ row: LinkKey, _ fields: [Int: [FieldID]], _ run: SaveRun) {
    run.vanished.insert(row)
    let hasValues = fields.keys.contains { object._$state.changed & 1 << UInt64($0) != 0 }
    let cure = "delete it here too, give its changes up with rollback(), or save with the merge policy .storeWins"
    if mergePolicy == .error {
      return run.refuse(GraphFault(.conflict, "another context deleted what was changed here: " + cure, name(object)))
    }
    // Members that came or went are told by their own sides.
    if !hasValues || mergePolicy == .storeWins { return run.summary.dropped.append(name(object)) }
    run.refuse(GraphFault(.deleted, "another context deleted what was changed here: " + cure, name(object)))
  }

  private func compareDeleted(_ object: any _ModelObject, _ origin: RowOrigin, _ row: LinkKey, _ run: SaveRun) throws {
    for (bit, fields) in try fields(origin.map).sorted(by: { $0.key < $1.key }) {
      guard let stored = try run.reading(origin.map).values(fields, of: RowID(row.row)),
        let before = try bases[row]?.values[bit] ?? table(origin.map).values(fields, of: RowID(row.row)),
        !isStill(before, stored)
      else { continue }
      let seen = bases[row]?.commit ?? seenCommit ?? 0
      return run.refuse(
        GraphFault(
          .conflict,
          "another context changed what was deleted here, from \(text(before)) at commit \(seen) to "
            + "\(text(stored)) by commit \(run.writer.commitNumber - 1): give the deletion up with rollback(), or save with "
            + "another merge policy", name(object), property(origin.map, bit)))
    }
  }

  /// What an object has in the fields of one property.
  private func values(
    _ object: any _ModelObject, _ origin: RowOrigin, _ bit: Int, _ fields: [FieldID], _ run: SaveRun
  ) throws -> [Value]? {
    let box = sink(origin.map)
    let row = RowID(object._$state.row)
    guard try run.writer.table(origin.map.entity.id).read(row, into: &box.sink.builder) else { return nil }
    box.sink.failure = nil
    object._$encode(only: 1 << UInt64(bit), into: &box.sink)
    // What cannot be stored is refused when it is written.
    if box.sink.failure != nil { return nil }
    return try run.reading(origin.map).values(fields, of: row, in: box.sink.builder)
  }

  private func refusal(_ one: SaveSummary.Conflict) -> GraphFault {
    GraphFault(
      .conflict,
      "it was \(one.before) at commit \(one.seen); here it became \(one.here), and another context stored \(one.stored), by "
        + "commit \(one.newest) at the latest: give the change up with rollback(), or save with another merge policy",
      one.object, one.property)
  }

  private func property(_ map: EntityMap, _ bit: Int) -> String { map.type.propertyName(bit) }

  private func isStill(_ before: [Value], _ now: [Value]) -> Bool {
    before.count == now.count && zip(before, now).allSatisfy { $0.isStill($1) }
  }

  private func text(_ values: [Value]) -> String {
    values.count == 1 ? values[0].text : "(" + values.map(\.text).joined(separator: ", ") + ")"
  }
}
