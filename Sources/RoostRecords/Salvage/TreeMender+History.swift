internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The history and its consumers.
extension TreeMender {
  /// Takes away what the history can no longer tell: all behind which a part is missing; and everything, where rows are gone
  /// whose deletion nobody would hear of.
  func mendHistory(_ tables: Tables) throws(StoreError) {
    let number = saved.transaction
    var floor = losesRows ? number : 0
    for gap in saved.numberGaps[HistoryTree.name] ?? [] { floor = max(floor, min(number, (gap.high ?? .max) - 1)) }
    if saved.lossy.contains(Tables.meta) || saved.lossy.contains(HistoryTree.name) && floor == 0 { floor = number }
    let state = try tables.historyState()
    if let tree = try forest.find(HistoryTree.name), case .integers(let draft) = tree.trunk {
      floor = max(floor, try removeUnreadable(draft, state))
      try removeFront(draft, upTo: floor, state, tables)
      try restoreGap(draft, state)
    } else if state.mode == .off {
      try restoreGap(try history(), state)
    }
    try mendConsumers(try tables.historyState())
    if floor > state.floor { tally.add("the history begins behind transaction \(floor)") }
  }

  private func history() throws(StoreError) -> IntegerTreeDraft {
    guard case .integers(let draft) = try forest.create(HistoryTree.name, .integers).trunk else { throw Tables.foreign }
    return draft
  }

  /// Removes values that cannot be read or do not ascend. Returns the last transaction of which one of them told.
  private func removeUnreadable(_ draft: IntegerTreeDraft, _ state: HistoryState) throws(StoreError) -> UInt64 {
    var bad: [UInt64] = []
    var (lastNumber, lastStamp) = (state.floor, state.floorStamp)
    var floor: UInt64 = 0
    var cursor = IntegerCursor(draft.tree)
    var isThere = try cursor.first()
    while isThere, let (key, value) = cursor.entry() {
      var isRight = false
      do throws(StoreError) {
        let content = try HistoryContent(key, value.load(view))
        isRight = key > lastNumber || content.head.isGap
        for item in content.items where isRight {
          isRight = item.number > lastNumber && item.stamp > lastStamp && item.number <= saved.transaction
          try RowSalvage.storing { try content.entry(item).changes { _ in } }
          if isRight { (lastNumber, lastStamp) = (item.number, item.stamp) }
        }
        if isRight, content.head.isGap, !content.head.isOpen { lastNumber = max(lastNumber, content.head.last) }
      } catch { isRight = false }
      if !isRight {
        bad.append(key)
        floor = max(floor, min(max(key, lastNumber), saved.transaction))
      }
      isThere = try cursor.next()
    }
    for key in bad { _ = try draft.remove(key) }
    return floor
  }

  private func removeFront(
    _ draft: IntegerTreeDraft, upTo floor: UInt64, _ state: HistoryState, _ tables: Tables
  ) throws(StoreError) {
    guard floor > state.floor else { return }
    // What is behind a part that is missing may be all there is.
    try tables.removeHistory(upTo: floor)
  }

  /// While the history is off, a gap says since when.
  private func restoreGap(_ draft: IntegerTreeDraft, _ state: HistoryState) throws(StoreError) {
    var cursor = IntegerCursor(draft.tree)
    var last: HistoryBlock.Head?
    if try cursor.last(), let (key, value) = cursor.entry() { last = try HistoryContent(key, value.load(view)).head }
    if state.mode == .off, last?.isOpen != true {
      let tree = HistoryTree(draft: draft, transaction: forest.transaction)
      try tree.put(saved.transaction + 1, HistoryBlock.gap(last?.stamp ?? state.floorStamp, last: nil))
    }
    if state.mode != .off, last?.isOpen == true { _ = try draft.remove(cursor.key) }
  }

  /// Those who had not read what is gone begin anew: they are forgotten.
  private func mendConsumers(_ state: HistoryState) throws(StoreError) {
    guard let tree = try forest.find(HistoryConsumer.tree), case .bytes(let draft) = tree.trunk else { return }
    var bad: [[UInt8]] = []
    var cursor = ByteCursor(draft.tree)
    var isThere = try cursor.first()
    while isThere, let (key, value) = cursor.entry() {
      let name = [UInt8](key.bytes)
      let bytes = try value.load(view)
      let number = bytes.count == 16 ? bytes.withUnsafeBytes { $0.baseAddress!.u64(0) } : .max
      let text = String(validating: name, as: UTF8.self)
      if text == nil || name.count > HistoryConsumer.mostNameBytes || number < state.floor || number > saved.transaction
      {
        bad.append(name)
        tally.add("consumers of the history begin anew", text)
      }
      isThere = try cursor.next()
    }
    try remove(bad, from: draft)
  }
}
