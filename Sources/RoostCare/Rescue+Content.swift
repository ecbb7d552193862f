internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Saving a store of which a floor above knows more than its trees.
extension Rescue {
  /// Whether the log is that floor's, of a store that had no checkpoint yet.
  func ownsLog(_ content: any SalvagedContent, _ fileSystem: any FileSystem) throws(StoreError) -> Bool {
    guard examination.snapshot.catalog.isEmpty else { return false }
    var first: UInt8?
    _ = try examination.readLog(fileSystem) { (kind, _) throws(StoreError) in
      if first == nil, kind >= Store.PieceKind.firstOfFloorAbove { first = kind }
    }
    return first.map(content.owns(piece:)) ?? false
  }

  /// Makes the trees agree, and carries each record of the log out in a transaction of its own, so that it has the
  /// number that it had.
  func carryOut(_ content: any SalvagedContent, _ fileSystem: any FileSystem) throws(StoreError) {
    if examination.snapshot.transaction == 0, names.isEmpty {
      // All that there ever was stands in the log, and its first commit has the first number.
      target.abandon()
    } else {
      try content.mend(target.forest, saved)
      try target.commit(target.forest.seal())
    }
    let failure = try examination.readRecords(fileSystem) { (record) throws(StoreError) in
      do throws(StoreError) {
        try carryOut(content, record, carefully: false)
      } catch {
        // A failure of the new store comes again.
        target.abandon()
        do throws(StoreError) { try carryOut(content, record, carefully: true) } catch {
          target.abandon()
          throw error
        }
      }
      records += 1
    }
    if let failure { lose(nil, failure) }
    try target.begin()
    let root = try content.finish(target.transaction, losesRecords: failure != nil)
    if let root { try target.commit(root) } else { target.abandon() }
    for sentence in content.losses { lose(nil, StoreError(.damaged, sentence)) }
    try target.begin()
    try noteTrees()
  }

  private func carryOut(
    _ content: any SalvagedContent, _ record: LogRecord, carefully: Bool
  ) throws(StoreError) {
    try target.begin()
    try target.commit(
      content.carryOut(record, in: target.transaction, from: examination, carefully: carefully))
  }
}
