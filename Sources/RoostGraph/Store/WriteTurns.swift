package import RoostFile

/// Orders a store's serial writes: one holder of the turn at a time. Threads wait, and tasks wait
/// without a thread.
///
/// The turn is not handed to a waiting task, because the task may find no thread: threads that wait
/// for the turn may occupy all of them. So the turn becomes free, and the first task and the first
/// thread that wait are woken and try again.
///
/// A writer waits for one other write no longer than its timeout: the writer that has the turn may
/// wait for this one on another thread, and then neither would end. The wait for a queue of many
/// short writes is not limited.
///
/// ## Invariants
/// 1. If the turn is free and threads wait, one of them has been woken.
/// 2. If the turn is free and tasks wait, one of them has been woken.
package final class WriteTurns: @unchecked Sendable {
  // Unchecked because `lock` guards all fields, those of tickets too.
  private final class Ticket: @unchecked Sendable {
    let condition: ConditionVariable?
    let timeout: UInt64
    let start = Clock.monotonicNanoseconds()
    var continuation: CheckedContinuation<Bool, any Error>?
    /// The error that ended its wait.
    var end: (any Error)?

    init(_ condition: ConditionVariable?, _ timeout: UInt64) {
      self.condition = condition
      self.timeout = timeout
    }
  }

  /// The call that has the turn.
  private struct Holder {
    let place: WritePlace
    let since = Clock.monotonicNanoseconds()
  }

  private let lock = Lock()
  private var holder: Holder?
  private var waiting: [Ticket] = []

  package init() {}

  /// The number of threads and tasks that wait.
  package var waitingCount: Int { lock.withLock { waiting.count } }

  /// Waits for the turn on this thread. Throws `timedOut` if one other write keeps it longer than
  /// the timeout.
  package func take(_ place: WritePlace, timeoutNanoseconds: UInt64 = .max) throws(StoreError) {
    lock.acquire()
    defer { lock.release() }
    if holder == nil {
      holder = Holder(place: place)
      return
    }
    let condition = ConditionVariable()
    let ticket = Ticket(condition, timeoutNanoseconds)
    waiting.append(ticket)
    defer { leave(ticket) }
    while let holder {
      let deadline = limit(ticket, holder)
      if !condition.wait(lock, until: deadline), let now = self.holder, limit(ticket, now) <= deadline {
        throw Self.fault(ticket, now)
      }
    }
    holder = Holder(place: place)
  }

  /// Waits for the turn as a task, without a thread. Throws `CancellationError` if the task is
  /// cancelled meanwhile, and `timedOut` if one other write keeps the turn longer than the timeout.
  package func takeAsTask(_ place: WritePlace, timeoutNanoseconds: UInt64 = .max) async throws {
    let ticket = Ticket(nil, timeoutNanoseconds)
    let isFree = lock.withLock {
      if holder != nil || Task.isCancelled { return false }
      holder = Holder(place: place)
      return true
    }
    if isFree { return }
    let clock = Task.detached { [self] in
      while let pause = pause(ticket) { try await Task.sleep(nanoseconds: pause) }
    }
    defer { clock.cancel() }
    try await withTaskCancellationHandler {
      while try await !attempt(ticket, place) {}
    } onCancel: {
      end(ticket, CancellationError())
    }
  }

  /// Gives the turn back.
  package func give() {
    let task = lock.withLock {
      holder = nil
      return wake()
    }
    task?.resume(returning: false)
  }

  /// Takes the turn and returns true. If it is taken, waits until it is given back and returns
  /// false.
  private func attempt(_ ticket: Ticket, _ place: WritePlace) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      lock.acquire()
      if ticket.end == nil, holder != nil {
        ticket.continuation = continuation
        if !waiting.contains(where: { $0 === ticket }) { waiting.append(ticket) }
        lock.release()
        return
      }
      leave(ticket)
      let end = ticket.end
      if end == nil { holder = Holder(place: place) }
      // Another task may wait for the turn for which this one was woken.
      let next = holder != nil ? nil : wake()
      lock.release()
      next?.resume(returning: false)
      if let end {
        continuation.resume(throwing: end)
      } else {
        continuation.resume(returning: true)
      }
    }
  }

  // MARK: The end of a wait

  /// The deadline of a writer that waits for the holder of the turn.
  private func limit(_ ticket: Ticket, _ holder: Holder) -> UInt64 {
    let (deadline, isTooFar) = max(ticket.start, holder.since).addingReportingOverflow(ticket.timeout)
    return isTooFar ? Self.never : deadline
  }

  /// A time that the operating system's clock can represent.
  private static var never: UInt64 { UInt64(Int64.max) }

  /// The minimum time until a task has waited too long; nil if its wait has ended or ends now.
  private func pause(_ ticket: Ticket) -> UInt64? {
    let fault: StoreError? = lock.withLock {
      guard ticket.end == nil, let holder else { return nil }
      return limit(ticket, holder) <= Clock.monotonicNanoseconds() ? Self.fault(ticket, holder) : nil
    }
    if let fault { end(ticket, fault) }
    return lock.withLock {
      if ticket.end != nil { return nil }
      guard let holder else { return max(1_000_000, min(ticket.timeout, Self.longestPause)) }
      let (deadline, now) = (limit(ticket, holder), Clock.monotonicNanoseconds())
      return min(Self.longestPause, deadline - min(deadline, now) + 1)
    }
  }

  private static var longestPause: UInt64 { 3_600_000_000_000 }

  private func end(_ ticket: Ticket, _ error: any Error) {
    let continuation = lock.withLock {
      if ticket.end == nil { ticket.end = error }
      defer { ticket.continuation = nil }
      if ticket.continuation != nil { leave(ticket) }
      return ticket.continuation
    }
    continuation?.resume(throwing: error)
  }

  private static func fault(_ ticket: Ticket, _ holder: Holder) -> StoreError {
    func seconds(_ start: UInt64) -> String {
      let milliseconds = (Clock.monotonicNanoseconds() - start) / 1_000_000
      return milliseconds < 10_000 ? "\(milliseconds) ms" : "\(milliseconds / 1000) s"
    }
    return StoreError(
      .timedOut,
      "a write waited \(seconds(ticket.start)) for the write at \(holder.place), which has been running for "
        + "\(seconds(holder.since)); the closure of a write must not wait for another write, and writeTimeout is the time limit"
    )
  }

  // MARK: Waking

  /// Wakes the first waiting thread; returns the first task, which must be resumed outside the
  /// lock. Called under the lock.
  private func wake() -> CheckedContinuation<Bool, any Error>? {
    waiting.first { $0.condition != nil }?.condition?.signal()
    guard let task = waiting.first(where: { $0.condition == nil }) else { return nil }
    // A task that was woken before and has not run yet will try.
    defer { task.continuation = nil }
    return task.continuation
  }

  /// Called under the lock.
  private func leave(_ ticket: Ticket) { waiting.removeAll { $0 === ticket } }
}

/// The line of a program that writes.
package struct WritePlace: Sendable, CustomStringConvertible {
  let fileID: StaticString
  let line: UInt

  package init(_ fileID: StaticString, _ line: UInt) {
    self.fileID = fileID
    self.line = line
  }

  package var description: String { "\(fileID):\(line)" }
}
