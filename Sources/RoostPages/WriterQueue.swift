import RoostFile

/// The writer's turn: one holder at a time, in order of arrival, with a deadline.
final class WriterQueue: @unchecked Sendable {
  // Unchecked because its fields are protected by `lock`.
  private final class Ticket {
    let condition = ConditionVariable()
    var isUp = false
  }

  private let lock = Lock()
  private var waiting: [Ticket] = []
  private var isTaken = false
  private var holder: UInt64 = 0

  /// Waits for the turn without a deadline. The caller must not hold it.
  func takeAlways() {
    do throws(StoreError) { try take(until: nil) } catch { preconditionFailure("\(error)") }
  }

  /// Throws if this thread holds the turn.
  func refuseHolder() throws(StoreError) {
    lock.acquire()
    defer { lock.release() }
    if isTaken && holder == Thread.currentID {
      throw StoreError(.nestedWrite, "this thread has a write transaction open")
    }
  }

  /// Waits for the turn. `deadline` is a monotonic time in nanoseconds.
  func take(until deadline: UInt64?) throws(StoreError) {
    lock.acquire()
    defer { lock.release() }
    if isTaken && holder == Thread.currentID {
      throw StoreError(.nestedWrite, "this thread already has a write transaction open")
    }
    if !isTaken {
      isTaken = true
      holder = Thread.currentID
      return
    }
    let ticket = Ticket()
    waiting.append(ticket)
    while !ticket.isUp {
      if let deadline {
        if !ticket.condition.wait(lock, until: deadline) && !ticket.isUp {
          waiting.removeAll { $0 === ticket }
          throw StoreError(.timedOut, "another transaction had the writer lock until the timeout")
        }
      } else {
        ticket.condition.wait(lock)
      }
    }
    holder = Thread.currentID
  }

  func give() {
    lock.acquire()
    defer { lock.release() }
    holder = 0
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    let next = waiting.removeFirst()
    next.isUp = true
    next.condition.signal()
  }

  var waitingCount: Int { lock.withLock { waiting.count } }
  var isHeld: Bool { lock.withLock { isTaken } }
}
