internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Stores which programs wrote the history: see ``HistoryWriter``.
extension Tables {
  private func writers(isNeeded: Bool) throws(StoreError) -> IntegerTreeDraft? {
    var found = try forest.find(HistoryWriter.tree)
    if found == nil, isNeeded { found = try forest.create(HistoryWriter.tree, .integers) }
    guard let found else { return nil }
    guard case .integers(let draft) = found.trunk else { throw Self.foreign }
    return draft
  }

  /// Stores the writer of this transaction, unless the same process wrote the entry before it.
  func note(_ writer: HistoryWriter) throws(StoreError) {
    if try newestWriter() == writer { return }
    try put(writer)
    try record(.writer, [writer.process], text: writer.program)
  }

  /// Stores the writer that the log names.
  func noteReplayedWriter() throws(StoreError) {
    guard historyTurn.hasReplayedWriter, let writer = historyTurn.takeReplayedWriter() else { return }
    try put(writer)
  }

  private func newestWriter() throws(StoreError) -> HistoryWriter? {
    guard let tree = try writers(isNeeded: false)?.tree else { return .unknown }
    var cursor = IntegerCursor(tree)
    // An unreadable writer is unknown, so the writer is stored again.
    return try cursor.last() ? HistoryWriters.writer(at: cursor.key, in: tree) : .unknown
  }

  private func put(_ writer: HistoryWriter) throws(StoreError) {
    guard let draft = try writers(isNeeded: true) else { return }
    try put(writer, from: forest.transaction.base.transaction + 1, in: draft)
  }

  private func put(
    _ writer: HistoryWriter, from key: UInt64, in draft: IntegerTreeDraft
  ) throws(StoreError) {
    var failure: StoreError?
    writer.encoded.withUnsafeBytes { bytes in
      do throws(StoreError) { try draft.put(key, bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  // MARK: Removing

  /// Removes writers that wrote nothing from this transaction on. The newest one stays, because the
  /// next commit may be its own.
  func forgetWriters(before first: UInt64) throws(StoreError) {
    guard let draft = try writers(isNeeded: false) else { return }
    var cursor = IntegerCursor(draft.tree)
    guard try cursor.seek(atMost: first) else { return }
    try draft.removeRange(0, cursor.key)
  }

  /// Removes all writers. Entries that stay then have no writer, which is better than a wrong one.
  func forgetAllWriters() throws(StoreError) { try writers(isNeeded: false)?.removeAll() }

  // MARK: After damage

  /// Whether every writer can be read, and begins at a transaction up to `latest`.
  func areWritersSound(upTo latest: UInt64) throws(StoreError) -> Bool {
    guard let draft = try writers(isNeeded: false) else { return true }
    return try unreadableWriters(draft.tree, upTo: latest).isEmpty
  }

  /// Makes unreadable writers unknown, and removes those of lost transactions. Returns their
  /// number.
  func mendWriters(upTo latest: UInt64) throws(StoreError) -> Int {
    guard let draft = try writers(isNeeded: false) else { return 0 }
    let bad = try unreadableWriters(draft.tree, upTo: latest)
    for key in bad {
      // Entries from here on do not belong to the previous writer.
      if key > latest { _ = try draft.remove(key) } else { try put(.unknown, from: key, in: draft) }
    }
    return bad.count
  }

  private func unreadableWriters(_ tree: IntegerTree, upTo latest: UInt64) throws(StoreError) -> [UInt64] {
    var bad: [UInt64] = []
    var cursor = IntegerCursor(tree)
    var isThere = try cursor.first()
    while isThere {
      let key = cursor.key
      let writer = key > latest ? nil : try HistoryWriters.writer(at: key, in: tree)
      if writer == nil { bad.append(key) }
      isThere = try cursor.next()
    }
    return bad
  }
}
