internal import RoostRecords

/// Validation without a save.
extension GraphContext {
  /// What a save would refuse of an object by rules, counts and its own `validate`.
  package func faults(of object: any _ModelObject) throws -> [GraphFault] {
    try call(.reading) { try saver.faults(of: object) }
  }

  /// What a save would refuse of all objects that wait for it.
  package func pendingFaults() throws -> [GraphFault] {
    try call(.reading) {
      links.settle()
      let all = try saver.pending + saver.findNeighbours(changes.deletedObjects)
      return try all.flatMap { try saver.faults(of: $0, changesOnly: true) }
    }
  }

  /// The first thing that the object of a row refuses by itself, which a transaction just stored.
  func judge(_ row: RowID, _ map: EntityMap, change: ObjectChange, writer: RecordWriter) throws -> GraphFault? {
    try call(.saving) {
      let scratches = try Scratches(bulk, writer.table(map.entity.id), map: map)
      return try scratches.visit(row) { scratch, _ in
        saver.judge(scratch.object, change, name: ObjectName(scratch.map.type.name, row.number)).first
      } ?? nil
    }
  }
}
