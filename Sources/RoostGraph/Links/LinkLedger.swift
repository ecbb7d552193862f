/// A list of an object that is loaded.
final class LoadedList {
  let key: LinkKey
  let owner: any _ModelObject
  let relation: Relation
  /// The owner's slot, which stands where it stands as long as the owner lives.
  let slot: ManySlot
  /// The members' rows, as the other side knows them. Each is there once.
  @exclusivity(unchecked) private(set) var rows: [UInt64]
  /// ``rows`` as a set, from the second search in a long list on. Without it, appending stored objects takes the square of their number.
  @exclusivity(unchecked) private var index: Set<UInt64>?
  @exclusivity(unchecked) private var wasSearched = false
  #if DEBUG
    /// How many rows searches have looked at.
    private(set) var searchedRows = 0
  #endif
  /// Members that are not shown at the moment: those marked for deletion, and those that came while a program has the list moved out. They
  /// are members as before, and an edit of the list does not touch them.
  var absent: Set<UInt64> = []
  /// Members of classes that are not among the models, each with the one before it. They are not shown, and stay.
  var strangers: [(row: UInt64, behind: UInt64?)] = []
  /// The members, where they are not in the object's slot: somebody has to be asked for them.
  var hidden: [AnyObject]?
  /// Whether a user changed it since both sides agreed.
  @exclusivity(unchecked) var isUnsettled = false
  /// Whether something was put in that cannot be a member.
  @exclusivity(unchecked) var refuses = false
  /// Whether the next save writes it.
  @exclusivity(unchecked) var isDirty = false
  /// How many members the store has, where it has them in this order and the others came in behind them; else nil.
  @exclusivity(unchecked) var storedCount: Int?

  init(_ key: LinkKey, _ owner: any _ModelObject, relation: Relation, rows: [UInt64]) {
    self.key = key
    self.owner = owner
    self.relation = relation
    self.rows = rows
    slot = owner.many(relation.property)
    storedCount = rows.count
  }

  /// Adds a member at the end.
  func append(_ row: UInt64) {
    rows.append(row)
    if index != nil {
      let isNew = index?.insert(row).inserted ?? true
      assert(isNew, "a row is a member once")
    }
  }

  func setRows(_ new: [UInt64]) {
    rows = new
    index = nil
  }

  /// Whether a row is among the members that are shown.
  func contains(_ row: UInt64) -> Bool {
    if let index { return index.contains(row) }
    #if DEBUG
      searchedRows += rows.count
    #endif
    if rows.count < 64 || !wasSearched {
      wasSearched = true
      return rows.contains(row)
    }
    let made = Set(rows)
    index = made
    return made.contains(row)
  }

  func remove(_ row: UInt64) {
    // What came last goes first, mostly.
    guard let at = rows.lastIndex(of: row) else { return }
    rows.remove(at: at)
    if index != nil { index?.remove(row) }
    // What the store has is not its beginning any more.
    if let count = storedCount, at < count { storedCount = nil }
  }

  var hasChanges: Bool { isUnsettled || isDirty }

  /// The rows of all members, also of those that are not shown.
  var linked: [UInt64] { absent.isEmpty ? rows : rows + absent.sorted() }

  /// The members, wherever they are; nobody shows them from here on.
  func takeMembers() -> [[AnyObject]] { [slot.take(), exchange(&hidden, with: nil)].compactMap { $0 } }

  /// Rows of the list with the strangers between them, each behind the one that it stood behind.
  func withStrangers(_ rows: [UInt64]) -> [UInt64] {
    if strangers.isEmpty { return rows }
    var waiting: [UInt64?: [UInt64]] = [:]
    for one in strangers { waiting[one.behind, default: []].append(one.row) }
    var all = waiting.removeValue(forKey: nil) ?? []
    for row in rows {
      all.append(row)
      all += waiting.removeValue(forKey: row) ?? []
    }
    for one in strangers where waiting[one.behind] != nil { all.append(one.row) }
    return all
  }
}

