internal import RoostRecords

/// Calls `validate` with the rows of a transaction if no object of the context shows their state.
extension Saver {
  /// Calls `validate` of rows that still exist, on objects that show the state in the transaction.
  /// Writes the changes that these calls make.
  ///
  /// - Parameters:
  ///   - rows: the rows, by the maps of their entities, with the reason of each call.
  ///   - writer: the transaction.
  ///   - wrote: called for each row that a call changed.
  /// - Returns: the errors of `validate` and of rules.
  func judgeRows(
    _ rows: [(key: LinkKey, change: ObjectChange)], _ writer: RecordWriter, wrote: (LinkKey) -> Void
  ) throws -> [GraphFault] {
    if !validates || isFilling { return [] }
    let wasJudging = exchange(&isJudging, with: true)
    let view = TransactionView(writer, links)
    defer {
      isJudging = wasJudging
      view.close()
    }
    var faults: [GraphFault] = []
    for (key, change) in rows.sorted(by: { ($0.key.map, $0.key.row) < ($1.key.map, $1.key.row) }) {
      guard let object = try view.object(key.row, store.maps[key.map]) else { continue }
      let type = type(of: object)._$type
      faults += judge(object, change, name: ObjectName(type.name, key.row))
      object.computeDerived(type)
    }
    for (object, map, properties) in try view.changed() {
      faults += try write(object, map, properties: properties, writer: writer)
      wrote(LinkKey(map: map.home, row: object._$state.row, property: 0))
    }
    return faults
  }

  /// Records a row with a `validate` that has values of two writers. A backing store validates its
  /// own merges.
  func noteMixed(_ row: LinkKey, _ map: EntityMap, run: SaveRun) {
    if map.type.judge != nil, store.backing == nil { run.mixed.insert(row) }
  }

  /// Records a row with a `validate` that lost a reference or a partner, unless its object was
  /// validated already.
  func noteLoose(_ row: LinkKey, _ run: SaveRun) {
    guard store.judgedHomes.contains(row.map), store.backing == nil, !neighbours.contains(row) else { return }
    if objects.registered(store.maps[row.map], RowID(row.row))?.isPending == true { return }
    run.mixed.insert(row)
  }

  /// Calls `validate` of the rows that have values of two writers, after all rows and lists are
  /// written.
  func judgeMixed(_ run: SaveRun) throws {
    // Their objects may have said the same already.
    if run.mixed.isEmpty || !judged.isEmpty { return }
    let faults = try judgeRows(run.mixed.map { ($0, .update) }, run.writer) { row in
      run.note(row.map, row.row)
      run.parted.append(row)
    }
    faults.forEach(run.refuse)
  }

  /// Writes properties of one object of a view; returns the errors of rules.
  private func write(
    _ object: any _ModelObject, _ map: EntityMap, properties: UInt64, writer: RecordWriter
  ) throws -> [GraphFault] {
    let (box, row) = (SinkBox(map.newest), RowID(object._$state.row))
    let name = ObjectName(map.type.name, row.number)
    let table = try writer.table(map.entity.id)
    guard try table.read(row, into: &box.sink.builder) else { return [] }
    object._$encode(only: properties, into: &box.sink)
    if let failure = box.sink.failure { throw SaveRefusal(faults: [refusal(failure, name, writer: writer)]) }
    do { try table.replace(row, with: &box.sink.builder) } catch let fault as RecordFault {
      throw SaveRefusal(faults: [refusal(fault, name, writer: writer)])
    }
    return hasChecks ? breaches(box, map, mask: properties, name: name) : []
  }
}
