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
  func noteChanged(_ row: UInt64, _ home: Int, run: BulkRun) {
    run.note(changed: row, home)
    if store.judgedHomes.contains(home) { run.neighbours.insert(LinkKey(map: home, row: row, property: 0)) }
  }

  /// Calls `validate` of the recorded rows that still exist, and forgets them. Returns the errors.
  func judgeNeighbours(_ run: BulkRun) throws -> [GraphFault] {
    if run.neighbours.isEmpty { return [] }
    let keys = exchange(&run.neighbours, with: [])
    let rows = keys.map { ($0, run.arrived.contains($0) ? ObjectChange.insert : .update) }
    return try saver.judgeRows(rows, run.writer) { run.note(changed: $0.row, $0.map) }
  }
}
