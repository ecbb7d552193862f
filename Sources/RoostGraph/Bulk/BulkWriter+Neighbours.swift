internal import RoostRecords

/// Calls `validate` of rows that a bulk write changes only by their relationships.
extension BulkWriter {
  /// Records the rows that are related to rows which are about to be deleted.
  func noteNeighbours(of names: [RowName], _ run: BulkRun) throws {
    var home: (entity: EntityID, map: EntityMap, isJudged: Bool)?
    for name in names {
      if home?.entity != name.entity {
        guard let map = store.map(of: name.entity) else { continue }
        let isJudged = store.maps.contains { $0.home == map.home && saver.hasJudgedNeighbours($0.number) }
        home = (name.entity, map, isJudged)
      }
      guard let (_, map, isJudged) = home, isJudged else { continue }
      let key = LinkKey(map: map.home, row: name.row.number, property: 0)
      let own = store.maps[try classNumber(map, name.row, writer: run.writer)]
      for case .some(let relation) in store.relations[own.number] where saver.isNeighbourJudged(relation) {
        for row in try saver.stored(key, relation, of: own, writer: run.writer) {
          run.neighbours.insert(LinkKey(map: relation.home, row: row, property: 0))
        }
      }
      for way in store.oneWayLists(to: own) where store.judgedHomes.contains(way.owner) {
        let catalog = run.writer.catalog
        guard let side = catalog.relationship(way.id), let inverse = catalog.inverse(of: side) else { continue }
        for row in try run.writer.links(inverse).rows(of: name.row) {
          run.neighbours.insert(LinkKey(map: way.owner, row: row.number, property: 0))
        }
      }
    }
  }

  /// Records a row that changed because a related row was written.
  func noteChanged(_ row: UInt64, _ home: Int, _ run: BulkRun) {
    run.note(changed: row, home)
    if store.judgedHomes.contains(home) { run.neighbours.insert(LinkKey(map: home, row: row, property: 0)) }
  }

  /// Calls `validate` of the recorded rows that still exist, and forgets them. The objects show the
  /// transaction. It writes what they change, and returns their errors.
  func judgeNeighbours(_ run: BulkRun) throws -> [GraphFault] {
    if run.neighbours.isEmpty { return [] }
    let keys = run.neighbours.sorted { ($0.map, $0.row) < ($1.map, $1.row) }
    run.neighbours = []
    var faults: [GraphFault] = []
    let view = TransactionView(run.writer, links)
    defer { view.close() }
    for key in keys {
      guard let object = try view.object(key.row, store.maps[key.map]) else { continue }
      let change: ObjectChange = run.arrived.contains(key) ? .insert : .update
      faults += saver.judge(object, change, name: ObjectName(type(of: object)._$type.name, key.row))
    }
    for (object, map, properties) in try view.changed() {
      try write(object, map, properties: properties, run: run).forEach { faults.append($0) }
    }
    return faults
  }

  /// Writes the properties that `validate` changed; returns the errors of rules.
  private func write(
    _ object: any _ModelObject, _ map: EntityMap, properties: UInt64, run: BulkRun
  ) throws -> [GraphFault] {
    let (box, row) = (Saver.SinkBox(map.newest), RowID(object._$state.row))
    let name = ObjectName(map.type.name, row.number)
    let table = try run.writer.table(map.entity.id)
    guard try table.read(row, into: &box.sink.builder) else { return [] }
    object._$encode(only: properties, into: &box.sink)
    if let failure = box.sink.failure {
      throw SaveRefusal(faults: [saver.refusal(failure, name, writer: run.writer)])
    }
    do { try table.replace(row, with: &box.sink.builder) } catch let fault as RecordFault {
      throw SaveRefusal(faults: [saver.refusal(fault, name, writer: run.writer)])
    }
    run.note(changed: row.number, map.home)
    return saver.hasChecks ? saver.breaches(box, map, mask: properties, name: name) : []
  }
}
