/// The parsed command line.
struct Plan {
  /// The sizes for growth exponents.
  static let allSizes = [10_000, 100_000, 1_000_000]
  /// All suites; `all` runs them in turn.
  static let suites = ["engine", "rows", "objects"]

  var suites: [String] = []
  var sizes: [Int] = []
  /// One number for all sizes, or one for each size.
  private var runs: [Int] = []
  var only: [String] = []
  /// Files of earlier runs to report instead of measuring.
  private var files: [String] = []
  var markdown: String?
  var json: String?
  var pictures: String?
  var directory: String?

  static let usage = """
    Usage: RoostBenchmarks SUITE [options]

    SUITE is \((suites + ["all"]).joined(separator: " or ")).

      --size N        entries; may be repeated or separated by commas (default 10000,100000,1000000)
      --runs N        runs of each operation (default 5); tables show the median. Or a number for each size: 5,5,1
      --only A,B      these operations only; names of engines choose engines
      --markdown FILE write the tables to FILE too
      --from FILE     measure nothing, and report what an earlier run wrote with --json; may be repeated
      --json FILE     write every measurement to FILE
      --svg DIR       write pictures to DIR
      --directory DIR make the stores in DIR (default: a fresh temporary folder)

    `RoostBenchmarks check` counts instructions and compares them with a baseline.

    Exits with 1 if any result was wrong or missing, and with 2 if the arguments are invalid.
    """

  /// Throws a sentence that names the invalid argument.
  init(_ arguments: [String]) throws(Misuse) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-") else {
        guard suites.isEmpty else { throw Misuse("one suite at a time, not also '\(argument)'") }
        suites = try Self.suites(named: argument)
        continue
      }
      guard Self.flags.contains(argument) else { throw Misuse("there is no option '\(argument)'") }
      guard let value = rest.popFirst(), !value.isEmpty else { throw Misuse("\(argument) needs a value") }
      try set(argument, to: value)
    }
    if suites.isEmpty { throw Misuse("the command line names no suite") }
    if sizes.isEmpty { sizes = Self.allSizes }
    if runs.isEmpty { runs = [5] }
    if runs.count == 1 { runs = sizes.map { _ in runs[0] } }
    guard runs.count == sizes.count else {
      throw Misuse("--runs needs one number, or one for each of \(sizes.count) sizes")
    }
    let pairs = Dictionary(zip(sizes, runs)) { max($0, $1) }.sorted { $0.key < $1.key }
    (sizes, runs) = (pairs.map(\.key), pairs.map(\.value))
  }

  /// The measurements in the files of earlier runs; nil if this run measures. The suites and sizes
  /// become those of the files.
  mutating func earlier() throws(Misuse) -> [Measurement]? {
    if files.isEmpty { return nil }
    var all: [Measurement] = []
    for file in files { all += try JSONReport.measurements(in: file) }
    let found = Set(all.map(\.size))
    let pairs = zip(sizes, runs).filter { found.contains($0.0) }
    (sizes, runs) = (pairs.map(\.0), pairs.map(\.1))
    suites = suites.filter { suite in all.contains { $0.suite == suite } }
    if suites.isEmpty { throw Misuse("the files hold nothing of these suites") }
    return all.filter { wantsEngine($0.engine) && wantsOperation($0.operation) }
  }

  /// The number of runs of an operation at a size. Operations with a fixed size run as often as
  /// those at the first size.
  func runs(at size: Int) -> Int { sizes.firstIndex(of: size).map { runs[$0] } ?? runs[0] }

  func wantsOperation(_ name: String) -> Bool {
    let names = only.filter { !engineNames.contains($0) }
    return names.isEmpty || names.contains(name)
  }

  func wantsEngine(_ name: String) -> Bool {
    let names = only.filter { engineNames.contains($0) }
    return names.isEmpty || names.contains(name)
  }

  /// Separates operations and engines in `--only`, and throws for other names.
  mutating func resolve(operations: Set<String>, engines: Set<String>) throws(Misuse) {
    for name in only where !operations.contains(name) && !engines.contains(name) {
      throw Misuse("there is no operation or engine '\(name)'")
    }
    engineNames = engines
  }

  private var engineNames: Set<String> = []
  private static let flags = ["--size", "--runs", "--from", "--only", "--markdown", "--json", "--svg", "--directory"]

  private static func suites(named name: String) throws(Misuse) -> [String] {
    if name == "all" { return suites }
    guard suites.contains(name) else { throw Misuse("there is no suite '\(name)'") }
    return [name]
  }

  private mutating func set(_ flag: String, to value: String) throws(Misuse) {
    switch flag {
    case "--size":
      for part in value.split(separator: ",") { sizes.append(try Self.positive(part, flag)) }
    case "--runs":
      for part in value.split(separator: ",") { runs.append(try Self.positive(part, flag)) }
    case "--only": only += value.split(separator: ",").map(String.init)
    case "--markdown": markdown = value
    case "--from": files.append(value)
    case "--json": json = value
    case "--svg": pictures = value
    case "--directory": directory = value
    default: preconditionFailure("\(flag) is listed and not handled")
    }
  }

  private static func positive(_ text: Substring, _ flag: String) throws(Misuse) -> Int {
    guard let number = Int(text), (1...100_000_000).contains(number) else {
      throw Misuse("\(flag) needs a number from 1 to 100000000, not '\(text)'")
    }
    return number
  }
}

/// Invalid arguments.
struct Misuse: Error {
  let sentence: String

  init(_ sentence: String) {
    self.sentence = sentence
  }
}