/// What a context knows of relationships.
///
/// ## Links and deletions
/// A link between two rows is a fact of its own. It is shown while neither row is marked for deletion. `delete` and a later `insert` of the same
/// object change what is shown, and never the link, so their order does not matter. Loading a list between them does not matter either. Only
/// these end a link: a program that takes the member out of a list that shows it, a program that gives the member's reference another value
/// (also `nil`, and also while the owner is marked for deletion), and the save that deletes one of the two rows. A program that assigns
/// a list says nothing about members that the list does not show.
///
/// An object that `insert` brings back stays, also where its owner is deleted with a rule that takes members along: the save lets its
/// reference become `nil`. ``DeletionMarks/staying`` names its row, because the rows' own rules know nothing of the insertion.
///
/// A reference keeps the row number of a deleted object. A loaded list keeps deleted members in ``LoadedList/absent``, and ``DeletionMarks/absences`` finds
/// those lists again. A list that is not loaded needs nothing: its rows in the store, and its ``Edit``, do not change with a deletion.
///
/// A list in its slot is read and changed without anybody being asked. So while a user changes one, the others of the same
/// relationship are hidden: whoever reads one of those, or a reference, lets the changed one agree with the other side first.
///
/// ## Invariants
/// 1. Of a relationship, both sides together, one list at most is unsettled, and then no other one is in its slot.
/// 2. Lists are kept here as long as they are loaded, so that their number has a bound.
/// 3. A loaded list that has a row among its absent members is named in ``DeletionMarks/absences`` for that row.
struct LinkLedger {
  /// What other sides did to a list that is not loaded.
  final class Edit {
    let owner: any _ModelObject
    /// The first one that was added, 0 for none, and those behind it. Most edits add one alone.
    @exclusivity(unchecked) private var first: UInt64 = 0
    @exclusivity(unchecked) private var others: [UInt64] = []
    @exclusivity(unchecked) var removed: Set<UInt64> = []
    /// Whether all that were ever added are new, and came in the order in which they will be written.
    @exclusivity(unchecked) private(set) var comesInOrder = true
    @exclusivity(unchecked) private var last: UInt64 = 0

    init(owner: any _ModelObject) { self.owner = owner }

    var added: [UInt64] {
      get { first == 0 ? [] : [first] + others }
      set {
        first = newValue.first ?? 0
        others = Array(newValue.dropFirst())
      }
    }
    var addedCount: Int { first == 0 ? 0 : others.count + 1 }

    func add(_ row: UInt64, isNew: Bool) {
      if !isNew || row <= last { comesInOrder = false }
      last = row
      if first == 0 { first = row } else { others.append(row) }
    }

    func remove(_ row: UInt64) {
      if let at = others.lastIndex(of: row) {
        others.remove(at: at)
      } else if first == row {
        first = others.isEmpty ? 0 : others.removeFirst()
      } else {
        removed.insert(row)
      }
    }

    /// Whether a row went and was added again.
    var cameAgain: Bool { !removed.isEmpty && added.contains(where: removed.contains) }

    func hasAdded(_ row: UInt64) -> Bool { first == row || others.contains(row) }
  }

  /// A new object named a stored partner. A save that drops the new object leaves the partner as it is stored.
  struct Taking {
    /// The new object's reference.
    var taker: LinkKey
    /// The stored object that had the partner; 0 for none.
    var former: UInt64
  }

  private(set) var lists: [LinkKey: LoadedList] = [:]
  /// By relationship, the lists that may be in their slots.
  private(set) var visible = ByPair<[LoadedList]>()
  /// By relationship, the list that a user changed.
  private(set) var unsettled = ByPair<LoadedList>()
  private(set) var edits: [LinkKey: Edit] = [:]
  /// By the reference of a stored object, the new object that took that object as its one-to-one partner.
  private(set) var takings: [LinkKey: Taking] = [:]
  /// Where a reference led before the setter that is under way.
  var before: UInt64 = 0
  /// Lists that lead one way and have changes.
  private(set) var oneWays: Set<LinkKey> = []
  /// The lists, the first loaded first; some may be gone.
  private var queue: [LoadedList] = []
  private var memberCount = 0
  /// The list that somebody waits for: it stays while others are loaded with it.
  private(set) var awaited: LoadedList?
  /// While new objects come in, who stands in their lists as these were written.
  private(set) var adopting: [LinkKey: Set<UInt64>] = [:]
  private var unloadAt: Int
  /// More members than this do not stay loaded, but for those with changes.
  let most: Int

  init(most: Int = 100_000) {
    self.most = most
    unloadAt = most
  }

  // Objects that a method takes out are returned: the caller releases them after the access to the ledger.

  // MARK: Lists

  /// Notes a list that was loaded.
  mutating func add(_ list: LoadedList) {
    lists[list.key] = list
    queue.append(list)
    memberCount += list.rows.count + 1
  }

  /// Forgets a list, which the caller holds. It stays in the queue until the lists are counted.
  mutating func remove(_ list: LoadedList) {
    lists[list.key] = nil
    memberCount -= list.rows.count + 1
  }

  /// A loaded list has so many more members.
  mutating func noteGrowth(_ count: Int) { memberCount += count }

  /// Makes lists those that may be in their slots.
  mutating func setVisible(_ lists: consuming [LoadedList]?, _ pair: UInt32) -> [LoadedList]? {
    visible.put(lists, pair)
  }

  /// Notes that a list may be in its slot.
  mutating func noteVisible(_ list: LoadedList) { visible.append(list, list.relation.pair) }

