import Foundation

/// Threads that prepare, start together, and are timed from the start to the end of the last one.
enum Crew {
  /// Runs `work` on `count` separate threads. `prepare` and `tidy` run on the same threads,
  /// untimed.
  static func time<Tool, Result: Sendable>(
    _ count: Int,
    prepare: @escaping @Sendable (Int) throws -> Tool,
    work: @escaping @Sendable (Int, Tool) throws -> Result,
    tidy: @escaping @Sendable (Tool) -> Void
  ) throws -> (milliseconds: Double, results: [Result]) {
    let board = Board<Result>(count)
    for member in 0..<count {
      let thread = Thread {
        do {
          let tool = try prepare(member)
          defer { tidy(tool) }
          board.reachStart()
          board.finish(member, .success(try work(member, tool)))
        } catch {
          board.finish(member, .failure(error))
        }
        board.leave()
      }
      thread.stackSize = 8 << 20
      thread.start()
    }

    let before = WrittenBytes.now()
    board.openWhenAllAreReady()
    let start = ContinuousClock.now
    board.wait { $0.finished == count }
    let time = ContinuousClock.now - start
    Stopwatch.written += WrittenBytes.now() - before
    board.wait { $0.left == count }
    return (time / .milliseconds(1), try board.results())
  }
}

/// The meeting point of a crew.
///
/// Unchecked because of the counters: all of them are read and written under `condition`.
private final class Board<Result: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var outcomes: [Swift.Result<Result, any Error>?]
  private var ready = 0
  private var isOpen = false
  private(set) var finished = 0
  private(set) var left = 0

  init(_ count: Int) {
    outcomes = Array(repeating: nil, count: count)
  }

  func reachStart() {
    change { ready += 1 }
    wait { $0.isOpen }
  }

  /// A member that failed to prepare counts as finished, so the start does not wait for it.
  func openWhenAllAreReady() {
    wait { $0.ready + $0.finished == $0.outcomes.count }
    change { isOpen = true }
  }

  func finish(_ member: Int, _ outcome: Swift.Result<Result, any Error>) {
    change {
      outcomes[member] = outcome
      finished += 1
    }
  }

  func leave() {
    change { left += 1 }
  }

  func wait(until holds: (Board) -> Bool) {
    condition.lock()
    defer { condition.unlock() }
    while !holds(self) { condition.wait() }
  }

  func results() throws -> [Result] {
    try outcomes.map { try $0!.get() }
  }

  private func change(_ body: () -> Void) {
    condition.lock()
    defer { condition.unlock() }
    body()
    condition.broadcast()
  }
}
