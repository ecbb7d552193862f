internal import RoostRecords

/// Checks rules of objects that are inserted without a context.
extension BatchInsertion {
  /// Throws the errors of all rules that the row in the box breaks.
  func check(_ object: any _ModelObject, _ place: Place) throws {
    guard bulk.saver.hasChecks else { return }
    try refuse(bulk.saver.breaches(place.box, place.map, mask: .max, name: bulk.objects.name(object)))
  }

  /// Throws the errors of the object's own `validate`.
  func judge(_ object: any _ModelObject, _ place: Place) throws {
    guard place.map.type.judge != nil else { return }
    try refuse(bulk.saver.judge(object, .insert, name: bulk.objects.name(object)))
  }

  private func refuse(_ faults: [GraphFault]) throws {
    if faults.isEmpty { return }
    throw SaveRefusal(
      faults: faults.map { fault in
        var fault = fault
        // No other context knows its row.
        fault.row = nil
        return fault
      })
  }
}

extension ChunkInsertion {
  /// Throws the errors of rules that the row in the box breaks, for properties that an image sets.
  func check(_ place: BatchInsertion.Place, row: UInt64?, isSet: (Int) -> Bool) throws {
    guard let check = bulk.store.checks[place.map.number] else { return }
    let faults = check.breaches(place.box.sink.builder).filter { isSet($0.property) }.map { breach in
      var fault = bulk.saver.fault(breach, place.map, name: ObjectName(place.map.type.name, row ?? 0))
      fault.row = row
      return fault
    }
    if !faults.isEmpty { throw SaveRefusal(faults: faults) }
  }

  /// Makes an object of a row that was just stored, calls its `validate`, and throws its errors.
  func judge(_ place: BatchInsertion.Place, _ row: RowID, change: ObjectChange) throws {
    guard place.map.type.judge != nil else { return }
    let name = ObjectName(place.map.type.name, row.number)
    let scratches = Scratches(bulk, place.table, map: place.map)
    let faults = try scratches.visit(row) { scratch, _ in bulk.saver.judge(scratch.object, change, name: name) } ?? []
    if !faults.isEmpty { throw SaveRefusal(faults: faults) }
  }
}
