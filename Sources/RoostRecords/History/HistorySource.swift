internal import Synchronization

/// What the commits of one opening of a store tell the history: the time, and which program writes.
///
/// It is one object, so a transaction retains one thing and not several closures.
final class HistorySource: Sendable {
  let clock: @Sendable () -> UInt64
  /// It is asked only if another program may have written the last entry.
  let writer: @Sendable () -> HistoryWriter
  private let last = Atomic<UInt64>(0)

  init(_ clock: @escaping @Sendable () -> UInt64, _ writer: @escaping @Sendable () -> HistoryWriter) {
    self.clock = clock
    self.writer = writer
  }

  /// The last transaction whose entry was committed through this opening; 0 if there is none.
  ///
  /// If two threads set it in the wrong order, the next commit looks the writer up, and finds it.
  var lastOwn: UInt64 {
    get { last.load(ordering: .relaxed) }
    set { last.store(newValue, ordering: .relaxed) }
  }
}
