#if Postgres
  internal import Roost
  internal import RoostFile

  #if canImport(Glibc)
    internal import Glibc
  #elseif canImport(Musl)
    internal import Musl
  #elseif canImport(Darwin)
    internal import Darwin
  #endif

  /// Waits, on a thread and a connection of its own, until other programs have saved.
  ///
  /// The server wakes it (`LISTEN`). Where a notice is lost, or a pool of connections passes none on, it looks by itself every few seconds.
  ///
  /// Unchecked because the lock guards `isEnded`, and the rest never changes.
  final class ChangeListener: @unchecked Sendable {
    private let address: ServerAddress
    private let changes: ChangeTable
    private let client: String
    private let tell: @Sendable (Connection, ChangePlace) throws -> ChangePlace
    private let lock = Lock()
    private var isEnded = false
    /// Writing to the second one ends the waiting at the first one.
    private let pipe: (read: Int32, write: Int32)

    /// So long it sleeps where no notice comes.
    private static let patienceMilliseconds: Int32 = 5000

    /// - Parameter tell: called with the connection and the place up to which everything is known; returns the next such place.
    init?(
      _ address: ServerAddress, _ changes: ChangeTable, client: String,
      tell: @escaping @Sendable (Connection, ChangePlace) throws -> ChangePlace
    ) {
      var ends: [Int32] = [0, 0]
      guard Self.open(&ends) == 0 else { return nil }
      pipe = (ends[0], ends[1])
      (self.address, self.changes, self.client, self.tell) = (address, changes, client, tell)
    }

    deinit {
      _ = close(pipe.read)
      _ = close(pipe.write)
    }

    private static func open(_ ends: inout [Int32]) -> Int32 {
      #if canImport(Glibc)
        Glibc.pipe(&ends)
      #elseif canImport(Musl)
        Musl.pipe(&ends)
      #else
        Darwin.pipe(&ends)
      #endif
    }

    /// Begins, from a place on. Nothing happens where no thread can be made: then the context shows what it fetches.
    func begin(at place: ChangePlace) {
      guard let thread = try? Thread({ self.run(from: place) }) else { return }
      thread.detach()
    }

    func end() {
      lock.withLock { isEnded = true }
      var byte: UInt8 = 0
      _ = write(pipe.write, &byte, 1)
    }

    private var ended: Bool { lock.withLock { isEnded } }

    private func run(from start: ChangePlace) {
      var place = start
      var pause: Int32 = 100
      while !ended {
        do {
          let connection = try Connection(address.text)
          try connection.run("LISTEN \(SQLName(exactly: changes.channel))")
          pause = 100
          while !ended {
            place = try tell(connection, place)
            try connection.waitForNotice(
              fromOthersThan: client, or: pipe.read, atMostMilliseconds: Self.patienceMilliseconds)
          }
        } catch {
          // The server may come back.
          var end = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
          _ = poll(&end, 1, pause)
          pause = min(2 * pause, 10_000)
        }
      }
    }
  }
#endif
