internal import RoostFile
internal import RoostPages
internal import RoostRecords

/// Writes the changes in one transaction.
extension Saver {
  /// Options of a save that its contexts do not set.
  struct Way {
    let durability: SyncMode?
    /// The longest wait for another writer; nil to wait without a limit.
    let timeoutMilliseconds: UInt64?
  }

  /// Writes the changes of contexts of several stores. All stores prepare their commit before the
  /// first one commits.
  static func save(_ savers: [Saver], _ way: Way) throws {
    try judge(savers)
    defer {
      for saver in savers {
        (saver.judged, saver.neighbours, saver.outcome) = ([], [], nil)
        saver.matches.clear()
      }
    }
    // Always in the same order, so that two threads with the same stores do not wait for each
    // other. Working sets come last, so they send their requests and commit before the others.
    let savers =
      savers.count < 2
      ? savers
      : savers.sorted {
        let (one, other) = ($0.saveBacking != nil, $1.saveBacking != nil)
        return one == other ? ObjectIdentifier($0.store) < ObjectIdentifier($1.store) : other
      }
    var waiting = try savers.filter { try $0.isReadyToSave() }
    for saver in waiting { saver.matchPatterns() }
    /// The savers whose stores have committed.
    var done: [Saver] = []
    var turns = 0
    var books: [ObjectIdentifier: DecisionBook] = [:]
    while !waiting.isEmpty {
      var runs: [SaveRun] = []
      do {
        try watching(savers) { try write(waiting, books, runs: &runs, way: way) }
        for (saver, run) in zip(waiting, runs) { saver.finish(run) }
        // This save changed nothing in the others.
        let written = waiting.count + done.count == savers.count ? savers : waiting + done
        for saver in savers where !written.contains(where: { $0 === saver }) { saver.forgetLastSave() }
        return
      } catch let again as SaveAgain {
        try count(&turns, late: again.late)
        var isAsked = again.late != nil
        for (saver, run) in zip(waiting, runs)
        where try saver.decide(run, &books[ObjectIdentifier(saver), default: DecisionBook()]) { isAsked = true }
        if !isAsked { continue }
        // The program may have changed models of all stores.
        waiting = try savers.filter { saver in try !done.contains { $0 === saver } && saver.isReadyToSave() }
        try judgeAgain(waiting)
      } catch let delay as Delay {
        // Working sets commit one after the other: those that have committed are done.
        for number in runs.indices.reversed() where runs[number].isCommitted {
          waiting[number].outcome = nil
          waiting[number].finish(runs[number])
          done.append(waiting.remove(at: number))
        }
        try count(&turns, delay)
        for saver in waiting {
          try saver.catchUp(after: delay, &books[ObjectIdentifier(saver), default: DecisionBook()])
        }
        // The objects show the commits of others now.
        try judgeAgain(waiting)
      } catch {
        // Stores commit one after the other: the changes in the first ones are saved.
        for (saver, run) in zip(waiting, runs) where run.isCommitted { saver.finish(run) }
        throw error
      }
    }
  }

  /// Validates objects again that changed since the save began.
  private static func judgeAgain(_ savers: [Saver]) throws {
    try judge(savers)
    for saver in savers where saver.store.computes { saver.computeDerived() }
    for saver in savers { saver.matchPatterns() }
  }

  private static func count(_ turns: inout Int, _ delay: Delay? = nil, late: ObjectName? = nil) throws {
    turns += 1
    if turns <= mostTurns { return }
    if let late {
      throw GraphFault(
        .conflict,
        "the program changed it during each of 100 attempts to save: let encode(to:) and deinit change no models",
        name: late)
    }
    if case .isStale(_, let reason)? = delay { throw reason }
    throw GraphFault(.conflict, "other contexts changed the same objects during each of 100 attempts: save again")
  }

  /// Each attempt finds at least one new object that has a row already. One or two find all, unless
  /// others write meanwhile.
  private static var mostTurns: Int { 100 }

  /// Whether there are changes to write.
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

