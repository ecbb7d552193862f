internal import RoostRecords

/// Writes what one context changed, in one transaction, and decides with its policies what wins where others changed the same.
///
/// A save is a number of attempts (``SaveRun``): an attempt that finds new objects with the unique values of stored ones writes nothing, and
/// is made again when it is known what becomes of each. An attempt is, in this order: compare with what others committed, update changed
/// rows, bring stored links to what they are here, delete, update what waited for that, insert, part partners, arrange lists, count members.
///
/// ## Invariants
/// 1. A save writes all changes, or none if it throws.
/// 2. User code that decides about unique values runs between two attempts, with no transaction open.
/// 3. Nothing of an attempt is noted in objects or in the owners below before the transaction is committed (``finish(_:)``).
/// 4. Fields with `@exclusivity(unchecked)` own no user's object, so no user code runs within an access to them (`ExclusivityTests`).
package final class Saver {
  let store: GraphStore
  let session: Session
  let objects: ObjectTable
  let changes: ChangeSet
  let links: LinkGraph
  let follower: Follower
  /// Who makes the changes, for the history.
  package var author = ""
  /// Whether its saves do not wait until they are on the disk: a crash may lose the newest of them.
  package var isRelaxed = false
  package var mergePolicy = MergePolicy.objectWins
  package var uniquePolicy = UniquePolicy.always(.upsert)
  /// By number of the map, those of classes that have their own.
  package var uniquePolicies: [Int: UniquePolicy] = [:]
  /// Saves to the store behind a working set, and loads those of the rows that are unloaded; nil in other stores.
  var saveBacking: ((BackingChanges) throws -> BackingOutcome)?
  /// Whether the backing store saves at the moment.
  var isAsking = false
  /// What the backing store made of the save under way: it is asked once, and more attempts may follow.
  var outcome: BackingOutcome?
  /// Whether a save found that other programs had changed the same rows of the backing store.
  package internal(set) var metOthers = false
  var refreshBacking: (([(map: EntityMap, row: UInt64)]) throws -> Void)?
  /// The flag says whether the members of lists are needed too.
  var loadBacking: (([(map: EntityMap, row: UInt64)], _ lists: Bool) throws -> Void)?
  package internal(set) var lastSave = SaveOutcome()
  /// What objects refused by themselves in the save under way.
  var judged: [(object: ObjectIdentifier, fault: GraphFault)] = []
  /// Stored objects that were asked because a related object is deleted. No change of their own waits.
  var neighbours: Set<LinkKey> = []
  /// What is known of texts and patterns in the save under way.
  let matches = RuleMatches()
  /// Whether it computes what a new definition derives. Rules that the program added since do not keep a store from being opened.
  var isFilling = false
  /// Whether objects are asked at the moment.
  var isJudging = false
  /// Whether any rows are tested by rules. A constant, so that a save of models without rules pays for one branch a row.
  let hasChecks: Bool
  @exclusivity(unchecked) private var sinks: [SinkBox?]

  /// Where rows of one entity are put together.
  final class SinkBox {
    @exclusivity(unchecked) var sink: _RowSink
    /// The answers of ``property(_:_:)``.
    @exclusivity(unchecked) private var properties: [FieldID: String] = [:]
    init(_ plan: RowPlan) { sink = _RowSink(plan) }

    /// The property to which a field belongs. `name` is called the first time.
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

  /// Another context of the same user saved last.
  package func forgetLastSave() { lastSave = SaveOutcome() }

  func sink(_ map: EntityMap) -> SinkBox {
    if let known = sinks[map.number] { return known }
    let made = SinkBox(map.newest)
    sinks[map.number] = made
    return made
  }
}
