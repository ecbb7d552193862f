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

  /// Calls `validate` for a row that a transaction just stored, and writes the values that the call
  /// changes. Returns the first error.
  func judge(_ row: RowID, _ map: EntityMap, change: ObjectChange, writer: RecordWriter) throws -> GraphFault? {
    try call(.saving) {
      let scratches = try Scratches(bulk, writer.table(map.entity.id), map: map)
      var written: (object: any _ModelObject, map: EntityMap, properties: UInt64)?
      let fault = try scratches.visit(row) { scratch, _ in
        let fault = saver.judge(scratch.object, change, name: ObjectName(scratch.map.type.name, row.number)).first
        if scratch.changed == 0 { return fault }
        scratch.object.computeDerived(scratch.map.type)
        written = (scratch.object, scratch.map, scratch.changed)
        return fault
      }
      if case .some(.some(let fault)) = fault { return fault }
      guard let written else { return nil }
      do {
        return try saver.write(written.object, written.map, properties: written.properties, writer: writer).first
      } catch let refusal as SaveRefusal { return refusal.faults.first }
    }
  }
}
