#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The place for what a user must hear although no call failed.
package enum StandardError {
  /// Writes `Roost: `, the sentence and a line end, with one call.
  package static func say(_ sentence: String) {
    let line = Array("Roost: \(sentence)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  /// Ends the program after it says why. `preconditionFailure` prints nothing in optimised builds.
  package static func stop(_ reason: String) -> Never {
    say(reason)
    abort()
  }
}
