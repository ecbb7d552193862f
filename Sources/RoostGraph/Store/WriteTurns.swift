internal import RoostFile

/// The turns of a store's serial writes: one holder at a time. Threads wait, and tasks wait without a thread.
///
/// A turn is not handed to a task that waits, because the task may find no thread: threads that wait for the turn may be all
/// that there are. So the turn becomes free, and the first task and the first thread that wait are woken and try again.
///
/// ## Invariants
/// 1. Where the turn is free and threads wait, one of them has been woken.
/// 2. Where the turn is free and tasks wait, one of them has been woken.
package final class WriteTurns: @unchecked Sendable {
  // Unchecked because `lock` guards all fields, those of tickets too.
  private final class Ticket: @unchecked Sendable {
    let condition: Condition?
    var continuation: CheckedContinuation<Bool, any Error>?
    var isCancelled = false

    init(_ condition: Condition?) { self.condition = condition }
  }

  private let lock = Lock()
  private var isTaken = false
  private var waiting: [Ticket] = []

  package init() {}

  /// How many threads and tasks wait.
  package var waitingCount: Int { lock.withLock { waiting.count } }

  /// Waits for the turn on this thread.
  package func take() {
    lock.acquire()
    defer { lock.release() }
    if !isTaken {
      isTaken = true
      return
    }
    let condition = Condition()
    let ticket = Ticket(condition)
    waiting.append(ticket)
    while isTaken { condition.wait(lock) }
    isTaken = true
    leave(ticket)
  }

  /// Waits for the turn as a task, on no thread. It throws `CancellationError` where the task is cancelled meanwhile.
  package func takeAsTask() async throws {
    let ticket = Ticket(nil)
    try await withTaskCancellationHandler {
      while try await !attempt(ticket) {}
    } onCancel: {
      cancel(ticket)
    }
  }

  /// Gives the turn back.
  package func give() {
    let task = lock.withLock {
      isTaken = false
      return wake()
    }
    task?.resume(returning: false)
  }

  /// Takes the turn and returns true; where it is taken, waits until it was given back and returns false.
  private func attempt(_ ticket: Ticket) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      lock.acquire()
      if !ticket.isCancelled, isTaken {
        ticket.continuation = continuation
        if !waiting.contains(where: { $0 === ticket }) { waiting.append(ticket) }
        lock.release()
        return
      }
      leave(ticket)
      let isCancelled = ticket.isCancelled
      if !isCancelled { isTaken = true }
      // Another task may wait for the turn that this one was woken for.
      let next = isTaken ? nil : wake()
      lock.release()
      next?.resume(returning: false)
      if isCancelled {
        continuation.resume(throwing: CancellationError())
      } else {
        continuation.resume(returning: true)
      }
    }
  }

  private func cancel(_ ticket: Ticket) {
    let continuation = lock.withLock {
      ticket.isCancelled = true
      defer { ticket.continuation = nil }
      if ticket.continuation != nil { leave(ticket) }
      return ticket.continuation
    }
    continuation?.resume(throwing: CancellationError())
  }

  /// Wakes the first thread that waits; returns the first task, to be woken outside of the lock. Under the lock.
  private func wake() -> CheckedContinuation<Bool, any Error>? {
    waiting.first { $0.condition != nil }?.condition?.signal()
    guard let task = waiting.first(where: { $0.condition == nil }) else { return nil }
    // One that was woken before and has not run yet will try.
    defer { task.continuation = nil }
    return task.continuation
  }

  /// Under the lock.
  private func leave(_ ticket: Ticket) { waiting.removeAll { $0 === ticket } }
}
