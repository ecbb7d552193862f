package import RoostFile

/// Stores that live over another one's file, in memory.
extension Store {
  /// A store that holds what this one does at this moment. It reads this one's file, whose pages stay for it, and keeps in memory what is
  /// changed in it; that is gone when the store ends. It has no log.
  ///
  /// Everything is written to its place in the file first. Nil where that cannot be: in memory, or in a file that is only read
  /// or that nobody else knows.
  package func makeLayer() throws(StoreError) -> Store? {
    guard file != nil, !options.readOnly, !isPrivate else { return nil }
    // Most of it is written here, beside everybody else.
    try checkpoint()
    checkpointGate.acquire()
    defer { checkpointGate.release() }
    turn.takeAlways()
    defer { turn.give() }
    if isClosed { throw closedError }
    if let log { try commits.sync(upTo: commits.appendedPosition, log.file) }
    try checkpointUnderTurn(beside: false)
    let read = try beginRead()
    let below: any StorageFile
    do throws(StoreError) {
      guard read.snapshot.stamp == durable.snapshot.stamp else {
        throw StoreError(.busy, "the newest commit could not be written to its place", path: path)
      }
      below = try fileSystem.open(path, .read)
    } catch {
      endRead(read)
      throw error
    }
    let layer = LayeredFile(over: below, size: UInt64(durable.pageCount) * UInt64(Page.size)) { [self] in endRead(read)
    }
    var options = options
    options.checkpointing = .manual
    var newest = durable
    newest.log = nil
    // Whatever fails, the layer ends the reading when it is let go.
    return try Store.prepare(
      path, options, fileSystem: fileSystem, floor: floor, file: layer,
      pair: SuperblockPair(newest: newest, slot: durableSlot, otherIsDamaged: false), isPrivate: true)
  }

  /// Whether what it holds ends with it.
  var isLayer: Bool { file is LayeredFile }
}
