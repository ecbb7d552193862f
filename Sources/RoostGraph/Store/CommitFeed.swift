internal import RoostFile

/// Which rows the last commits of this process changed, so that contexts know what of theirs is old.
///
/// An entry may be there whose commit failed: whoever goes by it reads something again that has not changed.
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
    /// Whose commit it was.
    var author: ObjectIdentifier

    /// How many rows it tells of.
    var size: Int { (rows.values.map(\.count) + deleted.values.map(\.count)).reduce(1, +) }
  }

  /// What happened between two snapshots.
  enum News {
    case entries([Entry])
    /// More than is kept here.
    case everything
  }

  private let lock = Lock()
  private var entries: [Entry] = []
  private var rowCount = 0
  /// The number of the last commit that is not here any more.
  private var forgotten: UInt64 = 0
  private let mostRows: Int

  init(mostRows: Int = 1 << 20) { self.mostRows = mostRows }

  /// To be called before the commit is made, by the one who makes it.
  func add(_ entry: Entry) {
    let count = entry.size
    lock.acquire()
    defer { lock.release() }
    entries.append(entry)
    rowCount += count
    var dropped = 0
    while rowCount > mostRows, dropped < entries.count {
      forgotten = max(forgotten, entries[dropped].number)
      rowCount -= entries[dropped].size
      dropped += 1
    }
    if dropped > 0 { entries.removeFirst(dropped) }
  }

  /// What commits behind `old` up to `new` changed.
  func news(after old: UInt64, through new: UInt64) -> News {
    lock.acquire()
    defer { lock.release() }
    if forgotten > old { return .everything }
    return .entries(entries.filter { $0.number > old && $0.number <= new })
  }
}
