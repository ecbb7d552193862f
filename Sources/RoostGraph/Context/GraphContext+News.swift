package import RoostRecords

/// The rows that some commits inserted, changed or deleted.
package struct RowNews {
  /// The rows by the number of the entity's home map.
  package internal(set) var rows: [Int: [UInt64]] = [:]
  /// The inserted rows.
  package internal(set) var inserted: [Int: [ArrivedRows]] = [:]
  /// Whether the commits changed more rows than are listed here.
  package internal(set) var isEverything = false

  package init() {}

  /// At most this many rows are listed.
  private static var most: Int { 100_000 }

  /// Adds later news.
  package mutating func add(_ later: RowNews) {
    if isEverything { return }
    isEverything = later.isEverything
    for (home, some) in later.rows { rows[home, default: []] += some }
    for (home, some) in later.inserted { inserted[home, default: []] += some }
    // A run of inserted rows counts as one.
    let count =
      rows.values.reduce(0) { $0 + $1.count } + inserted.values.joined().reduce(0) { $0 + 1 + $1.late.count }
    if isEverything || count > Self.most { (rows, inserted, isEverything) = ([:], [:], true) }
  }

  /// Whether it contains rows of an entity.
  package func touches(_ map: EntityMap) -> Bool {
    isEverything || rows[map.home] != nil || inserted[map.home] != nil
  }

  /// The rows of an entity; nil if there are more than `most`.
  package func rows(_ map: EntityMap, atMost most: Int) -> [UInt64]? {
    if isEverything { return nil }
    var all = rows[map.home] ?? []
    let new = inserted[map.home] ?? []
    if all.count > most || new.contains(where: { $0.count > most }) { return nil }
    if new.reduce(all.count, { $0 + $1.count }) > most { return nil }
    for one in new { one.forEach { all.append($0) } }
    return all.count > 1 ? Array(Set(all)) : all
  }
}

extension GraphContext {
  /// The commit that the context shows. If it merges, it first moves to the newest one.
  package func newestCommit() throws -> UInt64 {
    try call(.fetching) {
      try follower.catchUp()
      return try session.snapshot().commit
    }
  }

  /// The changes from a commit up to the shown one.
  package func news(after commit: UInt64) throws -> RowNews {
    RowNews(store.feed.news(after: commit, through: try session.snapshot().commit), store)
  }

  /// Keeps the news after a commit until ``letGoNews(after:)``.
  package func keepNews(after commit: UInt64) { store.feed.shows(commit) }
  package func letGoNews(after commit: UInt64) { store.feed.hides(commit) }

  /// Moves to the newest snapshot, in a context with few objects and no changes, and returns the
  /// changes since the previous one. The rows of `map` include those whose own values are unchanged
  /// but which gained or lost a reference from another row.
  package func moveOn(_ map: EntityMap) throws -> RowNews {
    try call(.fetching) {
      let new = try store.records.snapshot()
      guard let old = session.reader else {
        session.show(new)
        return RowNews(.everything, store)
      }
      if new.commit == old.commit {
        new.close()
        return RowNews()
      }
      let feed = store.feed.news(after: old.commit, through: new.commit)
      var before: Set<Membership> = []
      do {
        if case .entries(let entries) = feed, isTold(entries) { before = try links.memberships(entries, of: map.home) }
        try follower.apply(everythingUpTo: new, from: old)
        old.close()
      } catch {
        if session.reader !== new { new.close() }
        throw error
      }
      var news = RowNews(feed, store)
      if case .entries(let entries) = feed {
        guard isTold(entries) else {
          news.isEverything = true
          return news
        }
        let now = try links.memberships(entries, of: map.home)
        for one in before.symmetricDifference(now) { news.rows[map.home, default: []].append(one.owner.row) }
      }
      return news
    }
  }

  /// With more rows it does not search for the rows that they reference.
  private static var mostAsked: Int { 10_000 }

  private func isTold(_ entries: [CommitFeed.Entry]) -> Bool {
    entries.reduce(0) { $0 + $1.size } <= Self.mostAsked
  }
}

extension RowNews {
  init(_ news: CommitFeed.News, _ store: GraphStore) {
    guard case .entries(let entries) = news else {
      isEverything = true
      return
    }
    for entry in entries {
      for (number, some) in entry.rows { rows[store.maps[number].home, default: []] += some }
      for (number, some) in entry.deleted { rows[store.maps[number].home, default: []] += some }
      for (home, some) in entry.inserted { inserted[home, default: []].append(some) }
    }
  }
}
