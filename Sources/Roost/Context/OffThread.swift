internal import RoostFile

/// Runs long work on a thread of its own, so that it blocks no thread of the tasks' pool.
package enum OffThread {
  /// Runs `body`. Its argument says whether the task was cancelled. A cancellation also ends
  /// queries and calls to a server: see ``CallInterrupt``.
  ///
  /// The lock is for the thread sanitizer: it does not see that the thread may resume the task before the task waits.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    let interrupt = CallInterrupt()
    let order = Lock()
    defer { order.withLock {} }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        do {
          try Thread {
            let result = order.withLock {
              Result { try CallInterrupt.with(interrupt) { try body { interrupt.isRaised } } }
            }
            continuation.resume(with: result)
          }.detach()
        } catch { continuation.resume(throwing: Doorway.translated(error)) }
      }
    } onCancel: {
      interrupt.raise()
    }
  }
}
