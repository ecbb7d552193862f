internal import RoostPages
internal import RoostRecords

/// One bulk write: its transaction, and what it notes for those who look on.
final class BulkRun {
  let writer: RecordWriter
  /// By number of the map that stands for the classes of an entity.
  private var rows: [Int: [UInt64]] = [:]
  /// Rows of one map that are not there yet: most are of the same one.
  @exclusivity(unchecked) private var newest: (map: Int, rows: [UInt64]) = (0, [])
  private var deleted: [Int: [UInt64]] = [:]
  /// Rows whose lists changed, each once.
  private var owners: Set<LinkKey> = []
  @exclusivity(unchecked) private var lastOwner = LinkKey(map: -1, row: 0, property: 0)
  @exclusivity(unchecked) private var noted = 0
  @exclusivity(unchecked) var inserted = RowRuns()
  /// Lists whose members are to be counted at the end.
  var counted: Set<LinkKey> = []
  /// Lists that got members from the other side: those may have too many.
  var crowded: Set<LinkKey> = []
  /// Rows whose `validate` is called at the end, because a row at the other side of a relationship came or went.
  var neighbours: Set<LinkKey> = []
  /// Rows that this write inserted, as far as they have a `validate`.
  var arrived: Set<LinkKey> = []
  var summary = SaveOutcome()
  /// The first faults of rows that break a rule. The transaction goes on, so that it finds the others, and ends with all of them.
  private(set) var faults: [GraphFault] = []
  private(set) var faultCount = 0

  init(_ writer: RecordWriter) { self.writer = writer }

  /// More is not told one by one: everybody looks at everything.
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

  /// A row that something else leads to now, or does not any more.
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

  /// Tells the other contexts, before the commit is made. The context itself learns of it as of another one's commit.
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

  /// What was done, for a notification; nil for each where there is too much.
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

/// What a bulk write did.
package struct BulkOutcome {
  /// The rows that it was about, in the order in which they were found or came.
  package var rows = RowRuns()
  package var inserted = RowRuns()
  package var updated: [ObjectName] = []
  package var deleted: [ObjectName] = []
  package var summary = SaveOutcome()
  /// Whether all rows are named that were changed and deleted.
  package var tellsAll = true
  /// The rows of all objects that were given, where some of them are left to a save.
  package var given: RowRuns?

  /// More names are not told.
  package static let mostTold = 100_000
}
