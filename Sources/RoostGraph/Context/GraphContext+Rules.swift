internal import RoostRecords

/// Validation without a save.
extension GraphContext {
  /// The errors that a save would throw for an object: rules, counts and its own `validate`.
  package func faults(of object: any _ModelObject) throws -> [GraphFault] {
    try call(.reading) { try saver.faults(of: object) }
  }

  /// The errors that a save would throw for all unsaved objects.
  package func pendingFaults() throws -> [GraphFault] {
    try call(.reading) {
      links.settle()
      let all = try saver.pending + saver.findNeighbours(changes.deletedObjects)
      return try all.flatMap { try saver.faults(of: $0, changesOnly: true) }
    }
  }

  /// The first error of `validate` for a row that a transaction just stored.
  func judge(_ row: RowID, _ map: EntityMap, change: ObjectChange, writer: RecordWriter) throws -> GraphFault? {
    try call(.saving) {
      let scratches = try Scratches(bulk, writer.table(map.entity.id), map: map)
      return try scratches.visit(row) { scratch, _ in
        saver.judge(scratch.object, change, name: ObjectName(scratch.map.type.name, row.number)).first
      } ?? nil
    }
  }
}
