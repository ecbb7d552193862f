import Foundation

/// Measures Roost and FTS5 by turns, and prints the medians.
struct ByTurns {
  let runs: Int
  /// Whether different answers end the program.
  let isStrict: Bool

  /// Asks all questions in turn, and prints the time of one. Both must give the same answers.
  func compare(
    _ name: String, _ questions: [String], ours: (String) throws -> Int, plain: (String) throws -> Int
  ) throws {
    var times: (ours: [Double], plain: [Double]) = ([], [])
    for run in 0...runs {
      var found: ([Int], [Int]) = ([], [])
      let one = try Self.time { found.0 = try questions.map(plain) }
      let other = try Self.time { found.1 = try questions.map(ours) }
      let others = zip(found.0, found.1).count { $0 != $1 }
      if others > 0, isStrict { throw FTS5.Failure(text: "\(name): other answers than FTS5") }
      if run == 0 {
        if others > 0 { print("\(name): \(others) of \(questions.count) answers are others than those of FTS5") }
        continue
      }
      times.plain.append(one / Double(questions.count))
      times.ours.append(other / Double(questions.count))
    }
    Self.show(name, times.ours.sorted()[runs / 2], times.plain.sorted()[runs / 2])
  }

  /// Calls both for each number, a hundred at a time. Prints the sum, the median and the greatest time.
  func commits(_ name: String, _ numbers: Range<Int>, ours: (Int) throws -> Void, plain: (Int) throws -> Void) throws {
    var times: (ours: [Double], plain: [Double]) = ([], [])
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
      let some = start..<min(start + 100, numbers.upperBound)
      for number in some { times.plain.append(try Self.time { try plain(number) }) }
      for number in some { times.ours.append(try Self.time { try ours(number) }) }
    }
    Self.show("\(numbers.count) \(name)", times.ours.reduce(0, +), times.plain.reduce(0, +))
    Self.show("\(name), median", times.ours.sorted()[numbers.count / 2], times.plain.sorted()[numbers.count / 2])
    Self.show("\(name), longest", times.ours.max() ?? 0, times.plain.max() ?? 0)
  }

  static func size(_ ours: URL, _ plain: URL) throws {
    let sizes = try [ours, plain].map { try $0.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0 }
    print(
      "size: \(sizes[0] / 1_000_000) MB, FTS5 \(sizes[1] / 1_000_000) MB, ratio \(ratio(Double(sizes[0]), Double(sizes[1])))"
    )
  }

  static func show(_ name: String, _ ours: Double, _ plain: Double) {
    print("\(name): \(String(format: "%.3f ms, FTS5 %.3f ms", ours, plain)), ratio \(ratio(ours, plain))")
  }

  private static func ratio(_ one: Double, _ other: Double) -> String { String(format: "%.2f", one / other) }

  /// Whether to measure the processor's time instead of the clock's: `--processor`. It has no waits for the disk, and
  /// other work on the machine hardly changes it.
  private static let isOfProcessor = CommandLine.arguments.contains("--processor")

  static func time(_ body: () throws -> Void) rethrows -> Double {
    if !isOfProcessor { return try ContinuousClock().measure(body) / .milliseconds(1) }
    let start = processorTime()
    try body()
    return processorTime() - start
  }

  /// The time that all threads of this process took so far, in milliseconds.
  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
  }
}
