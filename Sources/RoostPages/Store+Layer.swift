package import RoostFile

/// Stores in memory over the file of another store.
extension Store {
  /// A private store with the present content of this one. It reads the pages of this store's file,
  /// which are pinned for it. Its own changes stay in memory, and are lost when it ends.
  ///
  /// A checkpoint is made first. Returns nil if there is no file to read: for a store in memory, a
  /// read-only store, and a private one.
  package func makeLayer() throws(StoreError) -> Store? {
    guard file != nil, !options.readOnly, !isPrivate else { return nil }
    // Most pages are written here, while other threads continue.
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
      let identity = try below.identity()
      guard fileIdentity.map({ $0.inode == identity.inode && $0.device == identity.device }) ?? true else {
        throw StoreError(.busy, "another file has the name of the store now", path: path)
      }
    } catch {
      endRead(read)
      throw error
    }
    let size = UInt64(durable.pageCount) * UInt64(Page.size)
    let layer = LayeredFile(over: below, size: size) { [self] in endRead(read) }
    var options = options
    options.checkpointing = .manual
    options.cacheBytes = min(Self.cacheBytes(options), 128 << 20)
    var newest = durable
    newest.log = nil
    // If this throws, the layer is released and unpins the pages.
    return try Store.prepare(
      path, options, fileSystem: fileSystem, floor: floor, file: layer,
      pair: SuperblockPair(newest: newest, slot: durableSlot, otherIsDamaged: false), isPrivate: true)
  }

  /// Whether the store's changes are lost when it ends.
  var isLayer: Bool { file is LayeredFile }
}
