internal import RoostFile
internal import RoostTransfer

/// Long work that runs on a thread of its own, so that it blocks no thread of the tasks' pool.
enum OffThread {
  /// Runs `body`. It learns from its argument whether the task was cancelled.
  ///
  /// The lock is for the thread sanitizer: it does not see that the thread may resume the task before the task waits.
  static func run<Value: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    let cancellation = ImportCancellation()
    let order = Lock()
    defer { order.withLock {} }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
        do {
          try Thread {
            let result = order.withLock { Result { try body { cancellation.isCancelled } } }
            continuation.resume(with: result)
          }.detach()
        } catch { continuation.resume(throwing: Doorway.translated(error)) }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }
}
