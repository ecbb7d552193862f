package import RoostFile

/// Opens a store without a lock, even while another process writes it.
///
/// The log is replayed into memory and nothing is written. The owner does not know of this reader,
/// so it may reuse a place that our superblock reaches, after a newer one is durable. Then a
/// checksum does not match, and the newer superblock explains why. So a failure counts as damage
/// only if the newest superblock is still the one with which reading began.
extension Store {
  /// How often reading begins again while the owner writes.
  package static var mostAttempts: Int { 10 }

  static func openForReading(
    _ path: String, _ options: StoreOptions, fileSystem: any FileSystem, floor: Floor
  ) throws(StoreError) -> Store {
    for _ in 0..<mostAttempts {
      let file = try openFile(path, .read, fileSystem: fileSystem)
      var keeps = false
      defer { if !keeps { file.close() } }
      let before = try newestSequence(file)
      var failure: StoreError?
      do throws(StoreError) {
        let store = try prepare(
          path, options, fileSystem: fileSystem, floor: floor, file: file, pair: SuperblockPair.read(from: file))
        store.fileIdentity = try file.identity()
        if store.durable.log != nil { try store.openLog() } else { _ = try store.neighbour() }
        // If a checkpoint was made meanwhile, the log may have ended early.
        if try newestSequence(file) == store.durable.sequence {
          keeps = true
          return store
        }
      } catch { failure = error }
      if let failure, try newestSequence(file) == before { throw failure }
    }
    throw ownerIsFaster(path)
  }

  static func newestSequence(_ file: any StorageFile) throws(StoreError) -> UInt64 {
    try SuperblockPair.choose(SuperblockPair.readings(from: file), file.size(), path: file.path).newest.sequence
  }

  /// A process that has a store open, according to its log.
  package struct Holder: Hashable, Sendable {
    package var process: Int32
    package var program: String?

    package var sentence: String { "process \(process)" + (program.map { " (\($0))" } ?? "") }
  }

  /// The process that has the store open for writing; nil if no process holds its lock. The lock is
  /// not taken.
  package static func owner(
    of path: String, fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws(StoreError) -> Holder? {
    let path = try fileSystem.canonicalPath(path)
    let file = try openFile(path, .read, fileSystem: fileSystem)
    defer { file.close() }
    do throws(Fault) { if try !file.isHeldOnce() { return nil } } catch {
      throw .system("look at the lock", error.errorNumber, path: path)
    }
    return holder(path, fileSystem) ?? Holder(process: 0, program: nil)
  }

  /// The process in the log's header, which has or had the store open.
  static func holder(_ path: String, _ fileSystem: any FileSystem) -> Holder? {
    guard let file = try? fileSystem.open(logPath(path), .read) else { return nil }
    defer { file.close() }
    guard let header = try? LogReader.fileHeader(file) else { return nil }
    return Holder(process: header.processID, program: programName(of: header.processID))
  }

  package static func ownerIsFaster(_ path: String) -> StoreError {
    StoreError(.busy, "another process changed the store during each attempt to read it", path: path)
  }

  /// Whether the file has a newer superblock than the one with which this store began.
  package func isOvertaken() throws(StoreError) -> Bool {
    guard options.readOnly, let file else { return false }
    return try Self.newestSequence(file) != durable.sequence
  }

  /// Opens the same file again in its present state.
  package func reopened() throws(StoreError) -> Store {
    try Self.openForReading(path, options, fileSystem: fileSystem, floor: floor)
  }
}
