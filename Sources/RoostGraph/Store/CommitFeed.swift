internal import RoostFile
internal import RoostRecords

/// The rows that the recent commits of this process changed, so that contexts know which of their
/// data is outdated.
///
/// The commit of an entry may have failed: a context that uses it reads unchanged rows again.
/// Entries are kept as long as a context may need them: from the oldest snapshot that a context
/// shows, up to a limit on their rows.
///
/// ## Invariants
/// 1. Entries are in the order of their numbers, which never decrease. Those before `first` are
///    empty.
/// 2. No entry after `forgotten` is missing.
///
/// Unchecked because the lock guards all of it.
final class CommitFeed: @unchecked Sendable {
  struct Entry {
    /// The commit's number.
    var number: UInt64
    /// The changed rows by number of the entity's home map.
    var rows: [Int: [UInt64]]
    /// The deleted rows.
    var deleted: [Int: [UInt64]] = [:]
    /// The inserted rows. No context has objects of them. Rows that they reference are in `rows`.
    var inserted: [(home: Int, rows: ArrivedRows)] = []
    /// The context that committed.
    var author: ObjectIdentifier

    /// The number of its rows.
    var size: Int {
      var size = 1
      for some in rows.values { size += some.count }
      for some in deleted.values { size += some.count }
      for some in inserted { size += some.rows.late.count }
      return size
    }

    /// Takes over the rows that a transaction inserts, and the rows whose derived values it
    /// changes. Returns the latter.
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

  /// The changes between two snapshots.
  enum News {
    case entries([Entry])
    /// More changes than the feed keeps.
    case everything
  }

  private let lock = Lock()
  private var entries: [Entry] = []
  /// The place of the oldest entry that is kept.
  private var first = 0
  private var rowCount = 0
  /// The number of the last commit whose entry was removed.
  private var forgotten: UInt64 = 0
  /// The number of contexts that show each commit.
  private var shown: [UInt64: Int] = [:]
  /// The number of entries at which the oldest shown commit is looked up again.
  private var trimAt = CommitFeed.fewest
  private let mostRows: Int

  /// With fewer entries a look-up is not worthwhile.
  private static let fewest = 64

  static let most = 1 << 20

  init(mostRows: Int = CommitFeed.most) { self.mostRows = mostRows }

  var count: Int { lock.withLock { entries.count - first } }

  // MARK: Shown commits

  /// Records that a context shows a commit.
  func shows(_ commit: UInt64) { lock.withLock { shown[commit, default: 0] += 1 } }

  func hides(_ commit: UInt64) {
    lock.withLock {
      guard let count = shown[commit] else { return }
      shown[commit] = count > 1 ? count - 1 : nil
      // It may have been the oldest commit, which kept entries that no other context needs.
      if count == 1, first < entries.count, commit <= entries[first].number {
        trimAt = min(trimAt, entries.count - first + Self.fewest)
      }
    }
  }

  // MARK: Entries

  /// Adds the changes of a commit. The committing context calls it before the commit.
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
      // An old snapshot keeps them; the next look-up is at twice as many.
      trimAt = max(Self.fewest, 2 * (entries.count - first))
    }
    // Moving the other entries costs less than adding the removed ones did.
    if first > entries.count / 2 {
      entries.removeFirst(first)
      first = 0
    }
  }

  /// Records a commit with more changes than the feed keeps.
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

  /// The changes of the commits after `old` up to `new`.
  func news(after old: UInt64, through new: UInt64) -> News {
    lock.acquire()
    defer { lock.release() }
    if forgotten > old { return .everything }
    let start = place(behind: old)
    return .entries(Array(entries[start..<max(start, place(behind: new))]))
  }

  /// The place of the first entry with a greater number.
  private func place(behind number: UInt64) -> Int {
    var (low, high) = (first, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].number <= number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
