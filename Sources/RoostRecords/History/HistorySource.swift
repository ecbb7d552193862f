internal import RoostFile
internal import Synchronization

/// Gives commits of one opening of a store their time and the name of the writing program.
///
/// It is one object, so a transaction retains one reference instead of several closures.
final class HistorySource: Sendable {
  /// Milliseconds since 1970; nil for the clock of the machine.
  private let clock: (@Sendable () -> UInt64)?
  /// Called only if another program may have written the last entry.
  let writer: @Sendable () -> HistoryWriter
  private let last = Atomic<UInt64>(0)

  /// The time of the last commit of this process by the machine's clock, in any store.
  private static let lastOfProcess = Atomic<UInt64>(0)

  init(_ clock: (@Sendable () -> UInt64)?, _ writer: @escaping @Sendable () -> HistoryWriter) {
    self.clock = clock
    self.writer = writer
  }

  /// The time of the next commit of a store.
  ///
  /// Commits of this process have different times, even in different stores. So the histories of
  /// several stores can be merged in order.
  func time(after last: HybridTime) -> HybridTime {
    if let clock { return last.next(clock()) }
    let now = Clock.wallMilliseconds()
    let wanted = last.next(now)
    // A store whose last time is in the future continues from there, independently of other stores.
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
  /// If two threads set it in the wrong order, the next commit looks the writer up.
  var lastOwn: UInt64 {
    get { last.load(ordering: .relaxed) }
    set { last.store(newValue, ordering: .relaxed) }
  }
}
