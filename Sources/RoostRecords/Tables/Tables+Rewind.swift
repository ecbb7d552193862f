internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Restores a former state of rows and links from the history.
///
/// Transactions are undone one by one, the newest first. The trees of rows, large values and links
/// get their former entries, byte by byte. The index entries of those rows are made again. None of
/// this is logged, so the store must be private.
extension Tables {
  func rewind(to place: HistoryPlace) throws {
    let reading = try historyReading()
    try reading.check(place)
    guard place.transaction > 0 else {
      throw RecordFault(.expired, "the store did not exist then: transaction 1 created it")
    }
    let cursor = try HistoryCursor(reading, HistoryRange(after: place.transaction, isReversed: true))
    while let commit = try cursor.move() {
      guard commit.entry.canBeUndone else { throw Self.cannotUndo(commit) }
      try undo(commit.entry)
    }
  }

  private static func cannotUndo(_ commit: HistoryCommit) -> RecordFault {
    RecordFault(
      .expired,
      commit.entry.isFull
        ? "the models changed in transaction \(commit.number), and the current models cannot show the rows before it"
        : "transaction \(commit.number) cannot be undone, because the history was not full then; with 'history: .full' a store "
          + "keeps the values that its transactions replace"
    )
  }

  private func undo(_ entry: HistoryEntry) throws {
    let touched = try rows(of: entry)
    for (entity, rows) in touched {
      let table = try table(entity)
      for row in rows { try table.takeFromIndexes(RowID(row)) }
    }
    try entry.formerTrees { tree in
      // The tree belonged to an entity or relationship that the catalog no longer has.
      guard let trunk = try forest.find(tree.name)?.trunk else { return }
      switch trunk {
      case .integers(let draft):
        try tree.forEachRow { row, value in
          if let value { try draft.put(row, value) } else { _ = try draft.remove(row) }
          try forest.transaction.relieve()
        }
      case .bytes(let draft):
        try tree.forEachKey { key, value in
          try put(key, value, in: draft)
          try forest.transaction.relieve()
        }
      }
    }
    for (entity, rows) in touched {
      let table = try table(entity)
      for row in rows { try table.addToIndexes(RowID(row)) }
    }
    try settle()
    end()
  }

  private func put(_ key: [UInt8], _ value: UnsafeRawBufferPointer?, in draft: ByteTreeDraft) throws(StoreError) {
    try ByteKey.borrowing(key) { (key) throws(StoreError) in
      guard let value else { return _ = try draft.remove(key) }
      if value.count >= ExtentList.namedFrom, forest.transaction.canName {
        try draft.put(key, extents: forest.transaction.writeExtents(Array(value)))
      } else {
        try draft.put(key, value)
      }
    }
  }

  /// The rows that an entry changed, or whose large values it changed, ascending.
  private func rows(of entry: HistoryEntry) throws -> [(entity: EntityID, rows: [UInt64])] {
    var found: [EntityID: Set<UInt64>] = [:]
    try entry.formerTrees { tree in
      switch tree.name.first {
      case FormerEntries.rows:
        try tree.forEachRow { row, _ in found[EntityID(try tree.number()), default: []].insert(row) }
      case FormerEntries.large:
        try tree.forEachKey { key, _ in
          guard let key = LargeKey(key) else { throw ByteReader.Unreadable() }
          found[EntityID(try tree.number()), default: []].insert(key.row.number)
        }
      case FormerEntries.links: return
      default: throw ByteReader.Unreadable()
      }
    }
    return found.map { ($0.key, $0.value.sorted()) }.sorted { $0.entity < $1.entity }
  }
}

extension TableWriter {
  /// Removes the entries of an existing row from all indexes.
  fileprivate func takeFromIndexes(_ id: RowID) throws(StoreError) {
    if borrowed.isEmpty, texts.isEmpty { return }
    guard try loadOld(id) else { return }
    try takeOut(id, of: borrowed)
    for text in texts { try text.remove(id) }
  }

  /// Makes the index entries of an existing row.
  fileprivate func addToIndexes(_ id: RowID) throws(StoreError) {
    if borrowed.isEmpty, texts.isEmpty { return }
    guard try loadOld(id) else { return }
    new.make(old.count).copyMemory(from: old.start, byteCount: old.count)
    try makeKeys(borrowed, id, moved: [])
    try add(id, to: borrowed)
    try addTexts(id, [])
  }
}
