internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Salvages a store whose trees a module above can repair.
extension Rescue {
  /// Whether the log belongs to that module, in a store without a checkpoint.
  func ownsLog(_ content: any SalvagedContent, _ fileSystem: any FileSystem) throws(StoreError) -> Bool {
    guard examination.snapshot.catalog.isEmpty else { return false }
    var first: UInt8?
    _ = try examination.readLog(fileSystem) { (kind, _) throws(StoreError) in
      if first == nil, kind >= Store.PieceKind.firstOfFloorAbove { first = kind }
    }
    return first.map(content.owns(piece:)) ?? false
  }

  /// Makes the trees agree, and replays each record of the log in a transaction of its own, so that
  /// it keeps its number.
  func carryOut(_ content: any SalvagedContent, _ fileSystem: any FileSystem) throws(StoreError) {
    if examination.snapshot.transaction == 0, names.isEmpty {
      // Everything is in the log, and its first commit has number 1.
      target.abandon()
    } else {
      try content.mend(target.forest, saved)
      try target.commit(target.forest.seal())
    }
    let failure = try examination.readRecords(fileSystem) { (record) throws(StoreError) in
      do throws(StoreError) {
        try carryOut(content, record, carefully: false)
      } catch {
        // If the new store cannot be written, the retry fails too.
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
