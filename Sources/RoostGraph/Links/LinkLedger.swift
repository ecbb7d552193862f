/// A loaded list of an object.
final class LoadedList {
  let key: LinkKey
  let owner: any _ModelObject
  let relation: Relation
  /// The owner's slot, whose address is valid as long as the owner lives.
  let slot: ManySlot
  /// The members' rows, as the inverse contains them, each only once.
  @exclusivity(unchecked) private var members: SearchedRows
  var rows: [UInt64] { members.rows }
  /// Members that the list does not show now: those marked for deletion, and those that were added
  /// while the program has the list moved out. They are still members, and an edit of the list does
  /// not remove them.
  var absent: Set<UInt64> = []
  /// Members of classes that are not among the models, each with the member before it. They are not
  /// shown, and stay.
  var strangers: [(row: UInt64, behind: UInt64?)] = []
  /// The members while they are not in the object's slot, so that getters must call the context.
  var hidden: [AnyObject]?
  /// Whether the program changed it since both sides last agreed.
  @exclusivity(unchecked) var isUnsettled = false
  /// Whether the program added an object that cannot be a member.
  @exclusivity(unchecked) var refuses = false
  /// Whether the next save writes it.
  @exclusivity(unchecked) var isDirty = false
  /// The number of stored members, if they are the first members in this order; otherwise nil.
  @exclusivity(unchecked) var storedCount: Int?

  init(_ key: LinkKey, _ owner: any _ModelObject, relation: Relation, rows: [UInt64]) {
    self.key = key
    self.owner = owner
    self.relation = relation
    members = SearchedRows(rows)
    slot = owner.many(relation.property)
    storedCount = rows.count
  }

  /// Adds a member at the end.
  func append(_ row: UInt64) { members.append(row) }

  func setRows(_ new: [UInt64]) { members = SearchedRows(new) }

  /// Whether a row is among the shown members.
  func contains(_ row: UInt64) -> Bool { members.contains(row) }

  func remove(_ row: UInt64) {
    // The stored members are no longer the first ones.
    if let at = members.remove(row), let count = storedCount, at < count { storedCount = nil }
  }

  #if DEBUG
    /// The number of rows that searches have compared.
    var searchedRows: Int { members.searchedRows }
  #endif

  var hasChanges: Bool { isUnsettled || isDirty }

  /// The rows of all members, including those that are not shown.
  var linked: [UInt64] { absent.isEmpty ? rows : rows + absent.sorted() }

  /// Removes and returns the members, from the slot and from ``hidden``.
  func takeMembers() -> [[AnyObject]] { [slot.take(), exchange(&hidden, with: nil)].compactMap { $0 } }

  /// The rows with the strangers between them, each after the member that it followed.
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

/// The relationships of a context: loaded lists and unsaved changes.
///
/// ## Links and deletions
/// A link between two rows is independent of deletions. It is shown while neither row is marked for
/// deletion. `delete` and a later `insert` of the same object change what is shown, but never the
/// link. So their order does not matter, nor does loading a list between them. Only these end a
/// link:
/// - the program removes the member from a list that shows it;
/// - the program gives the member's reference another value (also `nil`, and also while the owner
///   is marked for deletion);
/// - a save deletes one of the two rows.
///
/// A program that assigns a list does not affect members that the list does not show.
///
/// An object that `insert` restores stays, even if its owner is deleted with a rule that deletes
/// members: the save sets its reference to `nil`. ``DeletionMarks/staying`` contains its row,
/// because the rules of rows do not know the insertion.
///
/// A reference keeps the row number of a deleted object. A loaded list keeps deleted members in
/// ``LoadedList/absent``, and ``DeletionMarks/absences`` finds those lists again. A list that is
/// not loaded needs nothing: its stored rows and its ``Edit`` do not change with a deletion.
///
/// The program reads and changes a list in its slot without calling the context. So while it
/// changes one, the other lists of the same relationship are hidden. Reading one of those, or a
/// reference, first updates the other side of the changed list.
///
/// ## Invariants
/// 1. Of the two sides of a relationship, at most one list is unsettled. Then no other list of it
///    is in its slot.
/// 2. Lists are kept here as long as they are loaded, so that their number has a limit.
/// 3. A loaded list that has a row among its absent members is in ``DeletionMarks/absences`` for
///    that row.
struct LinkLedger {
  /// The changes that the inverse made to a list that is not loaded.
  final class Edit {
    let owner: any _ModelObject
    /// The first row that was added, 0 for none, and the later ones. Most edits add only one.
    @exclusivity(unchecked) private var first: UInt64 = 0
    @exclusivity(unchecked) private var others = SearchedRows([])
    @exclusivity(unchecked) var removed: Set<UInt64> = []
    /// Whether all added rows are new and were added in the order in which they will be written.
    @exclusivity(unchecked) private(set) var comesInOrder = true
    @exclusivity(unchecked) private var last: UInt64 = 0

