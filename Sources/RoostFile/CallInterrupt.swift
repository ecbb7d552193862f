/// Tells a call that its task was cancelled: one that reads many rows, or waits for a server.
///
/// The call may run on another thread than the task. It finds the interrupt in ``current``.
///
/// Unchecked because the lock guards all of it.
package final class CallInterrupt: @unchecked Sendable {
  /// The one for the call that runs on this thread; nil if cancelling the task cannot end the call.
  @TaskLocal package static var current: CallInterrupt?
  @TaskLocal private static var isIgnored = false

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

  /// Sets the closure that ``raise()`` calls, and calls it at once if that was called before. It may run on any thread, and must not wait.
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

  /// Throws `CancellationError` if the call has an interrupt, and that was raised. A task that was cancelled without one goes on.
  @inline(never)
  package static func look() throws { if current?.isRaised == true { throw CancellationError() } }

  /// Runs a closure that is carried out also in a cancelled task.
  package static func ignoring<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $isIgnored.withValue(true) { try $current.withValue(nil, operation: body) }
  }
}
