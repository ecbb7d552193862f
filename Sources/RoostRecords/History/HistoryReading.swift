internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The history in one snapshot, or at a moment of a transaction.
struct HistoryReading {
  let store: HistoryStoreID
  /// Nil if the history never had an entry.
  let tree: IntegerTree?
  let state: HistoryState
  /// The newest transaction of the snapshot, even if the history has no entry for it.
  let latest: UInt64

  /// The newest value of the tree that begins at or before a transaction.
  func head(atMost number: UInt64) throws(StoreError) -> (key: UInt64, head: HistoryBlock.Head)? {
    guard let tree else { return nil }
    var cursor = IntegerCursor(tree)
    guard try cursor.seek(atMost: number), let (key, value) = cursor.entry() else { return nil }
    if value.isExtents { return (key, try head(key, tree)) }
    guard let head = HistoryBlock.Head(key, value.bytes) else { throw HistoryBlock.unreadable(key) }
    return (key, head)
  }

  /// The newest value of the tree.
  func lastHead() throws(StoreError) -> (key: UInt64, head: HistoryBlock.Head)? { try head(atMost: .max) }

  private func head(_ key: UInt64, _ tree: IntegerTree) throws(StoreError) -> HistoryBlock.Head {
    guard let head = try tree.withValue(of: key, { HistoryBlock.Head(key, $0) }) ?? nil else {
      throw HistoryBlock.unreadable(key)
    }
    return head
  }

  func content(_ key: UInt64) throws(StoreError) -> HistoryContent {
    guard let value = try tree?.value(of: key) else { throw HistoryBlock.unreadable(key) }
    return try HistoryContent(key, value)
  }

  /// The first key after a number.
  func key(after number: UInt64) throws(StoreError) -> UInt64? {
    guard let tree, number < .max else { return nil }
    var cursor = IntegerCursor(tree)
    return try cursor.seek(number + 1) ? cursor.key : nil
  }

  /// The time of the newest entry up to a transaction.
  func stamp(atMost number: UInt64) throws(StoreError) -> HybridTime {
    guard let (key, head) = try head(atMost: number) else { return state.floorStamp }
    if head.isGap || head.last <= number { return head.stamp }
    let items = try content(key).items
    return items.last { $0.number <= number }?.stamp ?? state.floorStamp
  }

  /// The number of the newest entry that is older than a time; the floor if there is none.
  func newest(before stamp: HybridTime) throws(StoreError) -> UInt64 {
    guard let tree else { return state.floor }
    // Stamps ascend with the keys. Finds the first value that ends at or after the time.
    var cursor = IntegerCursor(tree)
    var (low, high) = (UInt64(0), tree.root.count)
    while low < high {
      let middle = low + (high - low) / 2
      guard try cursor.move(to: middle) else { throw HistoryBlock.unreadable(latest) }
      if try head(cursor.key, tree).stamp < stamp { low = middle + 1 } else { high = middle }
    }
    if low < tree.root.count, try cursor.move(to: low) {
      let items = try content(cursor.key).items
      if let found = items.last(where: { $0.stamp < stamp }) { return found.number }
    }
    guard low > 0, try cursor.move(to: low - 1) else { return state.floor }
    return try min(head(cursor.key, tree).last, latest)
  }

  /// Whether a reader of the transactions up to `number` has something new to read up to `last`. A
  /// commit that changed no rows is not new. A time without history is.
  func hasNews(after number: UInt64, through last: UInt64) throws -> Bool {
    do {
      let cursor = try HistoryCursor(self, HistoryRange(after: number, through: last))
      while let commit = try cursor.move() {
        if !commit.entry.entities.isEmpty { return true }
      }
      return false
    } catch let fault as RecordFault where fault.code == .expired {
      return true
    }
  }

  func token(_ number: UInt64) throws(StoreError) -> HistoryPlace {
    HistoryPlace(store, number, stamp: try stamp(atMost: number))
  }

  /// Throws unless the history knows everything after the token. Gaps that begin later are not
  /// checked.
  func check(_ token: HistoryPlace) throws {
    guard HistoryStoreID(high: token.storeHigh, low: token.storeLow) == store else {
      throw RecordFault(.unknown, "the token is of another store's history")
    }
    if token.transaction == ConsumerPlace.cutOff.transaction, token.stamp == ConsumerPlace.cutOff.stamp {
      throw RecordFault(.expired, "the store was salvaged, and changes up to the token are lost")
    }
    guard token.transaction >= state.floor else {
      throw RecordFault(
        .expired, "the history up to transaction \(state.floor) was removed; the token is of \(token.transaction)")
    }
    if let (key, head) = try head(atMost: token.transaction), head.isGap, token.transaction < min(head.last, latest) {
      throw Self.gap(key, head)
    }
    // A crash may take back commits that were not synced. Their numbers are used again.
    guard token.transaction <= latest, try stamp(atMost: token.transaction) == token.stamp else {
      throw RecordFault(
        .expired,
        "the transaction of the token was lost in a crash, and another may have its number, \(token.transaction)")
    }
  }

  static func gap(_ key: UInt64, _ head: HistoryBlock.Head) -> RecordFault {
    let end = head.isOpen ? "" : " to \(head.last)"
    return RecordFault(.expired, "the history was off from transaction \(key)\(end), so changes are not known")
  }
}