    init(owner: any _ModelObject) { self.owner = owner }

    var added: [UInt64] {
      get { first == 0 ? [] : [first] + others.rows }
      set {
        first = newValue.first ?? 0
        others = SearchedRows(Array(newValue.dropFirst()))
      }
    }
    var addedCount: Int { first == 0 ? 0 : others.rows.count + 1 }

    func add(_ row: UInt64, isNew: Bool) {
      if !isNew || row <= last { comesInOrder = false }
      last = row
      if first == 0 { first = row } else { others.append(row) }
    }

    func remove(_ row: UInt64) {
      if first == row {
        first = others.rows.first ?? 0
        if first != 0 { others.remove(first) }
      } else if others.remove(row) == nil {
        removed.insert(row)
      }
    }

    /// Whether a row was removed and added again.
    var cameAgain: Bool { !removed.isEmpty && added.contains(where: removed.contains) }

    func hasAdded(_ row: UInt64) -> Bool { first == row || others.contains(row) }

    #if DEBUG
      /// The number of rows that searches have compared.
      var searchedRows: Int { others.searchedRows }
    #endif
  }

  /// A new object that took a stored partner. If a save drops the new object, the partner stays as
  /// it is stored.
  struct Taking {
    /// The new object's reference.
    var taker: LinkKey
    /// The object that had the partner; 0 for none.
    var former: UInt64
    /// Whether the program gave the partner to that object, or to none, since the last save.
    var isUnsaved = false
  }

  private(set) var lists: [LinkKey: LoadedList] = [:]
  /// By relationship, the lists that may be in their slots.
  private(set) var visible = ByPair<[LoadedList]>()
  /// By relationship, the list that the program changed.
  private(set) var unsettled = ByPair<LoadedList>()
  private(set) var edits: [LinkKey: Edit] = [:]
  /// By the reference of a stored object, the new object that took that object as its one-to-one
  /// partner.
  private(set) var takings: [LinkKey: Taking] = [:]
  /// The value of a reference before the current setter.
  var before: UInt64 = 0
  /// Whether that reference has an unsaved change from before the setter.
  var wasChanged = false
  /// One-way lists with changes.
  private(set) var oneWays: Set<LinkKey> = []
  /// The lists in the order of loading; some may be unloaded.
  private var queue: [LoadedList] = []
  private var memberCount = 0
  /// The list that a getter loads: it stays while others are loaded with it.
  private(set) var awaited: LoadedList?
  /// The members of new objects' lists while these objects are inserted.
  private(set) var adopting: [LinkKey: Set<UInt64>] = [:]
  private var unloadAt: Int
  /// The limit on loaded members. Lists with changes stay loaded in any case.
  let most: Int

  init(most: Int = 100_000) {
    self.most = most
    unloadAt = most
  }

  // Methods return the objects that they remove: the caller releases them after the access to the
  // ledger.

  // MARK: Lists

  /// Adds a list that was loaded.
  mutating func add(_ list: LoadedList) {
    lists[list.key] = list
    queue.append(list)
    memberCount += list.rows.count + 1
  }

  /// Removes a list, which the caller holds. It stays in the queue until the lists are counted.
  mutating func remove(_ list: LoadedList) {
    lists[list.key] = nil
    memberCount -= list.rows.count + 1
  }

  /// Counts new members of a loaded list.
  mutating func noteGrowth(_ count: Int) { memberCount += count }

  /// Sets the lists that may be in their slots.
  mutating func setVisible(_ lists: consuming [LoadedList]?, _ pair: UInt32) -> [LoadedList]? {
    visible.put(lists, pair)
  }

  /// Records that a list may be in its slot.
  mutating func noteVisible(_ list: LoadedList) { visible.append(list, list.relation.pair) }

  /// Removes and returns the lists that may be in their slots.
  mutating func takeVisible(_ pair: UInt32) -> [LoadedList]? { visible.take(pair) }

  /// Whether no other list of its relationship may be in its slot.
  func isVisibleAlone(_ list: LoadedList) -> Bool {
    guard let visible = visible[list.relation.pair] else { return true }
    return visible.isEmpty || visible.count == 1 && visible[0] === list
  }

  /// Sets the list of a relationship that the program changed; nil after both sides agree.
  mutating func setUnsettled(_ list: consuming LoadedList?, _ pair: UInt32) -> LoadedList? { unsettled.put(list, pair) }

