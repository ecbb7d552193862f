internal import RoostFile
internal import Synchronization

/// Calls listeners after every commit.
///
/// They are called on the committing thread. They must not use a context, which belongs to another
/// thread, but only wake that thread.
///
/// Unchecked because the lock guards everything.
package final class CommitListeners: @unchecked Sendable {
  /// Gets a closure to call when the listener begins to read. Until then the listener is not called
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

  /// Removes its listener when ``end()`` is called.
  package struct Ticket: Sendable {
    fileprivate let listeners: CommitListeners
    fileprivate let entry: ObjectIdentifier

    package func end() { listeners.lock.withLock { listeners.entries[entry] = nil } }
  }

  /// - Parameters:
  ///   - listener: is called after each commit.
  ///   - context: the public context for which the listener works. The listener is not called for
  ///     commits of this context.
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
