internal import RoostCare
internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Repairs the history and its consumers.
extension TreeMender {
  /// Removes the parts of the history that are no longer right: everything before a missing part,
  /// and everything if rows or links are lost without an entry for their deletion.
  func mendHistory(_ tables: Tables) throws(StoreError) {
    // The number of this commit.
    let latest = max(saved.transaction, 1)
    var state = try tables.historyState()
    var draft: IntegerTreeDraft?
    if let tree = try forest.find(HistoryTree.name), case .integers(let found) = tree.trunk { draft = found }
    // Without a superblock it is unknown which transaction the trees show.
    let isGone =
      losesRows || losesTrack || saved.transaction == 0 || state.floor > latest || draft == nil && state.mode != .off
      || saved.lossy.contains(Tables.meta) || saved.lossy.contains(Self.catalogTree)
      || catalog.relationships.contains { saved.lossy.contains(Tables.links($0.id)) }
    losesTrack = isGone
    var floor = isGone ? latest : 0
    if saved.lossy.contains(HistoryTree.name), floor == 0 {
      let gaps = saved.numberGaps[HistoryTree.name] ?? []
      floor = try gaps.isEmpty ? latest : lastTold(in: gaps, draft, latest)
    }
    if let draft {
      let (readable, stamp) = try removeUnreadable(draft, state)
      floor = max(floor, readable)
      if floor >= latest {
        try draft.removeAll()
        state.floorStamp = max(state.floorStamp, stamp)
      } else if floor > state.floor {
        try tables.removeHistory(upTo: floor)
        state = try tables.historyState()
      }
    }
    if floor >= latest {
      state.floor = latest
      try put(state.encoded, at: HistoryState.key, in: bytes(Tables.meta))
    }
    if draft == nil, state.mode == .off { draft = try history() }
    if let draft { try restoreGap(draft, state, behind: latest) }
    try mendWriters(tables, draft, upTo: latest)
    try mendConsumers()
    if floor > 0 { tally.add("the history begins after transaction \(floor)") }
  }

  /// Removes all writers if one may be lost, because its entries would be attributed to the
  /// previous writer.
  private func mendWriters(
    _ tables: Tables, _ history: IntegerTreeDraft?, upTo latest: UInt64
  ) throws(StoreError) {
    if saved.lossy.contains(HistoryWriter.tree) {
      try tables.forgetAllWriters()
      return tally.add("the programs that wrote the history")
    }
    let count = try tables.mendWriters(upTo: latest)
    for _ in 0..<count { tally.add("programs that wrote the history cannot be read") }
    let tree = history.map { HistoryTree(draft: $0, transaction: forest.transaction) }
    try tables.forgetWriters(before: tree?.firstKey() ?? .max)
  }

  /// Begins a new history.
  func dropHistory(_ tables: Tables) throws(StoreError) {
    var state = (try? HistoryState.read(bytes(Tables.meta).tree)) ?? HistoryState()
    state.floor = max(saved.transaction, 1)
    try put(state.encoded, at: HistoryState.key, in: bytes(Tables.meta))
    try restoreGap(history(), state, behind: state.floor)
    try tables.forgetAllWriters()
    try mendConsumers()
    tally.add("the history, because its entries are inconsistent")
  }

  /// The last transaction that a lost value may have covered. It may have covered all up to the
  /// next existing value.
  private func lastTold(
    in gaps: [(low: UInt64, high: UInt64?)], _ draft: IntegerTreeDraft?, _ latest: UInt64
  ) throws(StoreError) -> UInt64 {
    var last: UInt64 = 0
    for gap in gaps {
      guard let high = gap.high, let draft else { return latest }
      var cursor = IntegerCursor(draft.tree)
      guard try cursor.seek(high) else { return latest }
      last = max(last, min(latest, cursor.key - 1))
    }
    return last
  }

  private static var catalogTree: [UInt8] { Array("catalog".utf8) }

  private func history() throws(StoreError) -> IntegerTreeDraft {
    _ = try forest.drop(HistoryTree.name)
    guard case .integers(let draft) = try forest.create(HistoryTree.name, .integers).trunk else { throw Tables.foreign }
    return draft
  }

  /// Whether the whole history can be read, ascends, and says whether it is on.
  func isHistorySound(_ tables: Tables) throws(StoreError) -> Bool {
    let state = try tables.historyState()
    guard state.floor <= max(saved.transaction, 1) else { return false }
    guard try tables.areWritersSound(upTo: saved.transaction) else { return false }
    guard let tree = try forest.find(HistoryTree.name) else { return state.mode != .off }
    guard case .integers(let draft) = tree.trunk else { return false }
    let found = try findUnreadable(draft, state)
    return found.bad.isEmpty && found.isOpen == (state.mode == .off)
  }

