internal import RoostFile
package import RoostPages
internal import RoostRecords

/// Writing what was changed, in one transaction.
extension GraphContext {
  /// Writes all changes, or none if it throws.
  package func save(_ durability: Durability? = nil) throws { try Self.save([self], durability) }

  /// - Parameter timeoutMilliseconds: how long it waits for another writer; nil for as long as it takes.
  package static func save(_ contexts: [GraphContext], isRelaxed: Bool, timeoutMilliseconds: UInt64? = nil) throws {
    let way = Way(isRelaxed ? Durability.relaxed : .full, timeoutMilliseconds)
    try calling(contexts[...]) { try saveNow(contexts, way) }
  }

  /// Writes the changes of contexts of several stores. Each store is asked for everything before the first one commits.
  package static func save(_ contexts: [GraphContext], _ durability: Durability? = nil) throws {
    try calling(contexts[...]) { try saveNow(contexts, Way(durability, nil)) }
  }

  /// How a save is done, where its contexts do not say it.
  private struct Way {
    let durability: Durability?
    let timeoutMilliseconds: UInt64?

    init(_ durability: Durability?, _ timeoutMilliseconds: UInt64?) {
      self.durability = durability
      self.timeoutMilliseconds = timeoutMilliseconds
    }
  }

  private static func calling(_ contexts: ArraySlice<GraphContext>, _ body: () throws -> Void) throws {
    guard let first = contexts.first else { return try body() }
    try first.call(.saving) { try calling(contexts.dropFirst(), body) }
  }

  private static func saveNow(_ contexts: [GraphContext], _ way: Way) throws {
    var waiting: [GraphContext] = []
    for context in contexts where try context.isReadyToSave() { waiting.append(context) }
    // Always in the same order, so that two threads with the same stores do not wait for each other.
    waiting.sort { ObjectIdentifier($0.store) < ObjectIdentifier($1.store) }
    var turns = 0
    var books = Array(repeating: DecisionBook(), count: waiting.count)
    while !waiting.isEmpty {
      var runs: [SaveRun] = []
      do {
        try write(waiting, books, &runs, way)
        for (context, run) in zip(waiting, runs) { context.finish(run) }
        // Of the others this save did nothing.
        for context in contexts where !waiting.contains(where: { $0 === context }) { context.lastSave = SaveSummary() }
        return
      } catch is SaveAgain {
        turns += 1
        if turns > mostTurns {
          throw GraphFault(.conflict, "other contexts changed unique values during each of 100 attempts: save again")
        }
        for (number, run) in runs.enumerated() { try waiting[number].decide(run, &books[number]) }
      } catch {
        // Stores commit one after the other: what the first ones have is not pending any more.
        for (context, run) in zip(waiting, runs) where run.isCommitted { context.finish(run) }
        throw error
      }
    }
  }

  /// Each turn finds at least one new object that has a row already; one or two find all, unless others write meanwhile.
  private static var mostTurns: Int { 100 }

  /// Whether there is something to write.
  private func isReadyToSave() throws -> Bool {
    settle()
    if let failure { throw failure }
    try complain()
    if !hasChanges { return false }
    try loadEditedLists()
    return true
  }

  /// One transaction in the other, so that nothing commits before all is written.
  private static func write(
    _ contexts: [GraphContext], _ books: [DecisionBook], _ runs: inout [SaveRun], _ way: Way
  ) throws {
    guard runs.count < contexts.count else {
      let faults = runs.flatMap(\.faults)
      if !faults.isEmpty { throw SaveRefusal(faults: faults) }
      if runs.contains(where: { !$0.collisions.isEmpty || !$0.lapsed.isEmpty }) { throw SaveAgain() }
      for (context, run) in zip(contexts, runs) { context.store.feed.add(run.takeEntry()) }
      return
    }
    let place = runs.count
    let context = contexts[place]
    let wanted = way.durability ?? (context.isRelaxed ? .relaxed : .full)
    try context.store.records.write(
      wanted, author: context.author, timeoutMilliseconds: way.timeoutMilliseconds
    ) { writer in
      let run = try context.makeRun(writer, books[place].decisions)
      try context.write(run)
      try context.store.room?()
      runs.append(run)
      try write(contexts, books, &runs, way)
    }
    runs[place].isCommitted = true
    context.statistics.bytesWritten += runs[place].writer.written.bytes
    context.statistics.pagesWritten += runs[place].writer.written.pages
  }

  private func makeRun(_ writer: RecordWriter, _ decisions: [LinkKey: SaveRun.Decision]) throws -> SaveRun {
    SaveRun(
      writer, try news(writer), decisions, isPlain: deleted.isEmpty && links.doomed.isEmpty && !mayDangle, author: self)
  }

  /// What others committed that this context has not seen, or had not seen when it changed the same objects.
  private func news(_ writer: RecordWriter) throws -> SaveRun.News? {
    guard let seen = seenCommit else { return nil }
    let newest = writer.commitNumber - 1
    if seen >= newest { return bases.isEmpty ? nil : SaveRun.News(rows: [:]) }
    guard case .entries(let entries) = store.feed.news(after: seen, through: newest) else { return SaveRun.News() }
    var rows: [Int: Set<UInt64>] = [:]
    for entry in entries where entry.author != ObjectIdentifier(self) {
      for (map, changed) in entry.rows { rows[map, default: []].formUnion(changed) }
      for (map, deleted) in entry.deleted { rows[map, default: []].formUnion(deleted) }
    }
    return SaveRun.News(rows: rows)
  }

  private func write(_ run: SaveRun) throws {
    // A program that was asked about unique values may have changed more.
    if !run.decisions.isEmpty { try loadEditedLists() }
    try compare(run)
    // References first, so that rules follow those of now; then what makes room for unique values.
    try update(run)
    try relink(run)
    try delete(run)
    try updateWaiting(run)
    try insert(run)
    try partSingles(run)
    try arrange(run)
    try count(run)
  }

  func sink(_ map: EntityMap) -> SinkBox {
    if let known = sinks[map.number] { return known }
    let made = SinkBox(map.newest)
    sinks[map.number] = made
    return made
  }

  /// Loads lists held by links where a member left and came back, or where the relationship is its own inverse: their edits do not
  /// tell which side owns a link. A save loads no other list. Added members are put in order by their row numbers.
  private func loadEditedLists() throws {
    for (key, edit) in links.edits {
      // The owner's own class says what its property is: one that a subclass adds is none of the topmost class's.
      guard let origin = edit.owner._$state.origin as? RowOrigin, let relation = relation(origin, key.property),
        relation.isByLinks, relation.isOwnInverse || edit.cameAgain
      else { continue }
      load(edit.owner, relation, origin, withSiblings: false)
    }
    if let failure { throw failure }
  }

  /// Whether rows are new ones in the order in which they will be written.
  func comeInOrder(_ rows: ArraySlice<UInt64>, _ relation: Relation) -> Bool {
    let target = store.maps[relation.target]
    var last: UInt64 = 0
    for row in rows {
      guard row > last, registered(target, RowID(row))?._$state.flags.contains(.inserted) == true else { return false }
      last = row
    }
    return true
  }
}
