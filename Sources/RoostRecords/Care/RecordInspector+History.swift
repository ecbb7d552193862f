internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Checks the history and its consumers.
extension RecordInspector {
  /// Checks the state, and if it can be read the values of the tree in order.
  func examineHistory() {
    var state = HistoryState()
    if let meta = bytes(Tables.meta) {
      do throws(StoreError) { state = try HistoryState.read(meta) } catch { return add(.history, error.detail) }
    }
    verification.history.mode = state.mode
    let latest = examination.snapshot.transaction
    if state.floor > latest { add(.history, "the history is removed up to a transaction that never existed") }
    guard let tree = integers(HistoryTree.name, isNeeded: false) else {
      if state.mode == .off { add(.history, "the history is off, but it has no gap entry") }
      return
    }
    var walk = HistoryWalk(state, latest, inspector: self)
    trying { () throws(StoreError) in
      try tree.survey(gap: { _ in walk.lose() }, reach: count) { (key, value) in
        do throws(StoreError) { try walk.examine(HistoryContent(key, value.load(view))) } catch {
          add(.history, error.detail)
          walk.lose()
        }
      }
    }
    walk.end()
    verification.history = walk.facts
  }

  func examineWriters() {
    guard let tree = integers(HistoryWriter.tree, isNeeded: false) else { return }
    let latest = examination.snapshot.transaction
    trying { () throws(StoreError) in
      var cursor = IntegerCursor(tree)
      var isThere = try cursor.first()
      while isThere {
        let key = cursor.key
        if try HistoryWriters.writer(at: key, in: tree) == nil { add(.history, HistoryWriter.unreadable(key).detail) }
        if key > latest { add(.history, "a program is recorded for transaction \(key), which never existed") }
        isThere = try cursor.next()
      }
    }
  }

  func examineConsumers() {
    guard let tree = bytes(ConsumerPlace.tree, isNeeded: false) else { return }
    let state = bytes(Tables.meta).flatMap { meta in try? HistoryState.read(meta) } ?? HistoryState()
    trying { () throws(StoreError) in
      for one in try ConsumerPlace.all(in: tree, HistoryStoreID(high: 0, low: 0)) {
        verification.history.consumers += 1
        let number = one.token.transaction
        if one.name.utf8.count > ConsumerPlace.mostNameBytes { add(.consumer, "a consumer's name is too long") }
        if one.isCutOff { continue }
        if number < state.floor || number > examination.snapshot.transaction {
          add(.consumer, "the consumer \(one.name) has read up to \(number), which the history does not hold")
        }
      }
    }
  }
}

/// Checks the values of the history in order.
///
/// It can count from the first row whose insertion the history contains: rows that were inserted
/// and not deleted must exist.
struct HistoryWalk {
  private let state: HistoryState
  private let latest: UInt64
  private let inspector: RecordInspector
  private(set) var facts = RecordVerification.HistoryFacts()
  private var lastNumber: UInt64
  private var lastStamp: HybridTime
  private var head: HistoryBlock.Head?
  private var isFirst = true
  private var tallies: [EntityID: Tally] = [:]
  private var given: [EntityID: GivenNumbers] = [:]
  /// Whether the history has been complete since the store was created.
  private var isFromBegin: Bool
  /// Whether a part could not be read.
  private var isBroken = false

  /// Counts rows, beginning with the first one whose insertion was read.
  private struct Tally {
    var start: UInt64
    var rows: Int64 = 0
  }

  init(_ state: HistoryState, _ latest: UInt64, inspector: RecordInspector) {
    self.state = state
    self.latest = latest
    self.inspector = inspector
    facts.mode = state.mode
    lastNumber = state.floor
    lastStamp = state.floorStamp
    isFromBegin = state.floor == 0
  }

  private func add(_ sentence: String) { inspector.add(.history, sentence) }

  mutating func lose() {
    isBroken = true
    tallies = [:]
    isFromBegin = false
    head = nil
  }

