internal import RoostFile
internal import RoostRecords

/// The keys and classes that the rows of a working set have in the backing store, and which parts of
/// the rows were fetched.
///
/// ## Invariants
/// 1. Each key names at most one row of an entity. A row has one key at a time; its earlier keys
///    still name it.
/// 2. `loaded` is the commit that wrote the values: older states do not have them. It never
///    increases again. `listed` is the commit that wrote the members of lists.
/// 3. `time` is the time of the request for the values. Values that were requested earlier do not
///    replace them.
/// 4. A deleted row keeps its key, and the key names it, until values that were requested later
///    name it again.
///
/// Unchecked because the lock guards all of it.
package final class BackingKeys: @unchecked Sendable {
  /// The state of a row, without its key. It contains no reference, so a copy is cheap.
  private struct Entry {
    /// Nil while only the key is known.
    var loaded: UInt64?
    /// Nil while the members of its lists are unknown.
    var listed: UInt64?
    var time: UInt64 = 0
    var isDeleted = false
    /// The number of the map of the row's class.
    let map: Int32

    init(_ map: EntityMap, loaded: UInt64? = nil, listed: UInt64? = nil, time: UInt64 = 0) {
      (self.map, self.loaded, self.listed, self.time) = (Int32(map.number), loaded, listed, time)
    }

    /// Whether the state at a commit lacks the row's values, or the members of its lists.
    func lacks(lists: Bool, in commit: UInt64?) -> Bool {
      if lists, isDeleted { return false }
      guard let since = lists ? listed : loaded else { return true }
      return commit.map { $0 < since } ?? false
    }
  }

  /// The entries and the keys of an entity's rows. The engine numbers rows in order, so they are in
  /// arrays.
  private struct EntityRows {
    /// The row of the first entry.
    private var first: UInt64 = 0
    private var entries: [Entry?] = []
    /// The key of a row without an entry is `.row(0)`.
    private var keys: [IdentifierKey] = []

    var numbered: some Sequence<(row: UInt64, entry: Entry)> {
      zip(first..., entries).lazy.compactMap { row, entry in entry.map { (row, $0) } }
    }

    private func place(_ row: UInt64) -> Int? {
      row >= first && row - first < entries.count ? Int(row - first) : nil
    }

    subscript(row: UInt64) -> Entry? { place(row).flatMap { entries[$0] } }

    func key(_ row: UInt64) -> IdentifierKey? {
      place(row).flatMap { entries[$0] == nil ? nil : keys[$0] }
    }

    /// Sets the entry and the key of a row. New rows usually have consecutive numbers.
    mutating func put(_ entry: Entry, key: IdentifierKey, at row: UInt64) {
      if entries.isEmpty { first = row }
      if row < first {
        let gap = Int(first - row)
        entries.insert(contentsOf: repeatElement(nil, count: gap), at: 0)
        keys.insert(contentsOf: repeatElement(.row(0), count: gap), at: 0)
        first = row
      }
      let place = Int(row - first)
      while place > entries.count {
        entries.append(nil)
        keys.append(.row(0))
      }
      if place == entries.count {
        entries.append(entry)
        keys.append(key)
      } else {
        (entries[place], keys[place]) = (entry, key)
      }
    }

    /// Changes the entry of a row, if there is one.
    mutating func change(_ row: UInt64, by body: (inout Entry) -> Void) {
      if let place = place(row), entries[place] != nil { body(&entries[place]!) }
    }

    /// Changes the key of a row, if it has one.
    mutating func rename(_ row: UInt64, to key: IdentifierKey) {
      if let place = place(row), entries[place] != nil { keys[place] = key }
    }
  }

  private let lock = Lock()
  /// By number of a home map.
  private var entities: [EntityRows] = []
  private var rows: [EntityKey: UInt64] = [:]
  private var clock: UInt64 = 1
  /// The time at which everything was last erased.
  private var erased: UInt64 = 0

  package init() {}

  /// A time that is later than all before.
  package func now() -> UInt64 {
    lock.withLock {
      clock += 1
      return clock
    }
  }

  /// The entry of a row. The caller has the lock.
  private subscript(map: EntityMap, row: UInt64) -> Entry? {
    map.home < entities.count ? entities[map.home][row] : nil
  }

  /// Gives a row its entry and its key. The caller has the lock.
  private func put(_ entry: Entry, key: IdentifierKey, home: Int, at row: UInt64) {
    while home >= entities.count { entities.append(EntityRows()) }
    entities[home].put(entry, key: key, at: row)
  }

  // MARK: Keys

  /// The key of a row. A row of an unsaved model gets a temporary key, which no other process
  /// assigns.
  package func key(_ map: EntityMap, _ row: UInt64) -> IdentifierKey {
    lock.withLock {
      if map.home < entities.count, let known = entities[map.home].key(row) { return known }
      let made = IdentifierKey.temporary(UInt64.random(in: 1 << 40..<1 << 53))
      put(Entry(map, loaded: 0, listed: 0), key: made, home: map.home, at: row)
      rows[EntityKey(map, made)] = row
      return made
    }
  }

  /// The number of the map of a row's own class. The caller may know only a map of the entity.
  package func ownMap(_ map: EntityMap, _ row: UInt64) -> Int {
    lock.withLock { self[map, row].map { Int($0.map) } ?? map.number }
  }

  package func row(_ map: EntityMap, _ key: IdentifierKey) -> UInt64? {
    lock.withLock { rows[EntityKey(map, key)] }
  }

  /// The known facts about the row that a key names.
  package struct Found {
    package var row: UInt64
    /// The number of the map of its class.
    package var map: Int
    package var isLoaded: Bool
    /// Whether the members of its lists are known.
    package var isListed: Bool
    package var isDeleted: Bool
    /// The time at which its values were requested or it was deleted.
    package var time: UInt64
  }

  package func find(_ map: EntityMap, _ key: IdentifierKey) -> Found? {
    lock.withLock {
      guard let row = rows[EntityKey(map, key)], let entry = self[map, row] else {
        return nil
      }
      return Found(
        row: row, map: Int(entry.map), isLoaded: entry.loaded != nil, isListed: entry.listed != nil,
        isDeleted: entry.isDeleted, time: entry.time)
    }
  }

  /// A row that a commit made.
  package struct New {
    package let map: EntityMap
    package var row: UInt64
    package let key: IdentifierKey
    /// Whether it is made with values. Other rows are made without values first.
    package var isLoaded: Bool
    /// Whether the members of all its lists are included.
    package var isListed = false

    package init(_ map: EntityMap, _ row: UInt64, key: IdentifierKey, isLoaded: Bool) {
      (self.map, self.row, self.key, self.isLoaded) = (map, row, key, isLoaded)
    }
  }

  /// Sets the keys of rows that a commit made. The values of rows that have some were requested at
  /// `time`.
  package func add(_ made: [New], in commit: UInt64, askedAt time: UInt64) {
    lock.withLock {
      rows.reserveCapacity(rows.count + made.count)
      for new in made {
        let entry = Entry(
          new.map, loaded: new.isLoaded ? commit : nil, listed: new.isLoaded && new.isListed ? commit : nil,
          time: new.isLoaded ? time : 0)
        put(entry, key: new.key, home: new.map.home, at: new.row)
        rows[EntityKey(new.map, new.key)] = new.row
      }
    }
  }

  /// Gives a row another key, which the backing store uses from now on.
  package func rename(_ map: EntityMap, _ row: UInt64, to key: IdentifierKey) {
    lock.withLock {
      if map.home < entities.count { entities[map.home].rename(row, to: key) }
      rows[EntityKey(map, key)] = row
    }
  }

  /// Forgets all rows, because the store was erased.
  package func removeAll() {
    lock.withLock {
      clock += 1
      erased = clock
      entities = []
      rows = [:]
    }
  }

  /// Whether everything was erased after a time.
  package func wasErased(after time: UInt64) -> Bool { lock.withLock { time < erased } }

  // MARK: Values

  /// Whether the state at a commit lacks a row's values.
  package func isUnloaded(_ map: EntityMap, _ row: UInt64, in commit: UInt64?) -> Bool {
    lock.withLock { self[map, row]?.lacks(lists: false, in: commit) ?? false }
  }

  /// Whether the state at a commit lacks the members of a row's lists.
  package func isUnlisted(_ map: EntityMap, _ row: UInt64, in commit: UInt64?) -> Bool {
    lock.withLock { self[map, row]?.lacks(lists: true, in: commit) ?? false }
  }

  /// The rows whose values, or members of lists, the state at a commit lacks.
  package func missing(
    _ wanted: [(map: EntityMap, row: UInt64)], lists: Bool, in commit: UInt64?
  ) -> [(map: EntityMap, row: UInt64)] {
    lock.withLock { wanted.filter { self[$0.map, $0.row]?.lacks(lists: lists, in: commit) ?? false } }
  }

  /// Whether values that were requested at `time` may be written into a row.
  package func mayWrite(_ map: EntityMap, _ row: UInt64, askedAt time: UInt64) -> Bool {
    lock.withLock { self[map, row].map { $0.time <= time && !$0.isDeleted } ?? true }
  }

  /// Whether a row was deleted before a time, so that its key may name a new row.
  package func isDeleted(_ map: EntityMap, _ row: UInt64, before time: UInt64) -> Bool {
    lock.withLock { self[map, row].map { $0.isDeleted && $0.time < time } ?? false }
  }

  /// Records that a commit wrote values into rows that were requested at `time`.
  package func noteLoaded(_ written: [(map: EntityMap, row: UInt64)], in commit: UInt64, askedAt time: UInt64) {
    lock.withLock {
      for (map, row) in written {
        change(map, row) { entry in
          if entry.loaded == nil { entry.loaded = commit }
          entry.time = max(time, entry.time)
        }
      }
    }
  }

  /// Records that a commit wrote the members of all lists of rows.
  package func noteListed(_ written: [(map: EntityMap, row: UInt64)], in commit: UInt64) {
    lock.withLock {
      for (map, row) in written { change(map, row) { if $0.listed == nil { $0.listed = commit } } }
    }
  }

  /// Changes the entry of a row, if there is one. The caller has the lock.
  private func change(_ map: EntityMap, _ row: UInt64, by body: (inout Entry) -> Void) {
    if map.home < entities.count { entities[map.home].change(row, by: body) }
  }

  package func noteDeleted(_ map: EntityMap, _ row: UInt64, at time: UInt64) {
    lock.withLock {
      change(map, row) { ($0.isDeleted, $0.time) = (true, time) }
    }
  }

  /// Unloaded rows with the numbers after a row's, at most `count`. The rows of one list have
  /// consecutive numbers.
  ///
  /// - Parameters:
  ///   - map: the map of the row's class.
  ///   - row: the row.
  ///   - lists: whether to include rows that have values but not the members of their lists.
  ///   - count: the limit.
  package func unloaded(after map: EntityMap, _ row: UInt64, lists: Bool, atMost count: Int) -> [UInt64] {
    lock.withLock {
      var found: [UInt64] = []
      while found.count < count {
        let next = row &+ 1 &+ UInt64(found.count)
        guard let entry = self[map, next], !entry.isDeleted,
          lists ? entry.listed == nil : entry.loaded == nil
        else { break }
        found.append(next)
      }
      return found
    }
  }

  /// All unloaded rows of an entity.
  ///
  /// - Parameters:
  ///   - map: a map of the entity.
  ///   - lists: whether to include rows that have values but not the members of their lists.
  package func unloaded(_ map: EntityMap, lists: Bool) -> [UInt64] {
    lock.withLock {
      guard map.home < entities.count else { return [] }
      return entities[map.home].numbered.compactMap { row, entry in
        let isWhole = entry.loaded != nil && (!lists || entry.listed != nil)
        return isWhole || entry.isDeleted ? nil : row
      }
    }
  }
}
