internal import RoostRecords

/// Calls `validate` with the rows of a transaction if no object of the context shows their state.
extension Saver {
  /// Calls `validate` of rows that still exist, on objects that show the state in the transaction.
  /// Writes the values that these calls change.
  ///
  /// There are rounds as in ``judge(_:)``: each calls the objects whose values changed in the round
  /// before.
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
      // Objects are released after the call, because a `deinit` may change others.
      session.release(view.close())
    }
    var faults: [LinkKey: [GraphFault]] = [:]
    let reasons = Dictionary(rows.map { ($0.key, $0.change) }) { $1 }
    var waiting = rows.map(\.key)
    var rounds = 0
    while !waiting.isEmpty {
      rounds += 1
      for key in waiting.sorted(by: { ($0.map, $0.row) < ($1.map, $1.row) }) {
        guard let object = try view.object(key.row, store.maps[key.map]) else { continue }
        let type = type(of: object)._$type
        let found = judge(object, reasons[key] ?? .update, name: ObjectName(type.name, key.row))
        if !(found.isEmpty && faults.isEmpty) { faults[key] = found }
        object.computeDerived(type)
      }
      waiting = view.takeChanged()
      if rounds == Self.mostRounds, let last = waiting.last {
        throw Self.endless(ObjectName(objects.map(of: last).type.name, last.row))
      }
    }
    for (object, map, _) in try view.changed() { object.computeDerived(map.type) }
    var refused = faults.sorted { ($0.key.map, $0.key.row) < ($1.key.map, $1.key.row) }.flatMap(\.value)
    for (object, map, properties) in try view.changed() {
      refused += try write(object, map, properties: properties, writer: writer)
      wrote(LinkKey(map: map.home, row: object._$state.row, property: 0))
    }
    return refused
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

  /// Calls `validate` of the rows that have values of two writers, and of rows that merges concern, after
  /// all rows and lists are written.
  func judgeMixed(_ run: SaveRun) throws {
    for object in metMerges(run) {
      guard let map = object.entityMap else { continue }
      run.mixed.insert(LinkKey(map: map.home, row: run.row(map.home, object._$state.row), property: 0))
    }
    // Their objects may have said the same already. An attempt with late changes is repeated.
    if try run.mixed.isEmpty || !lastingJudgement(run).isEmpty { return }
    if try lateObject() != nil { return }
    for saver in watched { saver.writes?.markPending() }
    let rows = run.mixed.map { key -> (LinkKey, ObjectChange) in
      let isNew = objects.registered(store.maps[key.map], RowID(key.row))?._$state.flags.contains(.inserted) == true
      return (key, isNew ? .insert : .update)
    }
    let faults = try judgeRows(rows, run.writer) { row in
      run.note(row.map, row.row)
      run.parted.append(row)
    }
    try refuseLateObject()
    faults.forEach(run.refuse)
  }

  /// Writes properties of an object that shows a row of the transaction; returns the errors of rules.
  func write(
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
