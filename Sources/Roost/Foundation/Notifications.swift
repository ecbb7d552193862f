public import Foundation
internal import RoostFile

// Foundation has this for Apple's systems alone. Where it comes to have it, its own is preferred.
#if !canImport(Darwin)

  extension NotificationCenter {
    /// The notifications of a name, and of an object where one is given, from now on: none is lost between one and the next. It ends
    /// when the task is cancelled.
    @_disfavoredOverload
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
      Notifications(self, name, object: object)
    }

    /// Notifications as they come. What comes from the call of ``notifications(named:object:)`` on waits for the first who iterates;
    /// each later one begins when he does.
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

      /// Gives one notification after the other, each once.
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

  /// Notifications that came and were not taken yet, and who waits for the next one.
  ///
  /// Unchecked because all that changes is read and written under the lock.
  final class NotificationQueue: @unchecked Sendable {
    private let center: NotificationCenter
    private let lock = Lock()
    private var observer: (any NSObjectProtocol)?
    private var waiting: [Notification] = []
    private var takers: [CheckedContinuation<Handed, Never>] = []
    private var isEnded = false

    /// Unchecked, because a notification goes from one hand to another.
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
