internal import RoostRecords

/// One attempt to write what a context changed: what is known at its time, and what was found out.
final class SaveRun {
  let writer: RecordWriter
  /// What others committed since the context's snapshot; nil where nobody did, and nothing need be compared.
  let news: News?
  /// Rows that new objects become, because these have the same unique values.
  let decisions: [LinkKey: Decision]
  /// Whether what objects say of each other may be written as it is.
  let isPlain: Bool
  /// Whether no object is deleted that a written object may reference.
  let losesNothing: Bool
  @exclusivity(unchecked) var entry: CommitFeed.Entry
  /// Rows of one map that are not in the entry yet: most are of the same one.
  @exclusivity(unchecked) private var noted: (map: Int, rows: [UInt64]) = (0, [])
  private(set) var faults: [GraphFault]
  /// How many there are, also those that are not told.
  private(set) var faultCount: Int
  /// Whether a row could not be written as it is. One that only breaks a rule is written, until the save ends with all faults.
  private(set) var isBroken = false
  /// New objects that have the unique values of a row, found by this attempt.
  var collisions: [Collision] = []
  /// New objects whose decision holds no more.
  var lapsed: [LinkKey] = []
  /// By object, the properties that are written after all, where those are not the ones that were changed.
  var masks: [ObjectIdentifier: UInt64] = [:]
  /// Properties whose stored value this save keeps, by object. Properties from the 64th on share one change bit, so the bit alone would
  /// overwrite them.
  private(set) var kept: [ObjectIdentifier: [Int]] = [:]
  /// Objects whose rows say something else than the objects, because of a decision.
  private var differing: Set<ObjectIdentifier> = []
  /// Objects whose rows are gone.
  var vanished: Set<LinkKey> = []
  /// Rows that went, by themselves or because a rule took them along.
  var gone: [LinkKey] = []
  /// Objects that wait until others make room for their unique values.
  var waiting: [any _ModelObject] = []
  /// Rows that lost a partner, or got one, because two contexts chose differently.
  var parted: [LinkKey] = []
  /// Owners of lists that deleted objects were in.
  var left: [LinkKey] = []
  /// Written rows whose computed values are tested by rules when all derived values are known.
  var chained: Set<RowName> = []
  /// Rows whose derived values the save changed.
  private(set) var derived: [RowName] = []
  var summary = SaveOutcome()
  /// What the backing store wants to have done after the commit.
  var afterCommit: ((UInt64) -> Void)?
  var isCommitted = false
  private var readers: [Int: TableReader] = [:]

  struct Decision {
    var row: UInt64
    /// Nothing that asks any more.
    var policy: UniquePolicy
    /// What decided, in words.
    var name: String
  }

  struct Collision {
    var object: any _ModelObject
    var key: LinkKey
    /// The row that has the same values.
    var row: UInt64
    /// What a policy says that refuses it; nil if the object's name says enough.
    var fault: GraphFault?
  }

  /// What others did.
  struct News {
    /// By map; nil where more happened than the feed tells.
    var rows: [Int: Set<UInt64>]?

    func contains(_ map: Int, _ row: UInt64) -> Bool {
      guard let rows else { return true }
      return rows[map]?.contains(row) == true
    }

    /// Whether others changed or deleted any row of a map.
    func hasAny(_ map: Int) -> Bool { rows.map { $0[map]?.isEmpty == false } ?? true }
  }

  /// - Parameter faults: what objects refused by themselves.
  init(
    _ writer: RecordWriter, _ news: News?, decisions: [LinkKey: Decision], isPlain: Bool, author: AnyObject,
    faults: [GraphFault]
  ) {
    self.faults = faults
    faultCount = faults.count
    self.writer = writer
    self.news = news
    self.decisions = decisions
    losesNothing = isPlain && news == nil
    self.isPlain = losesNothing && decisions.isEmpty
    entry = CommitFeed.Entry(number: writer.commitNumber, rows: [:], author: ObjectIdentifier(author))
  }

  /// Whether this attempt is not committed, because the save must first decide about the new objects that it found.
  var isRepeated: Bool { !collisions.isEmpty || !lapsed.isEmpty }

  /// Whether new objects are only compared with the unique indexes from here on: this attempt found one that has a row already, so
  /// it is not committed. Attempts that know decisions write all rows, because a merge reads the rows that it meets.
  var isProbing: Bool { !collisions.isEmpty && decisions.isEmpty }

  /// Whether lists may have changed otherwise than their objects know.
  var isShared: Bool { news != nil || !decisions.isEmpty }

  /// The row that an object of this number is written to.
  func row(_ map: Int, _ row: UInt64) -> UInt64 {
    if decisions.isEmpty { return row }
    var row = row
    // Each step leads to a row that was inserted before, so it ends.
    while let next = decisions[LinkKey(map: map, row: row, property: 0)], next.row != row { row = next.row }
    return row
  }

  /// The rows before anything is changed.
  func reading(_ map: EntityMap) throws -> TableReader {
    if let known = readers[map.number] { return known }
    let made = try writer.reading(map.entity.id)
    readers[map.number] = made
    return made
  }

  /// Leaves a property as it is stored.
  func keep(_ object: any _ModelObject, _ property: Int) {
    kept[ObjectIdentifier(object), default: []].append(property)
  }

  /// Whether the save writes a property of a changed object.
  func writes(_ object: any _ModelObject, _ property: Int) -> Bool {
    let mask = masks[ObjectIdentifier(object)] ?? object._$state.changed
    if mask & _ModelState.bit(property) == 0 { return false }
    return kept.isEmpty || kept[ObjectIdentifier(object)]?.contains(property) != true
  }

  /// Notes that an object's row says something else than the object.
  func noteDifference(_ object: any _ModelObject) { differing.insert(ObjectIdentifier(object)) }

  /// Whether the row of any written object may say something else than the object.
  var mayDiffer: Bool { news != nil || !differing.isEmpty || !masks.isEmpty || !kept.isEmpty }

  /// Whether the row of a written object may say something else than the object.
  func mayDiffer(_ object: any _ModelObject) -> Bool {
    if news != nil { return true }
    let id = ObjectIdentifier(object)
    return differing.contains(id) || masks[id] != nil || kept[id] != nil
  }

  /// Whether a row gets values of its object, and keeps others that another context stored.
  func isMixed(_ object: any _ModelObject, _ row: LinkKey) -> Bool {
    guard let news else { return false }
    let id = ObjectIdentifier(object)
    return masks[id] != nil || kept[id] != nil || news.contains(row.map, row.row)
  }

  /// Notes for other contexts that a row changed, or a list of its object.
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

  /// More are not told.
  static let mostFaults = 1000
}

/// An attempt found new objects that have rows already: it is made again, when it is known what becomes of them.
struct SaveAgain: Error {}