  mutating func examine(_ content: HistoryContent) throws(StoreError) {
    let own = content.head
    if let head, head.isOpen { add("the history is off, but has entries after transaction \(lastNumber)") }
    if own.isGap { return gap(own) }
    if own.kind == HistoryBlock.entry {
      let isBehind = head?.kind == HistoryBlock.entry
      let ordinal = isBehind ? (head?.ordinal ?? 0) + 1 : 0
      let bytes = isBehind ? (head?.bytesBefore ?? 0) + (head?.byteCount ?? 0) : 0
      // Entries before the first one may have been removed, or be unreadable.
      if !isFirst, head != nil, own.ordinal != ordinal || own.bytesBefore != bytes {
        add("the entry of transaction \(own.last) has a wrong count of the entries before it")
      }
    }
    for item in content.items {
      guard item.number > lastNumber, item.stamp > lastStamp, item.number <= latest else {
        throw StoreError(.damaged, "the history is out of order at transaction \(item.number)")
      }
      (lastNumber, lastStamp) = (item.number, item.stamp)
      facts.entries += 1
      if facts.first == nil { facts.first = item.number }
      facts.last = item.number
      try examine(content.entry(item))
    }
    (head, isFirst) = (own, false)
  }

  private mutating func gap(_ own: HistoryBlock.Head) {
    if own.stamp < lastStamp { add("a gap of the history is older than the entry before it") }
    if !own.isOpen, own.last > latest { add("a gap of the history ends after the last transaction") }
    facts.gaps += 1
    (lastNumber, head, isFirst) = (own.isOpen ? lastNumber : own.last, own, false)
    tallies = [:]
    isFromBegin = false
  }

  private mutating func examine(_ entry: HistoryEntry) throws(StoreError) {
    try entry.checkFormer()
    do {
      try entry.changes { change in try examine(change) }
    } catch let error as StoreError { throw error } catch { throw HistoryEntry.unreadable }
  }

  private mutating func examine(_ change: RowsChange) throws(StoreError) {
    let (low, high) = (change.rows.lowerBound, change.rows.upperBound)
    let shelf = inspector.shelves[change.entity]
    switch change.kind {
    case .update: return
    case .insert:
      let start = isFromBegin ? 1 : low
      if !given[change.entity, default: GivenNumbers(start: start)].give(low...high) {
        add("row \(low) of entity \(change.entity.number) is inserted twice, in transaction \(lastNumber)")
      }
      if let shelf, high >= shelf.next {
        add("row \(high) of \(shelf.entity.name) is inserted, but its number is not assigned yet")
      }
      let counted = tallies[change.entity, default: Tally(start: start)].start
      // Rows before the first counted one are not counted here either.
      if high >= counted {
        tallies[change.entity, default: Tally(start: start)].rows += Int64(clamping: high - max(low, counted) + 1)
      }
    case .delete:
      if let tally = tallies[change.entity], low >= tally.start { tallies[change.entity]?.rows -= 1 }
      if let shelf, try inspector.contains(RowID(low), shelf) {
        add("row \(low) of \(shelf.entity.name) exists, although transaction \(lastNumber) deleted it")
      }
    }
  }

  /// Compares the counts with the rows.
  mutating func end() {
    if isBroken { return }
    if (state.mode == .off) != (head?.isOpen ?? false) {
      add("the history is \(state.mode == .off ? "off" : "on"), but its last entry says otherwise")
    }
    for (id, shelf) in inspector.shelves {
      var tally = tallies[id]
      if isFromBegin, tally == nil { tally = Tally(start: 1) }
      guard let tally else { continue }
      inspector.trying { () throws(StoreError) in
        let rows = try shelf.rows.count(from: tally.start, to: nil)
        // Rows that were inserted before the history begins may have higher numbers than some that
        // were inserted later.
        if isFromBegin ? Int64(clamping: rows) != tally.rows : Int64(clamping: rows) < tally.rows {
          let name = shelf.entity.name
          add("the history has \(tally.rows) rows of \(name) from \(tally.start) on, and the store \(rows)")
        }
      }
    }
  }
}