  /// Nests the transactions, so that nothing commits before all is written.
  private static func write(
    _ savers: [Saver], _ books: [ObjectIdentifier: DecisionBook], runs: inout [SaveRun], way: Way
  ) throws {
    guard runs.count < savers.count else {
      let judged = try zip(savers, runs).flatMap { saver, run in try saver.lastingJudgement(run) }
      let faults = judged + runs.flatMap(\.faults)
      if !faults.isEmpty {
        throw SaveRefusal(
          faults: Array(faults.prefix(SaveRun.mostFaults)), count: runs.reduce(judged.count) { $0 + $1.faultCount })
      }
      let late = try savers.first?.lateObject()
      if late != nil || runs.contains(where: \.isRepeated) { throw SaveAgain(late: late) }
      for (saver, run) in zip(savers, runs) { try saver.takeEntry(run) }
      return
    }
    let place = runs.count
    let saver = savers[place]
    let wanted = way.durability ?? (saver.isRelaxed ? .relaxed : .full)
    try saver.store.records.write(
      wanted, author: saver.author, timeoutMilliseconds: way.timeoutMilliseconds
    ) { writer in
      let run = try saver.makeRun(writer, books[ObjectIdentifier(saver)]?.decisions ?? [:])
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

  /// Throws if others changed an object that computes values or validates itself, or a list of such an
  /// object: it must see their commits. A row may be overwritten; lists are merged under each policy.
  private func checkIsCurrent(_ run: SaveRun) throws {
    guard let news = run.news, store.computes || store.hasJudges, !session.isPinned, saveBacking == nil
    else { return }
    for object in changes.changed {
      guard let origin = object._$state.origin as? RowOrigin else { continue }
      if origin.map.type.computed.isEmpty, origin.map.type.judge == nil { continue }
      let key = LinkKey(object, origin)
      if mergePolicy != .overwrite, news.contains(key.map, key.row) { throw Delay.isBehind }
      try checkListsAreCurrent(key, origin.map, news: news, run: run)
    }
    for key in neighbours {
      if news.contains(key.map, key.row) { throw Delay.isBehind }
      try checkListsAreCurrent(key, objects.map(of: key), news: news, run: run)
    }
  }

  private func checkListsAreCurrent(_ row: LinkKey, _ map: EntityMap, news: SaveRun.News, run: SaveRun) throws {
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
      isPlain: changes.deleted.isEmpty && links.deletions.doomed.isEmpty && !changes.mayDangle, author: session)
  }

  /// The commits of others that this context has not seen, or had not seen when it changed the same
  /// objects.
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
    // A closure that decided about unique values may have changed more.
    if !run.decisions.isEmpty { try loadEditedLists() }
    try compare(run)
    try planPartners(run)
    try keepReplaced(run)
    // References first, so that delete rules follow the new ones; then the rows that give up unique
    // values.
    try update(run)
    try relink(run)
    try delete(run)
    try updateWaiting(run)
    try insert(run)
    // The next attempt does the rest.
    if run.isRepeated { return }
    try partSingles(run)
    try settlePartners(run)
    try arrange(run)
    try count(run)
    if run.isBroken { return }
    try judgeMixed(run)
    try settleChains(run.writer, written: run.chained).forEach(run.refuse)
  }

  /// Loads lists of links in which a member was removed and added again, or whose relationship is
  /// its own inverse: their edits do not tell which side owns a link. A save loads no other list.
  /// Added members are ordered by their row numbers.
  private func loadEditedLists() throws {
    for (key, edit) in links.ledger.edits {
      // The owner's own class knows the property: the root class lacks a property that a subclass
      // adds.
      guard let origin = edit.owner._$state.origin as? RowOrigin, let relation = links.relation(origin, key.property),
        relation.isByLinks, relation.isOwnInverse || edit.cameAgain
      else { continue }
      links.load(edit.owner, relation, origin: origin, withSiblings: false)
    }
    if let failure = objects.failure { throw failure }
  }

  /// Fetches the members of lists that get new members, which must come last, and of lists with a
  /// minimum or maximum number of members.
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

  /// The owners of lists that lose deleted members and have a minimum number of members.
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

  /// Whether rows are new ones, in the order in which they will be written.
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
