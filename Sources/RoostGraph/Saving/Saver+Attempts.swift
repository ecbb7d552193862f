internal import RoostFile
internal import RoostPages
internal import RoostRecords

/// Writing what was changed, in one transaction.
extension Saver {
  /// How a save is done, where its contexts do not say it.
  struct Way {
    let durability: SyncMode?
    /// How long it waits for another writer; nil for as long as it takes.
    let timeoutMilliseconds: UInt64?
  }

  /// Writes the changes of contexts of several stores. Each store is asked for everything before the first one commits.
  static func save(_ savers: [Saver], _ way: Way) throws {
    var waiting: [Saver] = []
    try judge(savers)
    defer {
      for saver in savers {
        (saver.judged, saver.neighbours) = ([], [])
        saver.matches.clear()
      }
    }
    for saver in savers where try saver.isReadyToSave() {
      waiting.append(saver)
      saver.matchPatterns()
    }
    // Always in the same order, so that two threads with the same stores do not wait for each other. Working sets come last, so they
    // are asked, and commit, before the others.
    waiting.sort {
      let (one, other) = ($0.saveBacking != nil, $1.saveBacking != nil)
      return one == other ? ObjectIdentifier($0.store) < ObjectIdentifier($1.store) : other
    }
    var turns = 0
    var books = Array(repeating: DecisionBook(), count: waiting.count)
    defer { for saver in waiting { saver.outcome = nil } }
    while !waiting.isEmpty {
      var runs: [SaveRun] = []
      do {
        try write(waiting, books, runs: &runs, way: way)
        for (saver, run) in zip(waiting, runs) { saver.finish(run) }
        // Of the others this save did nothing.
        for saver in savers where !waiting.contains(where: { $0 === saver }) { saver.forgetLastSave() }
        return
      } catch is SaveAgain {
        try count(&turns)
        var isAsked = false
        for (number, run) in runs.enumerated() where try waiting[number].decide(run, &books[number]) { isAsked = true }
        if isAsked { try judgeAgain(waiting) }
      } catch let delay as Delay {
        // Working sets commit one after the other: those that have are done.
        for number in runs.indices.reversed() where runs[number].isCommitted {
          waiting[number].outcome = nil
          waiting[number].finish(runs[number])
          waiting.remove(at: number)
          books.remove(at: number)
        }
        try count(&turns, delay)
        for number in waiting.indices { try waiting[number].catchUp(after: delay, &books[number]) }
        // Objects show what others committed now.
        try judgeAgain(waiting)
      } catch {
        // Stores commit one after the other: what the first ones have is not pending any more.
        for (saver, run) in zip(waiting, runs) where run.isCommitted { saver.finish(run) }
        throw error
      }
    }
  }

  /// Asks objects again that changed since the save began.
  private static func judgeAgain(_ savers: [Saver]) throws {
    try judge(savers)
    for saver in savers where saver.store.computes { saver.computeDerived() }
    for saver in savers { saver.matchPatterns() }
  }

  private static func count(_ turns: inout Int, _ delay: Delay? = nil) throws {
    turns += 1
    if turns <= mostTurns { return }
    if case .isStale(_, let reason)? = delay { throw reason }
    throw GraphFault(.conflict, "other contexts changed the same objects during each of 100 attempts: save again")
  }

  /// Each turn finds at least one new object that has a row already; one or two find all, unless others write meanwhile.
  private static var mostTurns: Int { 100 }

  /// Whether there is something to write.
  private func isReadyToSave() throws -> Bool {
    try loadBacking?(
      changes.deletedObjects.compactMap { object in object.entityMap.map { ($0, object._$state.row) } }, false)
    if store.computes { computeDerived() }
    links.settle()
    if let failure = objects.failure { throw failure }
    try changes.throwComplaints()
    if !changes.hasChanges { return false }
    try session.checkWritable()
    try fetchEditedLists()
    try loadEditedLists()
    return true
  }

  /// One transaction in the other, so that nothing commits before all is written.
  private static func write(
    _ savers: [Saver], _ books: [DecisionBook], runs: inout [SaveRun], way: Way
  ) throws {
    guard runs.count < savers.count else {
      let faults = runs.flatMap(\.faults)
      if !faults.isEmpty { throw SaveRefusal(faults: faults, count: runs.reduce(0) { $0 + $1.faultCount }) }
      if runs.contains(where: \.isRepeated) { throw SaveAgain() }
      for (saver, run) in zip(savers, runs) { try saver.takeEntry(run) }
      return
    }
    let place = runs.count
    let saver = savers[place]
    let wanted = way.durability ?? (saver.isRelaxed ? .relaxed : .full)
    try saver.store.records.write(
      wanted, author: saver.author, timeoutMilliseconds: way.timeoutMilliseconds
    ) { writer in
      let run = try saver.makeRun(writer, books[place].decisions)
      try saver.checkIsCurrent(run)
      try saver.write(run)
      try saver.store.room?()
      runs.append(run)
      try write(savers, books, runs: &runs, way: way)
      try saver.saveToBacking(run)
    }
    runs[place].isCommitted = true
    saver.session.statistics.bytesWritten += runs[place].writer.written.bytes
    saver.session.statistics.pagesWritten += runs[place].writer.written.pages
  }

  /// Throws if others changed an object that computes values or checks itself, or a list that such an object has: it has to see what they
  /// committed, unless it replaces all of that.
  private func checkIsCurrent(_ run: SaveRun) throws {
    guard let news = run.news, store.computes || store.hasJudges, mergePolicy != .overwrite, !session.isPinned,
      saveBacking == nil
    else { return }
    for object in changes.changed {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      if origin.map.type.computed.isEmpty, origin.map.type.judge == nil { continue }
      try checkIsCurrent(LinkKey(object, origin), origin.map, news, run: run)
    }
    for key in neighbours { try checkIsCurrent(key, objects.map(of: key), news, run: run) }
  }

