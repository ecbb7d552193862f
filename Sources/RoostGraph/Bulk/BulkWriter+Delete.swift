internal import RoostRecords

/// Deletes all rows of a choice and follows their delete rules, without an object for each.
extension BulkWriter {
  /// Deletes all rows, or none if a rule forbids it. It returns the rows of the choice; delete
  /// rules may have deleted further rows.
  func delete(_ choice: RowChoice) throws -> BulkOutcome {
    try write { run in
      let rows = try rows(choice, run.writer)
      if rows.isEmpty { return nil }
      try checkWaiting(rows, choice.map)
      var found = RowRuns()
      for row in rows { found.append(try classNumber(choice.map, row, writer: run.writer), row) }
      let entity = choice.map.entity.id
      let names = rows.lazy.map { RowName(entity, $0) }
      if store.hasJudges {
        let all = try run.writer.following(names)
        try judge(all, run)
        try noteNeighbours(of: all, run)
      }
      // After the deletion the lists that lost members could no longer be found.
      if store.countedRelations.contains(where: { $0.contains { $0.minimum > 0 } }) {
        let all = try byMap(run.writer.following(names))
        run.counted.formUnion(try saver.owners(losing: all, [], run.writer))
      }
      let gone: Deleted
      do { gone = try run.writer.deleteFollowingRules(names) } catch let fault as RecordFault {
        throw SaveRefusal(faults: saver.refusals(fault))
      }
      try note(gone, run)
      return found
    }
  }

  /// Calls `validate` for each row that will be deleted, including those that a delete rule
  /// deletes.
  private func judge(_ names: [RowName], _ run: BulkRun) throws {
    for (number, rows) in byMap(names).sorted(by: { $0.key < $1.key }) {
      let map = store.maps[number]
      guard store.judgedHomes.contains(number) else { continue }
      let scratches = try Scratches(self, run.writer.table(map.entity.id), map: map)
      for row in rows {
        _ = try scratches.visit(row) { scratch, _ in
          run.refuse(saver.judge(scratch.object, .delete, name: ObjectName(scratch.map.type.name, row.number)))
        }
      }
    }
    if !run.faults.isEmpty { throw SaveRefusal(faults: run.faults, count: run.faultCount) }
  }

  /// The class of a row; the class of the map if it is unknown.
  func classNumber(_ map: EntityMap, _ row: RowID, writer: RecordWriter) throws -> Int {
    guard let family = map.family else { return map.number }
    return try writer.table(map.entity.id).visit(row) { family.map(of: $0) ?? map.number } ?? map.number
  }

  private func note(_ gone: Deleted, _ run: BulkRun) throws {
    for name in gone.rows {
      if let map = store.map(of: name.entity) { run.note(deleted: name.row.number, map.home) }
    }
    for (map, rows) in byMap(gone.rows) { try checkWaiting(rows, store.maps[map]) }
    for loose in gone.loose {
      guard let map = store.map(of: loose.row.entity) else { continue }
      noteChanged(loose.row.row.number, map.home, run: run)
      // Fields of subclasses may always be nil, so the rows themselves allowed it.
      if store.needsReference(loose.field, map) {
        let field = map.entity.field(loose.field)?.name
        throw SaveRefusal(faults: [
          GraphFault.needed(objects.name(loose.row), saver.property(field), other: objects.name(loose.gone))
        ])
      }
    }
  }

  private func byMap(_ names: [RowName]) -> [Int: [RowID]] {
    var found: [Int: [RowID]] = [:]
    for name in names {
      if let map = store.map(of: name.entity) { found[map.home, default: []].append(name.row) }
    }
    return found
  }
}