  /// Removes values that cannot be read or do not ascend. Returns the last transaction that one of
  /// them covered, and the newest time of those that stay.
  private func removeUnreadable(
    _ draft: IntegerTreeDraft, _ state: HistoryState
  ) throws(StoreError) -> (floor: UInt64, stamp: HybridTime) {
    let found = try findUnreadable(draft, state)
    for key in found.bad { _ = try draft.remove(key) }
    return (found.floor, found.stamp)
  }

  /// Finds the keys of values that cannot be read or do not ascend, the last transaction that one
  /// of them covered, and the newest time of the others. `isOpen` says that the last value is an
  /// open gap.
  private func findUnreadable(
    _ draft: IntegerTreeDraft, _ state: HistoryState
  ) throws(StoreError) -> (bad: [UInt64], floor: UInt64, stamp: HybridTime, isOpen: Bool) {
    var bad: [UInt64] = []
    // The previous value, if it is valid.
    var before: HistoryBlock.Head?
    // The key of an open gap, while no value has followed it.
    var open: UInt64?
    var (lastNumber, lastStamp) = (state.floor, state.floorStamp)
    var floor: UInt64 = 0
    var isBehindBad = false
    var cursor = IntegerCursor(draft.tree)
    var isThere = try cursor.first()
    while isThere, let (key, value) = cursor.entry() {
      // An unreadable value may have covered everything before this one.
      if isBehindBad { floor = max(floor, min(key - 1, saved.transaction)) }
      if let gap = open {
        bad.append(gap)
        floor = max(floor, min(key - 1, saved.transaction))
        (open, before) = (nil, nil)
      }
      var isRight = false
      do throws(StoreError) {
        let content = try HistoryContent(key, value.load(view))
        isRight = (key > lastNumber || content.head.isGap) && counts(content.head, before)
        if content.head.isGap,
          content.head.stamp < lastStamp || !content.head.isOpen && content.head.last > saved.transaction
        {
          isRight = false
        }
        for item in content.items where isRight {
          isRight = item.number > lastNumber && item.stamp > lastStamp && item.number <= saved.transaction
          try RowSalvage.storing { try content.entry(item).changes { _ in } }
          if isRight { (lastNumber, lastStamp) = (item.number, item.stamp) }
        }
        if isRight, content.head.isGap, !content.head.isOpen { lastNumber = max(lastNumber, content.head.last) }
        before = isRight ? content.head : nil
        if before?.isOpen == true { open = key }
      } catch { (isRight, before) = (false, nil) }
      if !isRight {
        bad.append(key)
        floor = max(floor, min(max(key, lastNumber), saved.transaction))
      }
      isBehindBad = !isRight
      isThere = try cursor.next()
    }
    if isBehindBad { floor = saved.transaction }
    return (bad, floor, lastStamp, open != nil)
  }

  /// Whether a single entry counts the single entries right before it correctly.
  private func counts(_ head: HistoryBlock.Head, _ before: HistoryBlock.Head?) -> Bool {
    guard head.kind == HistoryBlock.entry, let before else { return true }
    if before.kind != HistoryBlock.entry { return head.ordinal == 0 && head.bytesBefore == 0 }
    return head.ordinal == before.ordinal + 1 && head.bytesBefore == before.bytesBefore + before.byteCount
  }

  /// Adds a gap from which on the history is off.
  private func restoreGap(
    _ draft: IntegerTreeDraft, _ state: HistoryState, behind latest: UInt64
  ) throws(StoreError) {
    var cursor = IntegerCursor(draft.tree)
    var last: HistoryBlock.Head?
    if try cursor.last(), let (key, value) = cursor.entry() { last = try HistoryContent(key, value.load(view)).head }
    if state.mode == .off, last?.isOpen != true {
      let tree = HistoryTree(draft: draft, transaction: forest.transaction)
      try tree.put(latest + 1, HistoryBlock.gap(last?.stamp ?? state.floorStamp, last: nil))
    }
    if state.mode != .off, last?.isOpen == true { _ = try draft.remove(cursor.key) }
  }

  /// Removes consumers that cannot be read.
  private func mendConsumers() throws(StoreError) {
    guard let tree = try forest.find(ConsumerPlace.tree), case .bytes(let draft) = tree.trunk else { return }
    var bad: [[UInt8]] = []
    var cursor = ByteCursor(draft.tree)
    var isThere = try cursor.first()
    while isThere, let (key, value) = cursor.entry() {
      let name = [UInt8](key.bytes)
      let text = String(validating: name, as: UTF8.self)
      if text == nil || name.isEmpty || name.count > ConsumerPlace.mostNameBytes || value.isExtents
        || value.count != 16
      {
        bad.append(name)
        tally.add("consumers of the history cannot be read", text)
      }
      isThere = try cursor.next()
    }
    try remove(bad, from: draft)
  }
}
