/// Times the measured part of an operation. One thread measures at a time.
enum Stopwatch {
  // Unsafe because one thread measures at a time.
  nonisolated(unsafe) fileprivate static var body: (() throws -> Void)?
  nonisolated(unsafe) fileprivate static var failure: (any Error)?
  /// The bytes that the measured parts of one trial wrote. ``Runner`` sets it to zero before each
  /// trial.
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

/// Runs the measured part of an operation. `callgrind` counts this symbol, so nothing else runs in
/// it. The body is passed in a variable, because the compiler copies a function for each closure
/// argument.
@inline(never) func measured() {
  do { try Stopwatch.body?() } catch { Stopwatch.failure = error }
}
