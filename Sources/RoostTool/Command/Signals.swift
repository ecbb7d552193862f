import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a closure on a thread of its own when a signal asks the program to end, instead of ending
/// it.
final class Signals {
  private var sources: [any DispatchSourceSignal] = []

  init(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) {
    for number in numbers {
      // An ignored signal stays ignored, as for background jobs of a shell.
      if let before = signal(number, SIG_IGN), Self.isIgnoring(before) { continue }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { body(number) }
      source.resume()
      sources.append(source)
    }
  }

  #if canImport(Darwin)
    private typealias Handler = @convention(c) (Int32) -> Void
  #else
    private typealias Handler = __sighandler_t
  #endif

  private static func isIgnoring(_ handler: Handler) -> Bool {
    unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  func end() {
    for source in sources {
      source.cancel()
      _ = signal(Int32(source.handle), SIG_DFL)
    }
    sources = []
  }
}

/// Incomplete files, which are removed if a signal ends the program before they are complete.
enum Unfinished {
  static func removing<Result>(_ paths: [String], while body: () throws -> Result) rethrows -> Result {
    let signals = Signals([SIGINT, SIGTERM, SIGHUP]) { number in
      for path in paths { try? FileManager.default.removeItem(atPath: path) }
      // Skips the checkpoints that `exit` makes of open stores, because they would write the files
      // again.
      _exit(128 + number)
    }
    defer { signals.end() }
    return try body()
  }
}
