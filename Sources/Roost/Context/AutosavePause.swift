internal import RoostFile

/// The pauses between attempts to save automatically after a failure: short at first, then up to a
/// minute.
struct AutosavePause {
  private var seconds: UInt64 = 0
  private var until: UInt64 = 0

  func isOver() -> Bool { seconds == 0 || Clock.monotonicNanoseconds() >= until }

  /// Makes the pause longer. Returns true if it is the first pause.
  mutating func begin() -> Bool {
    let isFirst = seconds == 0
    seconds = min(60, max(1, seconds * 2))
    until = Clock.monotonicNanoseconds() + seconds * 1_000_000_000
    return isFirst
  }

  mutating func end() { seconds = 0 }
}
