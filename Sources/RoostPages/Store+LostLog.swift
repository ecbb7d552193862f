import RoostBytes
package import RoostFile

/// Renames logs that hold commits of another store than the one whose name they have. They are
/// never removed.
///
/// Example: a store's process is killed, its file is renamed, and another file is copied to its
/// name. Then the log beside that name holds acknowledged commits of the renamed file.
extension Store {
  /// The prefix of the names of such logs. The number of the store to which the log belongs
  /// follows.
  package static func lostLogPrefix(_ path: String) -> String { logPath(path) + ".lost-" }

  /// Gives the log beside `path` an unused name, and returns that name.
  static func putLogAside(_ path: String, _ id: StoreID, fileSystem: any FileSystem) throws(StoreError) -> String {
    let first = lostLogPrefix(path) + id.description
    var name = first
    var number = 1
    while try fileSystem.exists(name) {
      number += 1
      name = "\(first)-\(number)"
    }
    try fileSystem.rename(logPath(path), to: name)
    try fileSystem.syncDirectory(of: path)
    return name
  }

  /// Tells the user why a log was renamed, and how to bring its commits back.
  private static func say(_ options: StoreOptions, _ reason: String, lost: String) {
    options.say(
      "\(reason) The log may hold commits, so it was renamed to \(lost). "
        + "`roost salvage --log \(lost) STORE NEW` brings them back, where STORE is the file that it belongs to.")
  }

  /// Renames the log of a missing file, so that a new store can begin.
  static func putOrphanAside(
    _ path: String, _ options: StoreOptions, fileSystem: any FileSystem
  ) throws(StoreError) {
    let remains = try LogRemains(path, fileSystem)
    if let remains, !remains.holdsCommits { return try fileSystem.remove(logPath(path)) }
    let lost = try putLogAside(path, remains?.id ?? StoreID(high: 0, low: 0), fileSystem: fileSystem)
    say(options, "The file \(path) is missing, but its log exists. A new store is created.", lost: lost)
  }

  /// Renames the log of another store that is beside this store's file.
  static func putForeignAside(
    _ path: String, _ id: StoreID, options: StoreOptions, fileSystem: any FileSystem
  ) throws(StoreError) {
    let lost = try putLogAside(path, id, fileSystem: fileSystem)
    say(options, "The log beside \(path) belonged to another store.", lost: lost)
  }

  /// The store whose log is beside a closed store; nil if no such log has commits.
  package static func foreignLog(
    beside path: String, fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws(StoreError) -> StoreID? {
    let file = try fileSystem.open(path, .read)
    defer { file.close() }
    let superblock = try SuperblockPair.read(from: file).newest
    let own = StoreID(high: superblock.identityHigh, low: superblock.identityLow)
    guard superblock.log == nil, let remains = try LogRemains(path, fileSystem), remains.holdsCommits,
      remains.id != own, remains.successor != own
    else { return nil }
    return remains.id
  }

  /// Prepares the log beside this name for a new store: only that store may remove it, even if a
  /// crash comes between the rename of the new file and the log's removal. A log of a third store
  /// is renamed.
  ///
  /// - Parameter replaced: the file that has the name now.
  package static func settleLog(
    of path: String, replaced: (any StorageFile)?, by successor: StoreID, _ options: StoreOptions,
    _ fileSystem: any FileSystem
  ) throws(StoreError) {
    guard let remains = try LogRemains(path, fileSystem), remains.holdsCommits else { return }
    if let replaced, let id = try? SuperblockPair.read(from: replaced).newest.storeID,
      StoreID(high: id.0, low: id.1) != remains.id
    {
      return try putForeignAside(path, remains.id, options: options, fileSystem: fileSystem)
    }
    let log = try fileSystem.open(logPath(path), .write)
    defer { log.close() }
    try LogFileHeader.note(successor: (successor.high, successor.low), in: log)
    try log.sync()
  }

  // MARK: The file's own name

  /// Throws if the store's file was removed, or if its name now belongs to another file, because
  /// written data would be lost when the file is closed. A file that was only renamed is used
  /// further.
  ///
  /// A relaxed commit takes 3.3 µs and this check 0.8 µs, so relaxed commits check at most once in
  /// a millisecond.
  func refuseReplaced(_ durability: SyncMode) throws(StoreError) {
    let now = Clock.monotonicNanoseconds()
    if durability == .relaxed, now - min(now, lookedUpAt) < Self.lookUpNanoseconds { return }
    if isStillNamed {
      lookedUpAt = now
      return
    }
    lookedUpAt = 0
    throw StoreError(.fileReplaced, "the store's file was removed or replaced while it was open", path: path)
  }

  static let lookUpNanoseconds: UInt64 = 1_000_000

  package var isStillNamed: Bool {
    guard let file, !isPrivate, let known = fileIdentity else { return true }
    if let found = fileSystem.identity(of: path) { return found.inode == known.inode && found.device == known.device }
    // The name does not exist: the file may have another one.
    return (try? file.identity().links) != 0
  }

  /// Whether the file with the log's name is the log that this store writes.
  func isStillNamed(_ log: any StorageFile) -> Bool {
    guard let found = fileSystem.identity(of: log.path), let own = try? log.identity() else { return false }
    return found.inode == own.inode && found.device == own.device
  }
}