  /// Takes out the lists that may be in their slots.
  mutating func takeVisible(_ pair: UInt32) -> [LoadedList]? { visible.take(pair) }

  /// Whether no other list of its relationship may be in its slot.
  func isVisibleAlone(_ list: LoadedList) -> Bool {
    guard let visible = visible[list.relation.pair] else { return true }
    return visible.isEmpty || visible.count == 1 && visible[0] === list
  }

  /// Notes the list of a relationship that a user changed; nil after both sides agree.
  mutating func setUnsettled(_ list: consuming LoadedList?, _ pair: UInt32) -> LoadedList? { unsettled.put(list, pair) }

  /// Notes the list that stays while others are loaded with it.
  mutating func setAwaited(_ list: LoadedList?) -> LoadedList? { exchange(&awaited, with: list) }

  /// Notes who took an object by its new partner; nil where a program's own change counts.
  mutating func noteTaking(_ taking: Taking?, _ partner: LinkKey) { takings[partner] = taking }

  /// Notes a change of a list that leads one way.
  mutating func noteOneWay(_ list: LinkKey) { oneWays.insert(list) }

  // MARK: The bound

  /// Whether more members are loaded than may stay.
  var isOverBound: Bool { memberCount > most }
  /// Whether half of the members that may stay are loaded.
  var isOverHalf: Bool { memberCount > most / 2 }
  /// Whether lists must be unloaded before others are loaded.
  var mustUnload: Bool { memberCount > unloadAt }
  /// Whether so many more members can be loaded.
  func hasRoom(for count: Int) -> Bool { memberCount + count < unloadAt }

  /// Lists with changes stay, so the next unloading waits until there are twice as many members.
  mutating func deferUnloading() { unloadAt = max(most, 2 * memberCount) }

  /// Makes lists the queue, and returns the former one.
  mutating func setQueue(_ lists: [LoadedList]) -> [LoadedList] { exchange(&queue, with: lists) }

  /// The lists of the queue that are loaded, the first loaded first.
  var loadedQueue: [LoadedList] { queue.filter { lists[$0.key] === $0 } }

  /// Counts the members of the loaded lists.
  mutating func count() { memberCount = lists.values.reduce(0) { $0 + $1.rows.count + 1 } }

  // MARK: Edits

  mutating func add(_ edit: Edit, _ key: LinkKey) { edits[key] = edit }
  mutating func removeEdit(_ key: LinkKey) { edits[key] = nil }
  mutating func takeEdits() -> [LinkKey: Edit] { exchange(&edits, with: [:]) }

  // MARK: Adoption

  /// Notes who stands in lists of new objects. Returns what was noted before, for ``endAdoption(_:)``.
  mutating func beginAdoption(_ members: [LinkKey: Set<UInt64>]) -> [LinkKey: Set<UInt64>] {
    let former = adopting
    adopting.merge(members) { $1 }
    return former
  }

  mutating func endAdoption(_ former: [LinkKey: Set<UInt64>]) { adopting = former }

  // MARK: After a save

  /// All lists are stored as they are.
  mutating func noteSaved() {
    oneWays = []
    takings = [:]
    memberCount = 0
    for list in lists.values {
      memberCount += list.rows.count + 1
      if !list.isDirty { continue }
      list.isDirty = false
      list.storedCount = list.rows.count
    }
  }

  /// What was to be deleted is gone.
  mutating func forgetAbsent() { for list in lists.values where !list.absent.isEmpty { list.absent = [] } }
}

/// Something for some of the relationships, by the number that both sides share. These numbers are small.
struct ByPair<Value> {
  fileprivate var values: [Value?] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }
  /// Those that have something, ascending.
  var pairs: [UInt32] { values.indices.filter { values[$0] != nil }.map { UInt32($0) } }
  var all: [Value] { values.compactMap { $0 } }

  subscript(pair: UInt32) -> Value? { pair < values.count ? values[Int(pair)] : nil }

  /// Takes out what is there.
  mutating func take(_ pair: UInt32) -> Value? { pair < values.count ? put(nil, pair) : nil }

  /// Puts something in, and returns what was there.
  mutating func put(_ value: consuming Value?, _ pair: UInt32) -> Value? {
    let at = Int(pair)
    while at >= values.count { values.append(nil) }
    var other = value
    count += (other == nil ? 0 : 1) - (values[at] == nil ? 0 : 1)
    swap(&values[at], &other)
    return other
  }
}

extension ByPair where Value == [LoadedList] {
  /// Adds to what is there.
  fileprivate mutating func append(_ list: LoadedList, _ pair: UInt32) {
    let at = Int(pair)
    if at < values.count, values[at]?.append(list) != nil { return }
    _ = put([list], pair)
  }
}
