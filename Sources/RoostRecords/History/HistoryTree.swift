internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// The tree of the history while a transaction changes it.
///
/// Entries are appended one by one. When there are enough single entries at the end, the next
/// commit merges them into a segment. This depends only on the tree, so the replay of the log does
/// the same.
struct HistoryTree {
  static let name = Array("history".utf8)
  /// The number of entries, or of bytes, that make a segment.
  static let segmentEntries = 64
  static let segmentBytes = 2048

  let draft: IntegerTreeDraft
  let transaction: WriteTransaction

  /// Appends the entry of a transaction.
  func append(
    _ number: UInt64, _ stamp: HybridTime, entry: [UInt8], after last: (key: UInt64, head: HistoryBlock.Head)?
  ) throws(StoreError) {
    guard last.map({ $0.head.last < number && $0.head.stamp < stamp }) ?? true else {
      throw StoreError(.damaged, "the history is out of order at transaction \(number)")
    }
    var (ordinal, bytesBefore) = (0, 0)
    if let head = last?.head, head.kind == HistoryBlock.entry {
      (ordinal, bytesBefore) = (head.ordinal + 1, head.bytesBefore + head.byteCount)
    }
    if ordinal + 1 < Self.segmentEntries, bytesBefore + entry.count < Self.segmentBytes {
      return try put(number, HistoryBlock.entry(stamp, ordinal: ordinal, bytesBefore: bytesBefore, entry))
    }
    var members = try singles(ordinal)
    members.append(HistoryBlock.Member(number: number, stamp: stamp, bytes: entry))
    // Single entries in a damaged file may have any time.
    for (one, next) in zip(members, members.dropFirst()) where one.number >= next.number || one.stamp >= next.stamp {
      throw StoreError(.damaged, "the history is out of order at transaction \(next.number)")
    }
    if members.count > 1 { try draft.removeRange(members[0].number, nil) }
    try put(members[0].number, HistoryBlock.segment(members))
  }

  /// The last single entries of the tree; fewer if some were pruned since they were counted.
  private func singles(_ count: Int) throws(StoreError) -> [HistoryBlock.Member] {
    var members: [HistoryBlock.Member] = []
    var cursor = IntegerCursor(draft.tree)
    var isThere = count > 0 ? try cursor.last() : false
    while isThere, members.count < count {
      let key = cursor.key
      let content = try HistoryContent(key, try draft.tree.value(of: key) ?? [])
      guard content.head.kind == HistoryBlock.entry else { break }
      members += content.members
      isThere = try cursor.previous()
    }
    return members.reversed()
  }

  /// The number of the oldest transaction in the tree.
  func firstKey() throws(StoreError) -> UInt64? {
    var cursor = IntegerCursor(draft.tree)
    return try cursor.first() ? cursor.key : nil
  }

  /// Writes a value. A large value stays a draft until the next checkpoint: its bytes are not in
  /// the log record, so the record may not name its extents.
  func put(_ key: UInt64, _ value: [UInt8]) throws(StoreError) {
    var failure: StoreError?
    value.withUnsafeBytes { bytes in
      do throws(StoreError) {
        if bytes.count >= ExtentList.namedFrom {
          try draft.put(key, extents: try transaction.writeExtents(bytes, mayName: false))
        } else {
          try draft.put(key, bytes)
        }
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Removes everything up to a transaction. A gap that extends beyond it stays, and a segment
  /// keeps its newer entries.
  func remove(upTo floor: UInt64, _ reading: HistoryReading) throws(StoreError) {
    guard let (key, head) = try reading.head(atMost: floor) else { return }
    let rest = head.last <= floor ? [] : try reading.content(key).members.filter { $0.number > floor }
    try draft.removeRange(0, key)
    if head.isGap, head.last > floor { return }
    guard try draft.remove(key) else { throw HistoryBlock.unreadable(key) }
    if let first = rest.first { try put(first.number, HistoryBlock.segment(rest)) }
  }
}
