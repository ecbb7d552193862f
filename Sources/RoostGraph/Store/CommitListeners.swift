internal import RoostFile
internal import Synchronization

/// Listeners that are told of every commit at once.
///
/// They are called on the committing thread and only pass the news on: a context must not be used
/// on another thread than its own.
///
/// Unchecked because the lock guards all of it.
package final class CommitListeners: @unchecked Sendable {
  /// Gets a closure by which the listener tells that it begins to read: until then it is not called
  /// again.
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

  /// Ends the listening.
  package struct Ticket: Sendable {
    fileprivate let listeners: CommitListeners
    fileprivate let entry: ObjectIdentifier

    package func end() { listeners.lock.withLock { listeners.entries[entry] = nil } }
  }

  /// - Parameters:
  ///   - listener: is called after each commit.
  ///   - context: the public context for which the listener works. It knows its own commits, so the
  ///     listener is not told of them.
  package func add(_ listener: @escaping Listener, for context: ObjectIdentifier? = nil) -> Ticket {
    let entry = Entry(listener, context: context)
    lock.withLock { entries[ObjectIdentifier(entry)] = entry }
    return Ticket(listeners: self, entry: ObjectIdentifier(entry))
  }

  /// Calls all listeners.
  ///
  /// - Parameter context: the public context that committed.
  func tell(by context: ObjectIdentifier? = nil) {
    let all = lock.withLock { Array(entries.values) }
    for entry in all
    where (entry.context == nil || entry.context != context) && !entry.waits.exchange(true, ordering: .relaxed) {
      entry.listener { entry.waits.store(false, ordering: .relaxed) }
    }
  }
}
