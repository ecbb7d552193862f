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
    let context: ObjectIdentifier?
    let waits = Atomic<Bool>(false)
    init(_ listener: @escaping Listener, context: ObjectIdentifier?) {
      (self.listener, self.context) = (listener, context)
    }
  }

  private let lock = Lock()
  private var entries: [ObjectIdentifier: Entry] = [:]

  /// What ends the listening.
  package struct Ticket: Sendable {
    fileprivate let listeners: CommitListeners
    fileprivate let entry: ObjectIdentifier

    package func end() { listeners.lock.withLock { listeners.entries[entry] = nil } }
  }

  /// - Parameter context: the user's context that the listener works for. It knows its own commits, so the listener is not told of them.
  package func add(_ listener: @escaping Listener, for context: ObjectIdentifier? = nil) -> Ticket {
    let entry = Entry(listener, context: context)
    lock.withLock { entries[ObjectIdentifier(entry)] = entry }
    return Ticket(listeners: self, entry: ObjectIdentifier(entry))
  }

  /// Tells all of them.
  ///
  /// - Parameter context: the user's context that committed.
  func tell(by context: ObjectIdentifier? = nil) {
    let all = lock.withLock { Array(entries.values) }
    for entry in all
    where (entry.context == nil || entry.context != context) && !entry.waits.exchange(true, ordering: .relaxed) {
      entry.listener { entry.waits.store(false, ordering: .relaxed) }
    }
  }
}
