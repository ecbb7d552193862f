import Foundation
import Testing

@testable import RoostTool

/// The program catches signals, and the programs that it starts do not ignore them.
struct SignalsTests {
  #if os(Linux)
    @Test func `a program that is started meanwhile does not ignore the signal`() throws {
      let signals = Signals([SIGUSR1]) { _ in }
      defer { signals.end() }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/sh")
      process.arguments = ["-c", "grep SigIgn /proc/self/status"]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      process.waitUntilExit()
      let words = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).split { $0.isWhitespace }
      let ignored = try #require(words.last.flatMap { UInt64($0, radix: 16) })
      #expect(words.first == "SigIgn:" && ignored & 1 << UInt64(SIGUSR1 - 1) == 0)
    }
  #endif

  @Test func `each signal calls the innermost closure, and afterwards the outer one`() throws {
    let (outer, inner) = (Arrivals(), Arrivals())
    let first = Signals([SIGUSR2]) { _ in outer.add() }
    defer { first.end() }
    kill(getpid(), SIGUSR2)
    #expect(outer.wait() && !inner.has)
    let second = Signals([SIGUSR2]) { number in if number == SIGUSR2 { inner.add() } }
    kill(getpid(), SIGUSR2)
    #expect(inner.wait() && !outer.has)
    second.end()
    kill(getpid(), SIGUSR2)
    #expect(outer.wait() && !inner.has)
  }

  /// Counts calls of a closure; unchecked because the semaphore does.
  private final class Arrivals: @unchecked Sendable {
    private let count = DispatchSemaphore(value: 0)

    func add() { count.signal() }
    /// Whether there is a call within 20 seconds.
    func wait() -> Bool { count.wait(timeout: .now() + 20) == .success }
    var has: Bool { count.wait(timeout: .now()) == .success }
  }
}
