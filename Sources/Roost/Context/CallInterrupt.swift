internal import RoostFile

/// Tells a call that waits for a server that its task was cancelled.
///
/// The call may run on another thread than the task. It finds the interrupt in ``current``.
///
/// Unchecked because the lock guards all of it.
package final class CallInterrupt: @unchecked Sendable {
  /// The one for the call that runs on this thread; nil if cancelling the task cannot end a wait.
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

  /// Runs a closure that is carried out also in a cancelled task.
  static func ignoring<Result>(_ body: () throws -> Result) rethrows -> Result {
    try $isIgnored.withValue(true) { try $current.withValue(nil, operation: body) }
  }
}

extension ModelContext {
  /// Runs calls of this context, and ends their wait for a server if the task is cancelled.
  ///
  /// ```swift
  /// try await modelContext.withCancellation { try modelContext.save() }
  /// ```
  ///
  /// The call that is cancelled throws `CancellationError`. A save is then not committed: it waits as before. If the server committed
  /// the save first, the call returns. The closure runs on the caller's actor, and keeps its thread while it waits. Use it in a model
  /// actor, which has a thread of its own.
  public func withCancellation<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () throws -> Result
  ) async throws -> Result {
    let interrupt = CallInterrupt()
    return try await withTaskCancellationHandler {
      try CallInterrupt.$current.withValue(interrupt) { try body() }
    } onCancel: {
      interrupt.raise()
    }
  }
}
