/// Times the measured part of an operation. One thread measures at a time.
enum Stopwatch {
  // Unsafe because one thread measures at a time.
  nonisolated(unsafe) fileprivate static var body: (() throws -> Void)?
  nonisolated(unsafe) fileprivate static var failure: (any Error)?
  /// The bytes that the measured parts of one trial handed to the system. ``Runner`` sets it to zero before each trial.
  nonisolated(unsafe) static var written: UInt64 = 0

  /// Runs `body` and returns the milliseconds that it took.
  static func time(_ body: () throws -> Void) throws -> Double {
    try withoutActuallyEscaping(body) { body in
      (Self.body, failure) = (body, nil)
      let before = WrittenBytes.now()
      let start = ContinuousClock.now
      measured()
      let milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
      written += WrittenBytes.now() - before
      Self.body = nil
      if let failure { throw failure }
      return milliseconds
    }
  }
}

/// Runs the measured part of an operation. Nothing else runs in here, so `callgrind` counts this symbol: the body comes through a
/// variable because the compiler makes a copy of a function for each closure it is called with.
@inline(never) func measured() {
  do { try Stopwatch.body?() } catch { Stopwatch.failure = error }
}
