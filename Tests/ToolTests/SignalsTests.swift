import Foundation
import Testing

@testable import RoostTool

/// The program catches signals, and the programs that it starts do not ignore them.
struct SignalsTests {
  @Test func `a program that is started meanwhile ends by the signal`() throws {
    let signals = Signals([SIGUSR1]) { _ in }
    defer { signals.end() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "kill -USR1 $$; exit 7"]
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    #expect(process.terminationStatus == SIGUSR1)
  }

  @Test func `each signal calls the innermost closure, and afterwards the outer one`() throws {
    let (outer, inner) = (Arrivals(), Arrivals())
    let first = Signals([SIGUSR2]) { _ in outer.add() }
    defer { first.end() }
    raise(SIGUSR2)
    #expect(outer.wait() && !inner.has)
    let second = Signals([SIGUSR2]) { number in if number == SIGUSR2 { inner.add() } }
    raise(SIGUSR2)
    #expect(inner.wait() && !outer.has)
    second.end()
    raise(SIGUSR2)
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
