#if Postgres
  internal import CPostgres
  internal import RoostFile

  /// Asks the server to end what a connection is doing (`PQcancel`).
  ///
  /// The request takes a connection of its own, and the server may not answer there either. So a thread of its own sends it.
  ///
  /// Unchecked because the lock guards `isSending`, and the handle is a copy that does not depend on the connection. libpq allows
  /// any thread to use it, and the thread that sends keeps this object, so the handle is not freed meanwhile.
  final class Canceller: @unchecked Sendable {
    private let handle: OpaquePointer
    private let lock = Lock()
    private let isSent = ConditionVariable()
    private var isSending = false

    /// - Parameter connection: a connection of libpq that has been made.
    init?(_ connection: OpaquePointer) {
      guard let handle = PQgetCancel(connection) else { return nil }
      self.handle = handle
    }

    deinit { PQfreeCancel(handle) }

    /// Sends a request, unless one is under way.
    func send() {
      let isFirst = lock.withLock {
        defer { isSending = true }
        return !isSending
      }
      if !isFirst { return }
      do {
        try Thread { [self] in
          var message = [CChar](repeating: 0, count: 256)
          _ = PQcancel(handle, &message, Int32(message.count))
          finish()
        }.detach()
      } catch { finish() }
    }

    private func finish() {
      lock.withLock {
        isSending = false
        isSent.broadcast()
      }
    }

    /// Waits until no request is under way. False if one still is at a time.
    func isDone(until end: UInt64) -> Bool {
      lock.withLock {
        while isSending { if !isSent.wait(lock, until: min(end, UInt64(Int64.max))) { return !isSending } }
        return true
      }
    }
  }
#endif
