#if Postgres
  internal import CPostgres
  internal import RoostFile

  /// Asks the server to cancel the running statement of a connection (`PQcancel`).
  ///
  /// The request needs its own connection, and the server may not answer there either. So a
  /// separate thread sends it.
  ///
  /// `@unchecked Sendable`: the lock guards `isSending`, and the handle is a copy that does not
  /// depend on the connection. libpq allows any thread to use it. The thread that sends retains
  /// this object, so the handle is not freed meanwhile.
  final class Canceller: @unchecked Sendable {
    private let handle: OpaquePointer
    private let lock = Lock()
    private let isSent = ConditionVariable()
    private var isSending = false

    /// `connection` is an open connection of libpq.
    init?(_ connection: OpaquePointer) {
      guard let handle = PQgetCancel(connection) else { return nil }
      self.handle = handle
    }

    deinit { PQfreeCancel(handle) }

    /// Sends a request, unless another one is being sent.
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

    /// Waits until no request is being sent. Returns false if one still is at the time `end`.
    func isDone(until end: UInt64) -> Bool {
      lock.withLock {
        while isSending { if !isSent.wait(lock, until: min(end, UInt64(Int64.max))) { return !isSending } }
        return true
      }
    }
  }
#endif