  private func checkIsCurrent(_ row: LinkKey, _ map: EntityMap, _ news: SaveRun.News, run: SaveRun) throws {
    if news.contains(row.map, row.row) { throw Delay.isBehind }
    if map.type.judge == nil { return }
    for case .some(let relation) in store.relations[map.number] {
      // A reference is a part of the row.
      if case .reference = relation.way { continue }
      guard news.hasAny(relation.home) else { continue }
      let isSame = try links.stored(row, relation) == stored(row, relation, of: map, writer: run.writer)
      if !isSame { throw Delay.isBehind }
    }
  }

  private func makeRun(_ writer: RecordWriter, _ decisions: [LinkKey: SaveRun.Decision]) throws -> SaveRun {
    SaveRun(
      writer, try news(writer), decisions: decisions,
      isPlain: changes.deleted.isEmpty && links.deletions.doomed.isEmpty && !changes.mayDangle, author: session,
      faults: judged.map(\.fault))
  }

  /// What others committed that this context has not seen, or had not seen when it changed the same objects.
  private func news(_ writer: RecordWriter) throws -> SaveRun.News? {
    guard let seen = session.seenCommit else { return nil }
    let newest = writer.commitNumber - 1
    if seen >= newest { return !changes.hasBases ? nil : SaveRun.News(rows: [:]) }
    guard case .entries(let entries) = store.feed.news(after: seen, through: newest) else { return SaveRun.News() }
    var rows: [Int: Set<UInt64>] = [:]
    for entry in entries where entry.author != ObjectIdentifier(session) {
      for (map, changed) in entry.rows { rows[map, default: []].formUnion(changed) }
      for (map, deleted) in entry.deleted { rows[map, default: []].formUnion(deleted) }
    }
    return SaveRun.News(rows: rows)
  }

  private func takeEntry(_ run: SaveRun) throws {
    try writingDerived(run.writer) { try store.feed.add(run.takeEntry(store)) }
  }

  private func write(_ run: SaveRun) throws {
    // A program that was asked about unique values may have changed more.
    if !run.decisions.isEmpty { try loadEditedLists() }
    try compare(run)
    try keepTaken(run)
    // References first, so that rules follow those of now; then what makes room for unique values.
    try update(run)
    try relink(run)
    try delete(run)
    try updateWaiting(run)
    try insert(run)
    // The next attempt does the rest.
    if run.isRepeated { return }
    try partSingles(run)
    try arrange(run)
    try count(run)
    if !run.isBroken { try settleChains(run.writer, written: run.chained).forEach(run.refuse) }
  }

  /// Loads lists held by links where a member left and came back, or where the relationship is its own inverse: their edits do not
  /// tell which side owns a link. A save loads no other list. Added members are put in order by their row numbers.
  private func loadEditedLists() throws {
    for (key, edit) in links.ledger.edits {
      // The owner's own class says what its property is: one that a subclass adds is none of the topmost class's.
      guard let origin = edit.owner._$state.origin as? RowOrigin, let relation = links.relation(origin, key.property),
        relation.isByLinks, relation.isOwnInverse || edit.cameAgain
      else { continue }
      links.load(edit.owner, relation, origin: origin, withSiblings: false)
    }
    if let failure = objects.failure { throw failure }
  }

  /// Fetches the members of lists that others join, so that these come after them, and of lists that must have a certain number of members.
  func fetchEditedLists() throws {
    guard let loadBacking else { return }
    var rows: [(map: EntityMap, row: UInt64)] = []
    for (key, edit) in links.ledger.edits where edit.owner._$state.flags.isDisjoint(with: [.inserted, .deleted]) {
      guard let origin = edit.owner._$state.origin as? RowOrigin, let relation = links.relation(origin, key.property),
        edit.addedCount > 0 || relation.minimum > 0 || relation.maximum > 0
      else { continue }
      rows.append((origin.map, key.row))
    }
    if !store.countedRelations.allSatisfy(\.isEmpty) { rows += try ownersOfDeleted() }
    try loadBacking(rows, true)
  }

  /// The owners whose lists lose objects that are deleted, and need a certain number of members.
  private func ownersOfDeleted() throws -> [(map: EntityMap, row: UInt64)] {
    var keys = Array(links.deletions.doomed)
    for object in changes.deletedObjects {
      if let map = object.entityMap { keys.append(LinkKey(map: map.home, row: object._$state.row, property: 0)) }
    }
    var rows: [(map: EntityMap, row: UInt64)] = []
    for key in keys {
      for map in store.maps where map.home == key.map {
        for case .some(let relation) in store.relations[map.number] {
          guard let inverse = relation.inverse, let back = store.relations[relation.target][inverse], back.isList,
            back.minimum > 0
          else { continue }
          rows += try links.stored(key, relation).map { (store.maps[relation.target], $0) }
        }
      }
    }
    return rows
  }

  /// Whether rows are new ones in the order in which they will be written.
  func comeInOrder(_ rows: ArraySlice<UInt64>, _ relation: Relation) -> Bool {
    let target = store.maps[relation.target]
    var last: UInt64 = 0
    for row in rows {
      guard row > last, objects.registered(target, RowID(row))?._$state.flags.contains(.inserted) == true else {
        return false
      }
      last = row
    }
    return true
  }
}
