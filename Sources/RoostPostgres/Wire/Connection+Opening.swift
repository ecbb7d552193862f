#if Postgres
  internal import Roost
  internal import RoostFile

  extension Connection {
    /// Connects. The caller waits at most for its patience, and only until its task is cancelled.
    ///
    /// libpq may wait in a call that cannot be interrupted: for a name server, or for a server that
    /// accepts a connection and is silent. So a separate thread connects, and a connection that it
    /// makes too late is dropped.
    static func open(_ address: ServerAddress, patience: Duration?) throws(ServerFault) -> Connection {
      let interrupt = CallInterrupt.current
      if patience == nil, interrupt == nil { return try Connection(address.text) }
      guard let attempt = Attempt() else { throw ServerFault.noDescriptors }
      do {
        try Thread {
          attempt.finish(Result { () throws(ServerFault) in try Connection(address.text, patience: patience) })
        }
        .detach()
      } catch { throw ServerFault("\(error)", code: .unreachable) }
      interrupt?.listen { attempt.pipe.wake() }
      defer { interrupt?.listen(nil) }
      let limit = CallLimit(patience)
      while true {
        if let result = attempt.result { return try result.get() }
        if interrupt?.isRaised == true { throw ServerFault(.cancelled) }
        if limit.isOver, let patience { throw ServerFault(.timedOut(patience)) }
        attempt.pipe.wait(milliseconds: limit.milliseconds)
        attempt.pipe.drain()
      }
    }

    /// `@unchecked Sendable`: the lock guards the result.
    private final class Attempt: @unchecked Sendable {
      let pipe: WakePipe
      private let lock = Lock()
      private var made: Result<Connection, ServerFault>?

      init?() {
        guard let pipe = WakePipe() else { return nil }
        self.pipe = pipe
      }

      var result: Result<Connection, ServerFault>? { lock.withLock { made } }

      func finish(_ result: Result<Connection, ServerFault>) {
        lock.withLock { made = result }
        pipe.wake()
      }
    }
  }
#endif
