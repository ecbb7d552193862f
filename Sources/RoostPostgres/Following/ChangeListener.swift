#if Postgres
  internal import Roost
  internal import RoostFile

  /// Waits for the saves of other programs, on its own thread and its own connection.
  ///
  /// The server wakes it (`LISTEN`). A notice can be lost, and a connection pool may pass none on,
  /// so the listener also looks every five seconds.
  ///
  /// `@unchecked Sendable`: the lock guards `isEnded`, and all other properties are constant.
  final class ChangeListener: @unchecked Sendable {
    private let address: ServerAddress
    private let changes: ChangeTable
    private let client: String
    private let patience: Duration?
    private let tell: @Sendable (Connection, ChangePlace) throws -> ChangePlace
    private let lock = Lock()
    private var isEnded = false
    /// Ends the waiting.
    private let pipe: WakePipe

    /// The longest wait for a notice.
    private static let patienceMilliseconds: Int32 = 5000

    /// `tell` is called with the connection and the place up to which all changes are known. It
    /// returns the next such place.
    init?(
      _ address: ServerAddress, _ changes: ChangeTable, client: String, patience: Duration?,
      tell: @escaping @Sendable (Connection, ChangePlace) throws -> ChangePlace
    ) {
      guard let pipe = WakePipe() else { return nil }
      self.pipe = pipe
      (self.address, self.changes, self.client, self.tell) = (address, changes, client, tell)
      self.patience = patience
    }

    /// Starts after a place. If no thread can be made, nothing happens: contexts then show other
    /// programs' changes only when they fetch.
    func begin(at place: ChangePlace) {
      guard let thread = try? Thread({ self.run(from: place) }) else { return }
      thread.detach()
    }

    func end() {
      lock.withLock { isEnded = true }
      pipe.wake()
    }

    private var ended: Bool { lock.withLock { isEnded } }

    private func run(from start: ChangePlace) {
      var place = start
      var pause: Int32 = 100
      while !ended {
        do {
          let connection = try Connection.open(address, patience: patience)
          try connection.run("LISTEN \(SQLName(exactly: changes.channel))")
          pause = 100
          while !ended {
            place = try tell(connection, place)
            try connection.waitForNotice(
              fromOthersThan: client, or: pipe.descriptor, atMostMilliseconds: Self.patienceMilliseconds)
          }
        } catch {
          // The server may come back.
          pipe.wait(milliseconds: pause)
          pause = min(2 * pause, 10_000)
        }
      }
    }
  }
#endif
