internal import RoostFile
internal import Synchronization

/// Who wants to hear at once that something was committed.
///
/// They are told on the committing thread, and only hand the news on: nobody touches a context on a thread that is not its own.
///
/// Unchecked because the lock guards all of it.
package final class CommitListeners: @unchecked Sendable {
  /// Called with a closure by which the listener says that it begins to look: until then it is not told again.
  package typealias Listener = @Sendable (_ begins: @escaping @Sendable () -> Void) -> Void

  private final class Entry: Sendable {
    let listener: Listener
    let waits = Atomic<Bool>(false)
    init(_ listener: @escaping Listener) { self.listener = listener }
  }

  private let lock = Lock()
  private var entries: [ObjectIdentifier: Entry] = [:]

  /// What ends the listening.
  package struct Ticket: Sendable {
    fileprivate let listeners: CommitListeners
    fileprivate let entry: ObjectIdentifier

    package func end() { listeners.lock.withLock { listeners.entries[entry] = nil } }
  }

  package func add(_ listener: @escaping Listener) -> Ticket {
    let entry = Entry(listener)
    lock.withLock { entries[ObjectIdentifier(entry)] = entry }
    return Ticket(listeners: self, entry: ObjectIdentifier(entry))
  }

  /// Tells all of them.
  func tell() {
    let all = lock.withLock { Array(entries.values) }
    for entry in all where !entry.waits.exchange(true, ordering: .relaxed) {
      entry.listener { entry.waits.store(false, ordering: .relaxed) }
    }
  }
}