  /// Sets the list that stays while others are loaded with it.
  mutating func setAwaited(_ list: LoadedList?) -> LoadedList? { exchange(&awaited, with: list) }

  /// Records which object took a partner; nil if the program itself changed the partner.
  mutating func noteTaking(_ taking: Taking?, _ partner: LinkKey) { takings[partner] = taking }

  /// Records a change of a one-way list.
  mutating func noteOneWay(_ list: LinkKey) { oneWays.insert(list) }

  // MARK: The limit

  /// Whether more members are loaded than the limit.
  var isOverBound: Bool { memberCount > most }
  /// Whether more members are loaded than half of the limit.
  var isOverHalf: Bool { memberCount > most / 2 }
  /// Whether lists must be unloaded before others are loaded.
  var mustUnload: Bool { memberCount > unloadAt }
  /// Whether this number of members can be loaded.
  func hasRoom(for count: Int) -> Bool { memberCount + count < unloadAt }

  /// Lists with changes stay, so the next unloading waits until there are twice as many members.
  mutating func deferUnloading() { unloadAt = max(most, 2 * memberCount) }

  /// Replaces the queue, and returns the former one.
  mutating func setQueue(_ lists: [LoadedList]) -> [LoadedList] { exchange(&queue, with: lists) }

  /// The loaded lists of the queue, in the order of loading.
  var loadedQueue: [LoadedList] { queue.filter { lists[$0.key] === $0 } }

  /// Counts the members of the loaded lists.
  mutating func count() { memberCount = lists.values.reduce(0) { $0 + $1.rows.count + 1 } }

  // MARK: Edits

  mutating func add(_ edit: Edit, _ key: LinkKey) { edits[key] = edit }
  mutating func removeEdit(_ key: LinkKey) { edits[key] = nil }
  mutating func takeEdits() -> [LinkKey: Edit] { exchange(&edits, with: [:]) }

  // MARK: Adoption

  /// Records the members of new objects' lists. Returns the previous state, for
  /// ``endAdoption(_:)``.
  mutating func beginAdoption(_ members: [LinkKey: Set<UInt64>]) -> [LinkKey: Set<UInt64>] {
    let former = adopting
    adopting.merge(members) { $1 }
    return former
  }

  mutating func endAdoption(_ former: [LinkKey: Set<UInt64>]) { adopting = former }

  // MARK: After a save

  /// Marks all lists as saved.
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

  /// Forgets absent members, because they are deleted now.
  mutating func forgetAbsent() { for list in lists.values where !list.absent.isEmpty { list.absent = [] } }
}

/// A value for some relationships, by the number that both sides share. These numbers are small.
struct ByPair<Value> {
  fileprivate var values: [Value?] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }
  /// The numbers with a value, ascending.
  var pairs: [UInt32] { values.indices.filter { values[$0] != nil }.map { UInt32($0) } }
  var all: [Value] { values.compactMap { $0 } }

  subscript(pair: UInt32) -> Value? { pair < values.count ? values[Int(pair)] : nil }

  /// Removes and returns a value.
  mutating func take(_ pair: UInt32) -> Value? { pair < values.count ? put(nil, pair) : nil }

  /// Sets a value and returns the previous one.
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
  /// Adds a list to the value.
  fileprivate mutating func append(_ list: LoadedList, _ pair: UInt32) {
    let at = Int(pair)
    if at < values.count, values[at]?.append(list) != nil { return }
    _ = put([list], pair)
  }
}

/// Row numbers in an order, each only once, that can be searched.
struct SearchedRows {
  private(set) var rows: [UInt64]
  /// ``rows`` as a set, from the second search in a long list on. Without it, appending stored
  /// objects would take quadratic time.
  private var index: Set<UInt64>?
  private var wasSearched = false
  #if DEBUG
    /// The number of rows that searches have compared.
    private(set) var searchedRows = 0
  #endif

  init(_ rows: [UInt64]) { self.rows = rows }

  mutating func append(_ row: UInt64) {
    rows.append(row)
    if index != nil {
      let isNew = index?.insert(row).inserted ?? true
      assert(isNew, "a row is a member once")
    }
  }

  mutating func contains(_ row: UInt64) -> Bool {
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

  /// Returns the former place of the row; nil if it was none of them.
  @discardableResult
  mutating func remove(_ row: UInt64) -> Int? {
    // The last one is removed most often.
    guard let at = rows.lastIndex(of: row) else { return nil }
    rows.remove(at: at)
    if index != nil { index?.remove(row) }
    return at
  }
}
