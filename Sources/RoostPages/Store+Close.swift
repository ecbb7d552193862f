package import RoostFile
import Synchronization

/// Closes a store, so that it is one file.
extension Store {
  /// Makes a checkpoint and removes the log, when the last user of the store closes it.
  ///
  /// With open transactions it throws `busy` and changes nothing. After any other error the store
  /// is closed anyway, and the log still holds what the file lacks.
  ///
  /// A process that was forked from the one that opened the store shares its file, lock and log,
  /// and does not change them.
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

  /// Closes the store at the end of the process, for all its users. If a transaction does not end
  /// before the deadline, it does nothing: the next opening finds everything in the log.
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

  /// Closes the store. It takes the turn before other threads see the close, so that they never
  /// wait for a writer.
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
    // Writing may have stopped while another thread's sync is running.
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

  /// Throws if this thread has a write transaction open, because closing would wait for its end.
  package func refuseWriter() throws(StoreError) { try turn.refuseHolder() }

  private func refuseReaders(_ count: Int) throws(StoreError) {
    if count == 0 { return }
    let snapshots = count == 1 ? "a snapshot is" : "\(count) snapshots are"
    throw StoreError(.busy, "\(snapshots) still being read", path: path)
  }

  /// Releases the file of a closed store. Waiting openings continue.
  package func releaseFile() {
    file?.close()
    OpenStores.shared.vacate(tenancy)
  }

  /// Leaves the file clean. Returns true if it is: then the log may be removed. The caller holds
  /// the turn.
  private func fold() throws(StoreError) -> Bool {
    if isLayer { return false }
    if isPrivate {
      try completePrivate()
      return false
    }
    guard file != nil, !options.readOnly, let log else { return false }
    do throws(StoreError) { try commits.check() } catch {
      // The affected commits already threw an error; reopening decides about them.
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
    // If the file was replaced, the log with that name belongs to the new store.
    guard isStillNamed, isStillNamed(logFile) else { return }
    try fileSystem.remove(logFile.path)
    try fileSystem.syncDirectory(of: logFile.path)
  }

  private static func sayStays(_ path: String) -> String {
    "the device refused to write while a store was closed; nothing is lost, and the empty log stays for the next opening: \(path)"
  }
}
