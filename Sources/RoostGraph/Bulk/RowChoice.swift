package import RoostQuery
internal import RoostFile
internal import RoostRecords

/// The rows that a bulk write changes.
package struct RowChoice {
  package var map: EntityMap
  package var query: Query
  /// The part of the condition that the engine cannot compute; nil if there is none.
  package var test: ((any _ModelObject) throws -> Bool)?

  package init(_ map: EntityMap, _ query: Query, test: ((any _ModelObject) throws -> Bool)? = nil) {
    self.map = map
    self.query = query
    self.test = test
  }
}

/// The scratch objects of one bulk write, one for each class.
///
/// A class, so that the user's code, which gets them, runs outside every access to a field.
final class Scratches {
  private let bulk: BulkWriter
  private let table: TableWriter
  private let map: EntityMap
  private var known: [Int: Scratch] = [:]
  private var last: Scratch?

  init(_ bulk: BulkWriter, _ table: TableWriter, map: EntityMap) {
    self.bulk = bulk
    self.table = table
    self.map = map
  }

  /// The scratch object of a row's class; nil if the program does not have the class.
  private func scratch(_ row: Row) -> Scratch? {
    var map = map
    if let family = map.family {
      guard let number = family.map(of: row) else { return nil }
      map = bulk.store.maps[number]
    }
    if let last, last.map === map { return last }
    let found = known[map.number] ?? Scratch(map, bulk.links)
    known[map.number] = found
    last = found
    return found
  }

  /// Calls `body` with a scratch object that has a row's values; returns nil if there is no such
  /// row.
  func visit<Result>(_ id: RowID, _ body: (Scratch, Row) throws -> Result) throws -> Result? {
    try table.visit(id) { row -> Result? in
      guard let scratch = scratch(row) else { return nil }
      scratch.begin(row, table)
      defer { scratch.leave() }
      let result = try body(scratch, row)
      if let failure = scratch.failure { throw failure }
      return result
    } ?? nil
  }
}

extension BulkWriter {
  /// The rows of a choice in the transaction.
  func rows(_ choice: RowChoice, _ writer: RecordWriter) throws -> [RowID] {
    let found = try Planner(Ground(writer)).plan(choice.query).rows()
    guard let test = choice.test, !found.isEmpty else { return found }
    let scratches = try Scratches(self, writer.table(choice.map.entity.id), map: choice.map)
    return try found.filter { try scratches.visit($0) { scratch, _ in try test(scratch.object) } == true }
  }

  /// Throws if rows have unsaved changes or deletions in this context.
  func checkWaiting(_ rows: some Sequence<RowID>, _ map: EntityMap) throws {
    func isOf(_ object: any _ModelObject) -> Bool {
      object.entityMap?.home == map.home && object._$state.flags.isPending
        && !object._$state.flags.contains(.inserted)
    }
    var waiting: Set<UInt64> = []
    for object in changes.changed where isOf(object) { waiting.insert(object._$state.row) }
    for object in changes.deleted where isOf(object) { waiting.insert(object._$state.row) }
    for key in links.deletions.doomed where key.map == map.home { waiting.insert(key.row) }
    if waiting.isEmpty { return }
    var faults: [GraphFault] = []
    for row in rows where waiting.contains(row.number) && faults.count < 100 {
      faults.append(
        GraphFault(
          .pendingChanges,
          "it has unsaved changes in this context, and the bulk write would change it too: save first, or call "
            + "rollback()", name: self.objects.name(LinkKey(map: map.home, row: row.number, property: 0))))
    }
    if !faults.isEmpty { throw SaveRefusal(faults: faults) }
  }
}
