import Foundation

/// `RoostBenchmarks check`: counts instructions and compares them with a baseline.
struct Check {
  private var baselines = "Baselines"
  private var other: String?
  private var writes = false

  /// The accepted ratio to the baseline.
  private static let tolerance = 1.03

  static let usage = """
    Usage: RoostBenchmarks check [--baselines FOLDER] [--against PROGRAM] [--write]

      --baselines FOLDER  the folder of baselines (default Baselines)
      --against PROGRAM   count this RoostBenchmarks too, and compare with it instead of a baseline
      --write             make the counts the baseline of this kind of machine

    Needs valgrind. Exits with 1 if an operation takes 3 % more instructions, with 2 if nothing could be counted, and with 3 if there is
    no baseline for this kind of machine: then count an older program with --against.
    """

  init(_ arguments: ArraySlice<String>) throws(Misuse) {
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--write": writes = true
      case "--baselines", "--against":
        guard let value = rest.popFirst(), !value.isEmpty else { throw Misuse("\(argument) needs a value") }
        if argument == "--against" { other = value } else { baselines = value }
      default: throw Misuse("check has no option '\(argument)'")
      }
    }
    if writes, other != nil { throw Misuse("--write and --against exclude each other") }
  }

  /// Returns the exit code.
  func run() throws -> Int32 {
    let machine = try Baseline.machine()
    let file = URL(filePath: baselines).appending(path: machine + ".txt")
    guard writes || other != nil || FileManager.default.fileExists(atPath: file.path()) else {
      print("There is no baseline for \(machine) in \(baselines).")
      return 3
    }
    let counts = try Self.count(ThisProgram.path)
    if writes {
      try Baseline(counts).write(to: file)
      print("Wrote \(file.path()).")
      return 0
    }
    let before = try other.map(Self.count) ?? Baseline(reading: file).counts
    return Self.compare(counts, before) ? 0 : 1
  }

  /// Both suites run at the same time, on one processor each.
  private static func count(_ program: String) throws -> [CountedOperation: UInt64] {
    let runs = try CountedOperation.suites.map { try Callgrind(program, suite: $0) }
    var counts: [CountedOperation: UInt64] = [:]
    for run in runs { counts.merge(try run.finish()) { $1 } }
    return counts
  }

  /// Prints a line for each operation. Returns whether all are within the tolerance.
  private static func compare(_ now: [CountedOperation: UInt64], _ before: [CountedOperation: UInt64]) -> Bool {
    var isGood = true
    for operation in CountedOperation.all {
      guard let count = now[operation] else { continue }
      let perUnit = Double(count) / Double(operation.units)
      var line = "\(operation.suite) \(operation.name): \(Figures.instructions(perUnit)) a \(operation.unit)"
      if let old = before[operation] {
        let ratio = Double(count) / Double(old)
        line += ", \(Figures.instructions(Double(old) / Double(operation.units))) before, \(Figures.percent(ratio))"
        if ratio > tolerance {
          isGood = false
          line += " TOO MANY"
        }
      } else {
        isGood = false
        line += " HAS NO BASELINE"
      }
      print(line)
    }
    print(
      isGood
        ? "No operation takes 3 % more instructions than before."
        : "Some operations take more instructions, or have no baseline. Fix them, or commit a new baseline (check --write), and give the reason in the message."
    )
    return isGood
  }
}
