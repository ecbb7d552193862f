#if Postgres
  internal import RoostFile

  /// The time that a call may wait for the server, and the reason if it ended early.
  struct CallLimit {
    /// The reason why a call ended early.
    enum Cut: Equatable {
      case cancelled
      case timedOut(Duration)

      /// The text in an error.
      var text: String {
        switch self {
        case .cancelled: "the task was cancelled"
        case .timedOut(let patience): "the server did not answer in \(patience)"
        }
      }
    }

    private let patience: Duration?
    private(set) var cut: Cut?
    /// The time at which the waiting thread acts next.
    private var next: UInt64
    /// The time at which the connection is given up.
    private(set) var end = UInt64.max

    /// The time that the server gets to end a cancelled statement.
    static let grace = Duration.seconds(3)
    /// The server may overlook a request to cancel that arrives between two statements, so it is sent again after this time.
    private static let pause: UInt64 = 300_000_000

    init(_ patience: Duration?) {
      self.patience = patience
      next = patience.map { Self.time(after: $0) } ?? .max
    }

    private static func time(after duration: Duration) -> UInt64 {
      let nanoseconds = duration / .nanoseconds(1)
      let now = Clock.monotonicNanoseconds()
      return nanoseconds < 1e18 ? now + UInt64(max(0, nanoseconds)) : .max
    }

    /// The time to wait, for `poll`.
    var milliseconds: Int32 {
      if next == .max { return -1 }
      let now = Clock.monotonicNanoseconds()
      return Int32(clamping: (next - min(next, now) + 999_999) / 1_000_000)
    }

    /// Whether the time to wait is over.
    var isOver: Bool { next <= Clock.monotonicNanoseconds() }

    /// The server has taken a part of the call. The time for the next part begins.
    mutating func renew() {
      if cut == nil, let patience { next = Self.time(after: patience) }
    }

    /// Ends the call early, or tries to end it again. Returns false if the server had enough time
    /// to end the statement.
    mutating func end(isCancelled: Bool) -> Bool {
      if cut == nil {
        cut = isCancelled ? .cancelled : patience.map { .timedOut($0) }
        end = Self.time(after: Self.grace)
      }
      let now = Clock.monotonicNanoseconds()
      next = min(end, now + Self.pause)
      return now < end
    }
  }
#endif
