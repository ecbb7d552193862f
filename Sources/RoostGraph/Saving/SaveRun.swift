internal import RoostRecords

/// One attempt to write a context's changes: its state and its results.
final class SaveRun {
  let writer: RecordWriter
  /// The commits of others since the context's snapshot; nil if there are none, so that nothing
  /// must be compared.
  let news: News?
  /// The rows that new objects are merged into, because they have the same unique values.
  let decisions: [LinkKey: Decision]
  /// Whether references and lists can be written as the objects have them.
  let isPlain: Bool
  /// Whether no object is deleted that a written object may reference.
  let losesNothing: Bool
  @exclusivity(unchecked) var entry: CommitFeed.Entry
  /// Changed rows of one map that are not in the entry yet, because most are of the same map.
  @exclusivity(unchecked) private var noted: (map: Int, rows: [UInt64]) = (0, [])
  private(set) var faults: [GraphFault] = []
  /// The number of errors, including those beyond the limit.
  private(set) var faultCount = 0
  /// Whether a row could not be written. A row that only breaks a rule is written, until the save
  /// ends with all errors.
  private(set) var isBroken = false
  /// New objects that have the unique values of a row, found by this attempt.
  var collisions: [Collision] = []
  /// New objects whose decision is no longer valid.
  var lapsed: [LinkKey] = []
  /// The partners that rows have after the merges.
  var partners = PartnerPlan()
  /// New objects with a policy that compares them with their rows, and whether they are newer.
  var isNewer: [LinkKey: Bool] = [:]
  /// Those of them whose merge had another outcome than the references of other rows assumed.
  var mistaken: [LinkKey: Bool] = [:]
  /// By object, the properties to write, if they are not the changed ones.
  var masks: [ObjectIdentifier: UInt64] = [:]
  /// Properties whose stored value this save keeps, by object. Properties from the 64th on share
  /// one change bit, so the bit alone would overwrite them.
  private(set) var kept: [ObjectIdentifier: [Int]] = [:]
  /// Objects whose rows differ from them because of a decision.
  private var differing: Set<ObjectIdentifier> = []
  /// Objects whose rows are gone.
  var vanished: Set<LinkKey> = []
  /// Rows that were deleted by the program or by a delete rule.
  var gone: [LinkKey] = []
  /// Objects that wait until others give up their unique values.
  var waiting: [any _ModelObject] = []
  /// Rows that lost or got a partner, because two contexts chose different ones.
  var parted: [LinkKey] = []
  /// Owners of lists that contained deleted objects.
  var left: [LinkKey] = []
  /// Written rows whose computed values are checked by rules once all derived values are known.
  var chained: Set<RowName> = []
  /// Rows with a `validate` that have values of two writers, because a merge or a policy chose between
  /// them.
  var mixed: Set<LinkKey> = []
  /// Rows whose derived values the save changed.
  private(set) var derived: [RowName] = []
  var summary = SaveOutcome()
  /// Called after the commit, for the backing store.
  var afterCommit: ((UInt64) -> Void)?
  var isCommitted = false
  private var readers: [Int: TableReader] = [:]

  struct Decision {
    var row: UInt64
    /// The policy; it calls no closure any more.
    var policy: UniquePolicy
    /// The name of the deciding policy.
    var name: String
    /// Whether the object was newer than the row, in an earlier attempt.
    var isNewer: Bool?
  }

  struct Collision {
    var object: any _ModelObject
    var key: LinkKey
    /// The row that has the same values.
    var row: UInt64
    /// The error for a policy that rejects the object; nil if the object's name is enough.
    var fault: GraphFault?
  }

  /// The changes of others.
  struct News {
    /// By map; nil if there are more changes than the feed lists.
    var rows: [Int: Set<UInt64>]?

    func contains(_ map: Int, _ row: UInt64) -> Bool {
      guard let rows else { return true }
      return rows[map]?.contains(row) == true
    }

    /// Whether other contexts changed or deleted any row of a map.
    func hasAny(_ map: Int) -> Bool { rows.map { $0[map]?.isEmpty == false } ?? true }
  }

