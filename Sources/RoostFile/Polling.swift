/// Retries something until a deadline, with pauses that grow up to twenty milliseconds.
///
/// ```
/// var polling = Polling(until: deadline)
/// while !lock.tryAcquire() { guard polling.pause() else { return false } }
/// ```
package struct Polling {
  private let deadline: UInt64
  private var pauseMicroseconds: UInt64 = 100

  /// `deadline` is a monotonic time in nanoseconds.
  package init(until deadline: UInt64) { self.deadline = deadline }

  package init(nanoseconds: UInt64) {
    let (deadline, overflows) = Clock.monotonicNanoseconds().addingReportingOverflow(nanoseconds)
    self.init(until: overflows ? .max : deadline)
  }

  /// Pauses. Returns false if the deadline has passed.
  package mutating func pause() -> Bool {
    let now = Clock.monotonicNanoseconds()
    guard now < deadline else { return false }
    Thread.sleep(microseconds: UInt32(min(pauseMicroseconds, (deadline - now) / 1000 + 1)))
    pauseMicroseconds = min(2 * pauseMicroseconds, Self.longestMicroseconds)
    return true
  }

  private static let longestMicroseconds: UInt64 = 20_000
}
