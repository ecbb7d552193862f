package import RoostFile
import Synchronization

/// Leaving a store as one file.
extension Store {
  /// Folds the log in and removes it, once the last of those who opened the store closes it.
  ///
  /// With transactions open it throws `busy` and changes nothing. After any other error the store is closed all the
  /// same, and the log still holds what the file does not.
  ///
  /// A process that was forked from the one that opened the store shares its file, lock and log, and leaves them as they are.
  ///
  /// - Parameter keepsFile: the file stays open, and locked, until ``releaseFile()``.
  package func close(keepsFile: Bool = false) throws(StoreError) {
    if phase.load(ordering: .acquiring) == Phase.closed || !isOwn { return }
    try turn.refuseHolder()
    if OpenStores.shared.leaveOthers(self) { return }
    try refuseReaders(frames.slots.pins().count)
    checkpointGate.acquire()
    turn.takeAlways()
    var failure: StoreError?
    do throws(StoreError) { try closeUnderTurn(keepsFile) } catch { failure = error }
    let isLast = isClosed
    turn.give()
    checkpointGate.release()
    if isLast { checkpointer.stop() }
    if let failure { throw failure }
  }

  /// Closes the store at the end of the process, however many have opened it. Where a transaction does not end before the
  /// deadline, it does nothing: the next opening finds everything in the log.
  func closeAtExit(until deadline: UInt64) throws(StoreError) {
    if phase.load(ordering: .acquiring) == Phase.closed || !isOwn { return }
    guard checkpointGate.acquire(until: deadline) else { return }
    defer { checkpointGate.release() }
    do throws(StoreError) { try turn.take(until: deadline) } catch { return }
    defer { turn.give() }
    do throws(StoreError) { try closeUnderTurn(false, forAll: true, until: deadline) } catch {
      if error.code != .busy { throw error }
    }
  }

  /// The turn is taken before anybody is told, so that who shares the store is never kept waiting by a writer.
  private func closeUnderTurn(
    _ keepsFile: Bool, forAll: Bool = false, until deadline: UInt64? = nil
  ) throws(StoreError) {
    if isClosed { return }
    switch OpenStores.shared.leave(self, forAll: forAll) {
    case .othersStay: return
    case .isRead(let count): return try refuseReaders(count)
    case .isLast: break
    }
    var failure: StoreError?
    var isClean = false
    let wasWritten = log?.hasBegun == true
    let logFile = log?.file
    do throws(StoreError) { isClean = try fold() } catch { failure = error }
    isClosed = true
    // Writing may have stopped while somebody's sync is under way.
    commits.awaitSync()
    log = nil
    if isClean, let logFile {
      do throws(StoreError) {
        let isSettled = !wasWritten || keepsFile || shorten(logFile, until: deadline)
        if isSettled { try removeLog(logFile) } else { options.say(Self.sayStays(logFile.path)) }
      } catch { failure = error }
    }
    commits.attach(nil)
    logFile?.close()
    if !keepsFile { releaseFile() }
    if let failure { throw failure }
  }

  /// Throws if this thread has a write transaction open, for whose end closing would wait.
  package func refuseWriter() throws(StoreError) { try turn.refuseHolder() }

  private func refuseReaders(_ count: Int) throws(StoreError) {
    if count == 0 { return }
    let snapshots = count == 1 ? "a snapshot is" : "\(count) snapshots are"
    throw StoreError(.busy, "\(snapshots) still being read", path: path)
  }

  /// Gives up the file of a store that was closed; who waits to open it goes on.
  package func releaseFile() {
    file?.close()
    OpenStores.shared.vacate(tenancy)
  }

  /// Leaves the file clean. True if it is: then the log may be removed. Under the turn.
  private func fold() throws(StoreError) -> Bool {
    if isLayer { return false }
    if isPrivate {
      try completePrivate()
      return false
    }
    guard file != nil, !options.readOnly, let log else { return false }
    do throws(StoreError) { try commits.check() } catch {
      // The commits concerned were reported already; reopening decides.
      return false
    }
    if log.hasBegun {
      try commits.sync(upTo: commits.appendedPosition, log.file)
      try checkpointUnderTurn(beside: false)
      var clean = durable
      clean.log = nil
      try writeSuperblock(clean)
      try writeSuperblock(clean)
    }
    return durable.log == nil
  }

  /// Removes the log of a clean file.
  private func removeLog(_ logFile: any StorageFile) throws(StoreError) {
    // Where the file was replaced, the log of that name is the new store's.
    guard isStillNamed, isStillNamed(logFile) else { return }
    try fileSystem.remove(logFile.path)
    try fileSystem.syncDirectory(of: logFile.path)
  }

  private static func sayStays(_ path: String) -> String {
    "the device refused to write while a store was closed; nothing is lost, and the empty log stays for the next opening: \(path)"
  }
}
