/// Tells a call that its task was cancelled: one that reads many rows, or waits for a server.
///
/// The call may run on another thread than the task. It finds the interrupt in ``current``.
///
/// Unchecked because the lock protects all of it.
package final class CallInterrupt: @unchecked Sendable {
  @TaskLocal private static var bound: Bound?
  @TaskLocal private static var isIgnored = false

  private struct Bound {
    let interrupt: CallInterrupt
    /// The task of the call; nil on a thread without one.
    let task: Int?
  }

  /// The interrupt of this call; nil if cancelling the task cannot end the call. Tasks that the
  /// call starts have none.
  package static var current: CallInterrupt? {
    guard let bound, bound.task == thisTask else { return nil }
    return bound.interrupt
  }

  private static var thisTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  /// Runs a call with an interrupt, or with none.
  package static func with<Result>(_ interrupt: CallInterrupt?, _ body: () throws -> Result) rethrows -> Result {
    try $bound.withValue(interrupt.map { Bound(interrupt: $0, task: thisTask) }, operation: body)
  }

  private let lock = Lock()
  private var raised = false
  private var listener: (@Sendable () -> Void)?

  package init() {}

  package var isRaised: Bool { lock.withLock { raised } }

  package func raise() {
    lock.withLock {
      raised = true
      listener?()
    }
  }

  /// Sets the closure that ``raise()`` calls. If that was already called, it calls the closure at
  /// once. The closure may run on any thread, and must not wait.
  package func listen(_ body: (@Sendable () -> Void)?) {
    lock.withLock {
      listener = body
      if raised { body?() }
    }
  }

  /// Throws `CancellationError` if the task of this call was cancelled.
  package static func check() throws {
    if !isIgnored, Task.isCancelled || current?.isRaised == true { throw CancellationError() }
  }

  /// Throws `CancellationError` if the interrupt of this call was raised. Does not check whether
  /// the task is cancelled.
  @inline(never)
  package static func look() throws { if current?.isRaised == true { throw CancellationError() } }

  /// Runs a closure that also runs in a cancelled task.
  package static func ignoring<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $isIgnored.withValue(true) { try with(nil, body) }
  }
}

/// Counts the steps of a loop. Every 256 steps it checks for cancellation.
package struct InterruptCounter {
  @usableFromInline var count: UInt8 = 0

  @inlinable package init() {}

  @inlinable package mutating func step() throws {
    count &+= 1
    if count == 0 { try CallInterrupt.look() }
  }
}
