internal import RoostFile

/// When saving by itself is tried again after it failed: soon at first, later once a minute.
struct AutosavePause {
  private var seconds: UInt64 = 0
  private var until: UInt64 = 0

  func isOver() -> Bool { seconds == 0 || Clock.monotonicNanoseconds() >= until }

  /// Makes the pause longer; true if it is the first one.
  mutating func begin() -> Bool {
    let isFirst = seconds == 0
    seconds = min(60, max(1, seconds * 2))
    until = Clock.monotonicNanoseconds() + seconds * 1_000_000_000
    return isFirst
  }

  mutating func end() { seconds = 0 }
}
