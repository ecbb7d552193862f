public import Foundation
internal import RoostFile

// Foundation has this on Apple's systems only. If Foundation on Linux gets it, the compiler prefers
// Foundation's.
#if !canImport(Darwin)

  extension NotificationCenter {
    /// Returns the notifications of a name, and of an object if one is given, from now on. No
    /// notification is lost between two calls of `next()`. The sequence ends when the task is
    /// cancelled.
    @_disfavoredOverload
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
      Notifications(self, name, object: object)
    }

    /// A sequence of notifications. Notifications that arrive after the call of
    /// ``notifications(named:object:)`` wait for the first iterator. Each later iterator begins
    /// with the notifications that arrive after it was made.
    public struct Notifications: AsyncSequence, @unchecked Sendable {
      public typealias Element = Notification
      public typealias Failure = Never

      private let center: NotificationCenter
      private let name: Notification.Name
      private let object: AnyObject?
      private let first: FirstQueue

      // Unchecked because of the object, which is only compared.
      init(_ center: NotificationCenter, _ name: Notification.Name, object: AnyObject?) {
        self.center = center
        self.name = name
        self.object = object
        first = FirstQueue(NotificationQueue(center, name, object: object))
      }

      public func makeAsyncIterator() -> Iterator {
        Iterator(first.take() ?? NotificationQueue(center, name, object: object))
      }

      /// Returns one notification after the other.
      public struct Iterator: AsyncIteratorProtocol {
        public typealias Element = Notification
        public typealias Failure = Never

        private let queue: NotificationQueue

        init(_ queue: NotificationQueue) { self.queue = queue }

        public mutating func next() async -> Notification? { await queue.next() }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
          await queue.next(isolation: actor)
        }
      }
    }
  }

  /// The queue that waits for the first iterator.
  ///
  /// Unchecked because of `queue`, which is read and written under the lock.
  private final class FirstQueue: @unchecked Sendable {
    private let lock = Lock()
    private var queue: NotificationQueue?

    init(_ queue: NotificationQueue) { self.queue = queue }

    func take() -> NotificationQueue? {
      lock.withLock {
        defer { queue = nil }
        return queue
      }
    }
  }

  /// Notifications that were not taken yet, and the task that waits for the next one.
  ///
  /// Unchecked because the lock guards all fields that change.
  final class NotificationQueue: @unchecked Sendable {
    private let center: NotificationCenter
    private let lock = Lock()
    private var observer: (any NSObjectProtocol)?
    private var waiting: [Notification] = []
    private var takers: [CheckedContinuation<Handed, Never>] = []
    private var isEnded = false

    /// Unchecked, because only one side has a notification at a time.
    private struct Handed: @unchecked Sendable { var notification: Notification? }

    init(_ center: NotificationCenter, _ name: Notification.Name, object: AnyObject?) {
      self.center = center
      observer = center.addObserver(forName: name, object: object, queue: nil) { [weak self] in self?.put($0) }
    }

    deinit { if let observer { center.removeObserver(observer) } }

    private func put(_ notification: Notification) {
      lock.acquire()
      if isEnded { return lock.release() }
      if takers.isEmpty {
        waiting.append(notification)
        return lock.release()
      }
      let taker = takers.removeFirst()
      lock.release()
      taker.resume(returning: Handed(notification: notification))
    }

    func next(isolation: isolated (any Actor)? = #isolation) async -> Notification? {
      await withTaskCancellationHandler {
        await withCheckedContinuation { (taker: CheckedContinuation<Handed, Never>) in take(taker) }
      } onCancel: {
        end()
      }.notification
    }

    private func take(_ taker: CheckedContinuation<Handed, Never>) {
      lock.acquire()
      if !waiting.isEmpty, !isEnded {
        let next = waiting.removeFirst()
        lock.release()
        return taker.resume(returning: Handed(notification: next))
      }
      if isEnded {
        lock.release()
        return taker.resume(returning: Handed(notification: nil))
      }
      takers.append(taker)
      lock.release()
    }

    private func end() {
      lock.acquire()
      isEnded = true
      waiting = []
      let all = takers
      takers = []
      let known = observer
      observer = nil
      lock.release()
      if let known { center.removeObserver(known) }
      for taker in all { taker.resume(returning: Handed(notification: nil)) }
    }
  }

#endif
