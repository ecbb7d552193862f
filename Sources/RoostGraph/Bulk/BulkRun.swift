internal import RoostPages
internal import RoostRecords

/// One bulk write: its transaction, and its changes for notifications.
final class BulkRun {
  let writer: RecordWriter
  /// The changed rows, by number of the home map.
  private var rows: [Int: [UInt64]] = [:]
  /// Inserted rows of one map, because most have the same.
  @exclusivity(unchecked) private var newest: (map: Int, rows: [UInt64]) = (0, [])
  private var deleted: [Int: [UInt64]] = [:]
  /// Rows whose lists changed, each once.
  private var owners: Set<LinkKey> = []
  @exclusivity(unchecked) private var lastOwner = LinkKey(map: -1, row: 0, property: 0)
  @exclusivity(unchecked) private var noted = 0
  @exclusivity(unchecked) var inserted = RowRuns()
  /// Lists whose members must be counted at the end.
  var counted: Set<LinkKey> = []
  /// Lists that got members through the inverse, which may be too many.
  var crowded: Set<LinkKey> = []
  /// Rows whose `validate` is called at the end, because a related row was inserted, moved or deleted.
  var neighbours: Set<LinkKey> = []
  /// The rows with a `validate` that this write inserted.
  var arrived: Set<LinkKey> = []
  var summary = SaveOutcome()
  /// The first errors of rows that break a rule. The transaction continues to find the others, and
  /// throws all of them at the end.
  private(set) var faults: [GraphFault] = []
  private(set) var faultCount = 0

  init(_ writer: RecordWriter) { self.writer = writer }

  /// With more changes other contexts examine all their objects.
  private static let most = CommitFeed.most

  func refuse(_ some: [GraphFault]) {
    if some.isEmpty { return }
    faultCount += some.count
    faults += some.prefix(max(0, SaveRun.mostFaults - faults.count))
  }

  func note(changed row: UInt64, _ map: Int) {
    noted += 1
    if noted > Self.most { return }
    if newest.map != map { moveNewest(map) }
    newest.rows.append(row)
  }

  private func moveNewest(_ map: Int = 0) {
    if !newest.rows.isEmpty { rows[newest.map, default: []] += newest.rows }
    newest = (map, [])
  }

  func note(deleted row: UInt64, _ map: Int) {
    noted += 1
    if noted <= Self.most { deleted[map, default: []].append(row) }
  }

  /// Records a row that another row references now, or no longer references.
  func note(owner row: UInt64, _ map: Int) {
    let key = LinkKey(map: map, row: row, property: 0)
    if key == lastOwner { return }
    lastOwner = key
    if owners.count < Self.most, owners.insert(key).inserted { noted += 1 }
  }

  func noteMerge(_ merge: SaveOutcome.Merge) {
    summary.mergeCount += 1
    if summary.merges.count < SaveOutcome.mostMerges { summary.merges.append(merge) }
  }

  /// Adds the changes to the feed before the commit. The context itself learns of them as of
  /// another's commit.
  func tell(_ store: GraphStore) throws {
    moveNewest()
    if noted > Self.most { return store.feed.addEverything(writer.commitNumber) }
    var all = rows
    for key in owners { all[key.map, default: []].append(key.row) }
    var entry = CommitFeed.Entry(
      number: writer.commitNumber, rows: all, deleted: deleted, author: ObjectIdentifier(store))
    try entry.take(writer, store)
    store.feed.add(entry)
  }

  /// The changes for a notification, without names if there are too many.
  func outcome(_ objects: ObjectTable, _ found: RowRuns) -> BulkOutcome {
    var outcome = BulkOutcome(rows: found, inserted: inserted, summary: summary)
    guard noted <= BulkOutcome.mostTold, inserted.count <= BulkOutcome.mostTold else {
      outcome.tellsAll = false
      return outcome
    }
    func name(_ map: Int, _ row: UInt64) -> ObjectName {
      objects.name(LinkKey(map: map, row: row, property: 0))
    }
    moveNewest()
    for (map, some) in rows.sorted(by: { $0.key < $1.key }) { outcome.updated += some.map { name(map, $0) } }
    let known = owners.isEmpty ? [] : Set(outcome.updated)
    outcome.updated += owners.map { name($0.map, $0.row) }.filter { !known.contains($0) }.sorted { $0.row < $1.row }
    for (map, some) in deleted.sorted(by: { $0.key < $1.key }) { outcome.deleted += some.map { name(map, $0) } }
    return outcome
  }
}

/// The result of a bulk write.
package struct BulkOutcome {
  /// The rows that were chosen or given, in order.
  package var rows = RowRuns()
  package var inserted = RowRuns()
  package var updated: [ObjectName] = []
  package var deleted: [ObjectName] = []
  package var summary = SaveOutcome()
  /// Whether all changed and deleted rows are named.
  package var tellsAll = true
  /// The rows of all objects that were given, if a save writes some of them.
  package var given: RowRuns?

  /// With more names, no names are reported.
  package static let mostTold = 100_000
}
