internal import RoostFile
internal import Synchronization

/// What the commits of one opening of a store tell the history: the time, and which program writes.
///
/// It is one object, so a transaction retains one thing and not several closures.
final class HistorySource: Sendable {
  /// Milliseconds since 1970; nil for the clock of the machine.
  private let clock: (@Sendable () -> UInt64)?
  /// It is asked only if another program may have written the last entry.
  let writer: @Sendable () -> HistoryWriter
  private let last = Atomic<UInt64>(0)

  /// The time of the last commit of this process by the clock of the machine, whatever its store.
  private static let lastOfProcess = Atomic<UInt64>(0)

  init(_ clock: (@Sendable () -> UInt64)?, _ writer: @escaping @Sendable () -> HistoryWriter) {
    self.clock = clock
    self.writer = writer
  }

  /// The time of a commit that follows one of its store.
  ///
  /// Commits of this process have different times, also if their stores differ. So a history of several stores can tell their order.
  func time(after last: HybridTime) -> HybridTime {
    if let clock { return last.next(clock()) }
    let now = Clock.wallMilliseconds()
    let wanted = last.next(now)
    // A store whose last time is in the future goes on from there, alone.
    guard wanted.milliseconds == now else { return wanted }
    var known = Self.lastOfProcess.load(ordering: .relaxed)
    while true {
      let other = HybridTime(bits: known)
      let time = other.milliseconds == now && other >= wanted ? other.next(now) : wanted
      let (isSet, found) = Self.lastOfProcess.compareExchange(
        expected: known, desired: time.bits, ordering: .relaxed)
      if isSet { return time }
      known = found
    }
  }

  /// The last transaction whose entry was committed through this opening; 0 if there is none.
  ///
  /// If two threads set it in the wrong order, the next commit looks the writer up, and finds it.
  var lastOwn: UInt64 {
    get { last.load(ordering: .relaxed) }
    set { last.store(newValue, ordering: .relaxed) }
  }
}
