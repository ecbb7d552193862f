#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes messages that a user must see although no call failed.
package enum StandardError {
  /// Writes `Roost: `, the sentence and a newline, with one system call.
  package static func say(_ sentence: String) {
    let line = Array("Roost: \(sentence)\n".utf8)
    _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
  }

  /// Ends the program after it writes the reason. `preconditionFailure` prints nothing in optimized
  /// builds.
  package static func stop(_ reason: String) -> Never {
    say(reason)
    abort()
  }
}