  /// - Parameters:
  ///   - writer: the transaction.
  ///   - news: the commits of others.
  ///   - decisions: the rows that new objects are merged into.
  ///   - isPlain: whether no object is deleted or may be missing.
  ///   - author: identifies the context in the feed.
  init(
    _ writer: RecordWriter, _ news: News?, decisions: [LinkKey: Decision], isPlain: Bool, author: AnyObject
  ) {
    self.writer = writer
    self.news = news
    self.decisions = decisions
    losesNothing = isPlain && news == nil
    self.isPlain = losesNothing && decisions.isEmpty
    entry = CommitFeed.Entry(number: writer.commitNumber, rows: [:], author: ObjectIdentifier(author))
  }

  /// Whether this attempt is not committed, because the save must first decide about the new
  /// objects that it found.
  var isRepeated: Bool { !collisions.isEmpty || !lapsed.isEmpty || !mistaken.isEmpty }

  /// Whether the rest of the new objects are only compared with the unique indexes: this attempt
  /// found an object that has a row already, so it will not be committed. Attempts with decisions
  /// write all rows, because a merge reads the rows that it meets.
  var isProbing: Bool { !collisions.isEmpty && decisions.isEmpty }

  /// Whether lists may have changes that their objects do not know.
  var isShared: Bool { news != nil || !decisions.isEmpty }

  /// The row to which an object with this row number is written.
  func row(_ map: Int, _ row: UInt64) -> UInt64 {
    if decisions.isEmpty { return row }
    var row = row
    // Each step goes to a row that was inserted before, so the loop ends.
    while let next = decisions[LinkKey(map: map, row: row, property: 0)], next.row != row { row = next.row }
    return row
  }

  /// The place of a list among those that are written: a merged object's list comes after its row's.
  func order(_ list: LinkKey) -> (Int, Int, UInt64, Int) {
    (list.map, row(list.map, list.row) == list.row ? 0 : 1, list.row, list.property)
  }

  /// The rows before the transaction's changes.
  func reading(_ map: EntityMap) throws -> TableReader {
    if let known = readers[map.number] { return known }
    let made = try writer.reading(map.entity.id)
    readers[map.number] = made
    return made
  }

  /// Keeps the stored value of a property.
  func keep(_ object: any _ModelObject, _ property: Int) {
    kept[ObjectIdentifier(object), default: []].append(property)
  }

  /// Whether the save writes a property of a changed object.
  func writes(_ object: any _ModelObject, _ property: Int) -> Bool {
    let mask = masks[ObjectIdentifier(object)] ?? object._$state.changed
    if mask & _ModelState.bit(property) == 0 { return false }
    return kept.isEmpty || kept[ObjectIdentifier(object)]?.contains(property) != true
  }

  /// Records that an object's row differs from the object.
  func noteDifference(_ object: any _ModelObject) { differing.insert(ObjectIdentifier(object)) }

  /// Whether the row of any written object may differ from the object.
  var mayDiffer: Bool { news != nil || !differing.isEmpty || !masks.isEmpty || !kept.isEmpty }

  /// Whether the row of a written object may differ from the object.
  func mayDiffer(_ object: any _ModelObject) -> Bool {
    if news != nil { return true }
    let id = ObjectIdentifier(object)
    return differing.contains(id) || masks[id] != nil || kept[id] != nil
  }

  /// Whether a row gets values of its object and keeps others that another context stored.
  func isMixed(_ object: any _ModelObject, _ row: LinkKey) -> Bool {
    guard let news else { return false }
    let id = ObjectIdentifier(object)
    return masks[id] != nil || kept[id] != nil || news.contains(row.map, row.row)
  }

  /// Records for other contexts that a row or a list of its object changed.
  func note(_ map: Int, _ row: UInt64) {
    if noted.map != map {
      moveNoted()
      noted.map = map
    }
    noted.rows.append(row)
  }

  private func moveNoted() {
    if noted.rows.isEmpty { return }
    entry.rows[noted.map, default: []] += noted.rows
    noted.rows = []
  }

  func takeEntry(_ store: GraphStore) throws -> CommitFeed.Entry {
    moveNoted()
    derived = try entry.take(writer, store)
    return entry
  }

  func refuse(_ fault: GraphFault) {
    faultCount += 1
    if fault.code != .invalid { isBroken = true }
    if faults.count < Self.mostFaults { faults.append(fault) }
  }

  /// At most this many errors are listed.
  static let mostFaults = 1000
}

/// Thrown by an attempt that found new objects with the values of rows: the save is tried again
/// after a decision about each. Also thrown if the program changed an object during the attempt.
struct SaveAgain: Error {
  /// The object that the program changed.
  var late: ObjectName?
}
