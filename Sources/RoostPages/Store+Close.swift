package import RoostFile
import Synchronization

/// Leaving a store as one file.
extension Store {
  /// Folds the log in and removes it, once the last of those who opened the store closes it.
  ///
  /// With transactions open it throws `busy` and changes nothing. After any other error the store is closed all the
  /// same, and the log still holds what the file does not.
  package func close() throws(StoreError) {
    if isClosedForReading.load(ordering: .acquiring) { return }
    try turn.refuseHolder()
    guard OpenStores.shared.leave(self) else { return }
    let readers = frames.slots.pins().count
    if readers > 0 {
      isClosedForReading.store(false, ordering: .sequentiallyConsistent)
      throw StoreError(.busy, "read transactions are still open, on \(readers) snapshots", path: path)
    }
    OpenStores.shared.remove(self)
    checkpointGate.acquire()
    turn.takeAlways()
    var failure: StoreError?
    do throws(StoreError) { try fold() } catch { failure = error }
    isClosed = true
    log?.file.close()
    log = nil
    turn.give()
    checkpointGate.release()
    checkpointer.stop()
    file?.close()
    if let failure { throw failure }
  }

  /// Leaves the file clean and removes the log. Under the turn.
  private func fold() throws(StoreError) {
    if isPrivate { return try completePrivate() }
    guard file != nil, !options.readOnly, let log else { return }
    do throws(StoreError) { try commits.check() } catch {
      // The commits concerned were reported already; reopening decides.
      return
    }
    if log.hasBegun {
      try commits.sync(upTo: commits.appendedPosition, log.file)
      try checkpointUnderTurn(beside: false)
      var clean = durable
      clean.log = nil
      try writeSuperblock(clean)
      try writeSuperblock(clean)
    }
    if durable.log == nil {
      try fileSystem.remove(log.file.path)
      try fileSystem.syncDirectory(of: log.file.path)
    }
  }
}
