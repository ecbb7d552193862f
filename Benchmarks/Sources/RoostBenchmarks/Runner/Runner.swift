import Foundation

/// Runs the suites of the command line and collects the measurements.
///
/// Engines take turns within each run, so that a slow minute of the machine affects all of them.
struct Runner {
  let plan: Plan
  private(set) var measurements: [Measurement] = []

  init(plan: Plan) {
    self.plan = plan
  }

  /// - Parameter keep: called with all measurements so far after each size, so that an interrupted
  ///   run loses only the last size.
  mutating func run(_ suite: any Suite, keep: ([Measurement]) throws -> Void) throws {
    let chosen = suite.operations.filter { plan.wantsOperation($0.name) }
    for size in plan.sizes {
      for turn in Self.turns(chosen.filter { $0.isDone(at: size) }) {
        run(turn.map { ($0.name, size) }, of: suite)
      }
      try suite.finishSize()
      try keep(measurements)
    }
    for turn in Self.turns(chosen.filter { $0.fixedSize != nil }) {
      run(turn.map { ($0.name, $0.fixedSize!) }, of: suite)
    }
    try suite.finishSize()
  }

  /// Groups neighbouring operations of the same turn.
  private static func turns(_ operations: [Operation]) -> [[Operation]] {
    operations.reduce(into: []) { turns, operation in
      if turns.last?.last?.turn == operation.turn {
        turns[turns.count - 1].append(operation)
      } else {
        turns.append([operation])
      }
    }
  }

  private mutating func run(_ turn: [(operation: String, size: Int)], of suite: any Suite) {
    let engines = suite.engines.map(\.name).filter { plan.wantsEngine($0) }
    var lines = turn.flatMap { operation, size in
      engines.filter { suite.takesPart($0, in: operation) }.map {
        Measurement(suite: suite.name, operation: operation, engine: $0, size: size)
      }
    }
    // All operations of one turn have the same size.
    let runs = plan.runs(at: turn[0].size)
    for run in 1...runs {
      for index in lines.indices where lines[index].isChecked {
        let trial = Trial(
          operation: lines[index].operation, engine: lines[index].engine, size: lines[index].size,
          isLastRun: run == runs)
        measure(trial, by: suite, into: &lines[index])
      }
    }
    measurements += lines
    for (operation, size) in turn {
      let medians = lines.filter { $0.operation == operation }.map {
        "\($0.engine) \($0.result.map(Figures.milliseconds) ?? "failed")"
      }
      report("\(suite.name) \(operation) \(size): \(medians.joined(separator: ", "))")
    }
  }

  private func measure(_ trial: Trial, by suite: any Suite, into line: inout Measurement) {
    do {
      Memory.resetPeak()
      Stopwatch.written = 0
      let sample = try suite.measure(trial)
      line.add(
        sample, peakMegabytes: Memory.peakMegabytes(), writtenMegabytes: Double(Stopwatch.written) / 1_000_000)
      if !sample.isRight {
        report("\(trial.engine) \(trial.operation) \(trial.size): the result is not the expected one")
      }
    } catch {
      line.fail()
      report("\(trial.engine) \(trial.operation) \(trial.size): \(error)")
    }
  }

  /// Progress and failures go to standard error; standard output has the tables.
  private func report(_ line: String) {
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }
}
