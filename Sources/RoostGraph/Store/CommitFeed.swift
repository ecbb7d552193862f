internal import RoostFile
internal import RoostRecords

/// Which rows the last commits of this process changed, so that contexts know what of theirs is old.
///
/// An entry may be there whose commit failed: whoever goes by it reads something again that has not changed. Entries are kept as long as a
/// context may ask for them: since the oldest snapshot that one shows, and no more rows than a bound.
///
/// ## Invariants
/// 1. Entries stand in the order of their numbers, which never go down. Those in front of `first` are empty.
/// 2. Nothing behind `forgotten` is missing.
///
/// Unchecked because the lock guards all of it.
final class CommitFeed: @unchecked Sendable {
  struct Entry {
    /// The commit's number.
    var number: UInt64
    /// By the number of the entity's map.
    var rows: [Int: [UInt64]]
    /// Those that went.
    var deleted: [Int: [UInt64]] = [:]
    /// Those that came. No context has objects of them. Whom they lead to is among `rows`.
    var inserted: [(home: Int, rows: ArrivedRows)] = []
    /// Whose commit it was.
    var author: ObjectIdentifier

    /// How many rows it tells of.
    var size: Int {
      var size = 1
      for some in rows.values { size += some.count }
      for some in deleted.values { size += some.count }
      for some in inserted { size += some.rows.late.count }
      return size
    }

    /// Takes over which rows a transaction inserts, and whose derived values it changes. Returns the latter.
    @discardableResult
    mutating func take(_ writer: RecordWriter, _ store: GraphStore) throws -> [RowName] {
      let derived = try writer.derivedRows()
      for name in derived {
        if let map = store.map(of: name.entity) { rows[map.home, default: []].append(name.row.number) }
      }
      writer.forEachArrival { id, rows in
        if let map = store.map(of: id) { inserted.append((map.home, rows)) }
      }
      return derived
    }
  }

  /// What happened between two snapshots.
  enum News {
    case entries([Entry])
    /// More than is kept here.
    case everything
  }

  private let lock = Lock()
  private var entries: [Entry] = []
  /// Where the oldest one stands that is kept.
  private var first = 0
  private var rowCount = 0
  /// The number of the last commit that is not here any more.
  private var forgotten: UInt64 = 0
  /// By commit, how many contexts show it.
  private var shown: [UInt64: Int] = [:]
  /// When it is looked again who shows what.
  private var trimAt = CommitFeed.fewest
  private let mostRows: Int

  /// So few entries are not worth looking.
  private static let fewest = 64

  static let most = 1 << 20

  init(mostRows: Int = CommitFeed.most) { self.mostRows = mostRows }

  var count: Int { lock.withLock { entries.count - first } }

  // MARK: Who looks

  /// A context shows a commit from here on.
  func shows(_ commit: UInt64) { lock.withLock { shown[commit, default: 0] += 1 } }

  func hides(_ commit: UInt64) {
    lock.withLock {
      guard let count = shown[commit] else { return }
      shown[commit] = count > 1 ? count - 1 : nil
      // It may have been the oldest, which kept what nobody else needs.
      if count == 1, first < entries.count, commit <= entries[first].number {
        trimAt = min(trimAt, entries.count - first + Self.fewest)
      }
    }
  }

  // MARK: Entries

  /// To be called before the commit is made, by the one who makes it.
  func add(_ entry: Entry) {
    let count = entry.size
    lock.acquire()
    defer { lock.release() }
    entries.append(entry)
    rowCount += count
    while rowCount > mostRows, first < entries.count { forgetFirst() }
    if entries.count - first >= trimAt {
      let oldest = shown.keys.min() ?? entry.number
      while first < entries.count, entries[first].number <= oldest { forgetFirst() }
      // Whoever is behind keeps them; then it is looked again when there are twice as many.
      trimAt = max(Self.fewest, 2 * (entries.count - first))
    }
    // Moving the others costs less than what went.
    if first > entries.count / 2 {
      entries.removeFirst(first)
      first = 0
    }
  }

  /// The same for a commit that changed more than is told here.
  func addEverything(_ number: UInt64) {
    lock.withLock {
      while first < entries.count { forgetFirst() }
      forgotten = max(forgotten, number)
    }
  }

  private func forgetFirst() {
    forgotten = max(forgotten, entries[first].number)
    rowCount -= entries[first].size
    entries[first].rows = [:]
    entries[first].deleted = [:]
    entries[first].inserted = []
    first += 1
  }

  /// What commits behind `old` up to `new` changed.
  func news(after old: UInt64, through new: UInt64) -> News {
    lock.acquire()
    defer { lock.release() }
    if forgotten > old { return .everything }
    let start = place(behind: old)
    return .entries(Array(entries[start..<max(start, place(behind: new))]))
  }

  /// Where the first entry stands whose number is greater.
  private func place(behind number: UInt64) -> Int {
    var (low, high) = (first, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
