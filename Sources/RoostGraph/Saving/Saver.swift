internal import RoostRecords

/// Writes the changes of one context in one transaction. Its policies decide which change wins if
/// others changed the same properties.
///
/// A save consists of attempts (``SaveRun``). An attempt that finds new objects with the unique
/// values of stored ones writes nothing, and the save is tried again after a decision about each.
/// The steps of an attempt are: compare with the commits of others, update changed rows, write
/// changed links, delete, update rows that waited for that, insert, separate partners, arrange
/// lists, count members.
///
/// ## Invariants
/// 1. A save writes all changes, or none if it throws.
/// 2. User code that decides about unique values runs between two attempts, with no transaction
///    open.
/// 3. An attempt changes no object and no owner below before the transaction is committed
///    (``finish(_:)``).
/// 4. Fields with `@exclusivity(unchecked)` own no user's object, so no user code runs within an
///    access to them (`ExclusivityTests`).
package final class Saver {
  let store: GraphStore
  let session: Session
  let objects: ObjectTable
  let changes: ChangeSet
  let links: LinkGraph
  let follower: Follower
  /// The author of the changes, for the history.
  package var author = ""
  /// Whether its saves return before the commit is synced: a crash may lose the newest ones.
  package var isRelaxed = false
  package var mergePolicy = MergePolicy.objectWins
  package var uniquePolicy = UniquePolicy.always(.upsert)
  /// The policies of classes that have their own, by number of the map.
  package var uniquePolicies: [Int: UniquePolicy] = [:]
  /// Saves to the backing store of a working set; nil in other stores.
  var saveBacking: ((BackingChanges) throws -> BackingOutcome)?
  /// Whether the backing store is saving at the moment.
  var isAsking = false
  /// The backing store's answer to the current save: it is asked once, and more attempts may
  /// follow.
  var outcome: BackingOutcome?
  /// Whether a save found that other programs had changed the same rows of the backing store.
  package internal(set) var metOthers = false
  var refreshBacking: (([(map: EntityMap, row: UInt64)]) throws -> Void)?
  /// Loads the unloaded rows among `rows`. The flag tells whether the members of lists are needed
  /// too.
  var loadBacking: (([(map: EntityMap, row: UInt64)], _ lists: Bool) throws -> Void)?
  package internal(set) var lastSave = SaveOutcome()
  /// The errors of objects' `validate` in the current save.
  var judged: [(object: ObjectIdentifier, fault: GraphFault)] = []
  /// Stored objects that were validated because a related object is deleted. They have no unsaved
  /// changes.
  var neighbours: Set<LinkKey> = []
  /// The objects that the program changes in the current round of `validate`, or in the current
  /// attempt.
  var writes: JudgedWrites?
  /// The savers of all stores of the context, during an attempt.
  var watched: [Saver] = []
  /// The results of pattern matches in the current save.
  let matches = RuleMatches()
  /// Whether it computes the values of new derived properties. Rules that were added since must not
  /// prevent opening a store.
  var isFilling = false
  /// Whether objects are being validated.
  var isJudging = false
  /// Whether rows are tested by rules. A constant, so that a save of models without rules costs one
  /// branch for each row.
  let hasChecks: Bool
  @exclusivity(unchecked) private var sinks: [SinkBox?]

  /// Where rows of one entity are built.
  final class SinkBox {
    @exclusivity(unchecked) var sink: _RowSink
    /// The answers of ``property(_:_:)``.
    @exclusivity(unchecked) private var properties: [FieldID: String] = [:]
    init(_ plan: RowPlan) { sink = _RowSink(plan) }

    /// The property of a field. `name` is called the first time.
    func property(_ field: FieldID, _ name: () -> String?) -> String? {
      if let known = properties[field] { return known }
      let made = name()
      properties[field] = made
      return made
    }
  }

  init(_ follower: Follower, _ links: LinkGraph) {
    self.follower = follower
    self.links = links
    (changes, objects, session, store) = (links.changes, links.objects, links.session, links.store)
    hasChecks = store.hasChecks
    sinks = Array(repeating: nil, count: store.maps.count)
  }

  /// Forgets the last save, because another context of the same user saved since.
  package func forgetLastSave() { lastSave = SaveOutcome() }

  func sink(_ map: EntityMap) -> SinkBox {
    if let known = sinks[map.number] { return known }
    let made = SinkBox(map.newest)
    sinks[map.number] = made
    return made
  }
}
