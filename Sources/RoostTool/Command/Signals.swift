import Foundation
import RoostFile

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs a closure on a thread of its own when a signal asks the program to end, instead of ending
/// it.
///
/// A handler writes the signal's number into a pipe, and the thread reads the pipe. Programs that
/// are started meanwhile get the signal as usual: an ignored signal would stay ignored in them.
final class Signals {
  // Unsafe because signal handlers read it. An entry is written before its handler is set.
  nonisolated(unsafe) private static let writers: UnsafeMutablePointer<Int32> = {
    let writers = UnsafeMutablePointer<Int32>.allocate(capacity: highest + 1)
    writers.initialize(repeating: -1, count: highest + 1)
    return writers
  }()
  private static let highest = 64

  private var former: [(number: Int32, action: sigaction, writer: Int32)] = []
  private var thread: RoostFile.Thread?
  private var reader: Int32 = -1
  private var writer: Int32 = -1

  /// Without a pipe and a thread, the signals keep their effect.
  init(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reader, writer) = (ends[0], ends[1])
    numbers.forEach(take)
    let taken = former.map(\.number)
    thread = try? RoostFile.Thread { [reader] in
      // The thread that makes this one may block them.
      var signals = sigset_t()
      sigemptyset(&signals)
      for number in taken { sigaddset(&signals, number) }
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      while let number = Self.next(reader), number > 0 { body(number) }
    }
    if thread == nil { end() }
  }

  private func take(_ number: Int32) {
    var before = sigaction()
    // An ignored signal stays ignored, as for background jobs of a shell.
    if sigaction(number, nil, &before) != 0 || Self.isIgnoring(before) { return }
    let outer = exchange(&Self.writers[Int(number)], with: writer)
    var action = sigaction()
    let handler: @convention(c) (Int32) -> Void = { number in
      let before = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(Signals.writers[Int(number)], &byte, 1)
      errno = before
    }
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
    #else
      action.__sigaction_handler.sa_handler = handler
    #endif
    action.sa_flags = Int32(bitPattern: UInt32(SA_RESTART))
    if sigaction(number, &action, nil) == 0 { former.append((number, before, outer)) }
  }

  private static func isIgnoring(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// The number of the next signal; 0 or nil at the end.
  private static func next(_ reader: Int32) -> Int32? {
    var byte: UInt8 = 0
    while true {
      let count = read(reader, &byte, 1)
      if count == 1 { return Int32(byte) }
      if count == 0 || errno != EINTR { return nil }
    }
  }

  func end() {
    for one in former {
      var action = one.action
      _ = sigaction(one.number, &action, nil)
      Self.writers[Int(one.number)] = one.writer
    }
    former = []
    if let thread {
      var byte: UInt8 = 0
      _ = write(writer, &byte, 1)
      thread.join()
      self.thread = nil
    }
    if reader >= 0 { closePipe() }
  }

  private func closePipe() {
    for end in [reader, writer] { _ = close(end) }
    (reader, writer) = (-1, -1)
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
