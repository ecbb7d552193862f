import RoostFile
import RoostTestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The subcommands.
enum TortureCommand {
  static let usage = """
    roost-torture ci      [--tests 1,4,9] [--commit HASH] [--seed S] [--json FILE]
                          every trial, some ten minutes; with a commit's hash a tenth more, from seeds of its own
    roost-torture soak    [--hours N] [--tests 1,4] [--seed S] [--json FILE]
                          every trial again and again, with ever new seeds
    roost-torture run     --test T [--cases N] [--seed S]          one trial, until so many cases have happened
    roost-torture replay  --test T --seed S --step N [--image "…"] [--trace yes] one failure again
    roost-torture golden  [--version N] [--into FOLDER]            the golden stores of this build, as files
    roost-torture list                                             the trials and what they count
    """

  static func run(_ words: [String]) -> Int32 {
    let arguments = TortureArguments(words.dropFirst())
    if let complaint = arguments.complaint { return refuse(complaint) }
    switch words.first {
    case "ci": return ci(arguments)
    case "soak": return soak(arguments)
    case "run": return single(arguments)
    case "replay": return replay(arguments)
    case "victim":
      return Victim.run(arguments.text("path") ?? "", arguments.seed() ?? 1, count: arguments.number("count") ?? 1)
    case "guest": return Guest.run(arguments.text("path") ?? "", arguments.seed() ?? 1)
    case "worker": return worker(arguments)
    case "golden": return golden(arguments)
    case "list":
      for trial in Arsenal.trials {
        print("\(trial.number)\t\(trial.name)\t\(trial.absence?.rawValue ?? "\(trial.quota) \(trial.unit)")")
      }
      return 0
    default:
      return refuse(words.first.map { "\($0) is no subcommand" } ?? "a subcommand is missing")
    }
  }

  private static func refuse(_ complaint: String) -> Int32 {
    print("roost-torture: \(complaint)\n\(usage)")
    return 2
  }

  /// An error about the build, not about the arguments: the usage would not help.
  private static func explain(_ advice: String) -> Int32 {
    print("roost-torture: \(advice)")
    return 2
  }

  /// This program's own path, which may have been given relative to the folder it was started in.
  static var program: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    if count > 0 { return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    return CommandLine.arguments[0]
  }

  // MARK: Many trials

  private static func chosen(_ arguments: TortureArguments) -> [Trial] {
    guard let numbers = arguments.numbers("tests") else { return Arsenal.trials }
    return Arsenal.trials.filter { numbers.contains($0.number) }
  }

  private static func ci(_ arguments: TortureArguments) -> Int32 {
    guard let folder = try? ScratchFolder() else { return refuse("no temporary folder can be made") }
    let fresh = arguments.text("commit").map { Trial.freshSeed(of: $0) }
    if let fresh { print("a tenth more from seed \(fresh)") }
    var results: [TrialResult] = []
    for trial in chosen(arguments) {
      let portions = trial.portions(from: arguments.seed() ?? 1, fresh: fresh)
      let result = run(trial, Crew(program, folder, trial: trial), portions: portions)
      tell(result)
      results.append(result)
    }
    return end(results, arguments)
  }

  private static let hourNanoseconds = 3600e9

  private static func soak(_ arguments: TortureArguments) -> Int32 {
    guard let folder = try? ScratchFolder() else { return refuse("no temporary folder can be made") }
    let begin = Clock.monotonicNanoseconds()
    let hours = arguments.seconds("hours") ?? 8
    let trials = chosen(arguments).filter { $0.absence == nil }
    var results: [TrialResult] = []
    var first = arguments.seed() ?? 1_000_000
    // Every trial runs at least once.
    while results.count < trials.count || Double(Clock.monotonicNanoseconds() - begin) < hours * hourNanoseconds {
      if trials.isEmpty { break }
      print("from seed \(first)")
      for trial in trials {
        if results.count >= trials.count, Double(Clock.monotonicNanoseconds() - begin) >= hours * hourNanoseconds {
          break
        }
        let result = run(trial, Crew(program, folder, trial: trial), portions: [trial.portion(from: first)])
        tell(result)
        results.append(result)
      }
      first &+= 1_000_000
    }
    return end(results, arguments)
  }

  private static func single(_ arguments: TortureArguments) -> Int32 {
    guard let trial = arguments.number("test").flatMap({ Arsenal.trial($0) }) else { return refuse("run needs --test") }
    if let advice = trial.absenceAdvice { return explain(advice) }
    guard let folder = try? ScratchFolder() else { return refuse("no temporary folder can be made") }
    let cases = arguments.number("cases") ?? trial.cases ?? trial.quota
    guard cases > 0 else { return refuse("--cases must be 1 or more") }
    let portion = trial.portion(from: arguments.seed() ?? 1, cases: cases)
    let result = run(trial, Crew(program, folder, trial: trial), portions: [portion])
    tell(result)
    return end([result], arguments)
  }

  private static func run(_ trial: Trial, _ crew: Crew, portions: [Portion]) -> TrialResult {
    if trial.absence != nil { return TrialResult(trial) }
    guard let obstacle = Arsenal.obstacle(trial) else { return crew.run(portions) }
    var result = TrialResult(trial)
    result.skipped = obstacle
    return result
  }

  private static func tell(_ result: TrialResult) {
    print(result.line)
    for failure in result.failures.prefix(20) { print(failure) }
    fflush(nil)
  }

  private static func end(_ results: [TrialResult], _ arguments: TortureArguments) -> Int32 {
    if let path = arguments.text("json") {
      guard let file = fopen(path, "w") else { return refuse("\(path) cannot be written") }
      fputs(TrialResult.json(results), file)
      fclose(file)
    }
    if results.isEmpty { return refuse("there is no such trial") }
    let summary = TrialResult.summary(results)
    print(summary.line)
    return summary.isGood ? 0 : 1
  }

  // MARK: One trial

  private static func golden(_ arguments: TortureArguments) -> Int32 {
    do {
      let version = UInt32(clamping: arguments.number("version") ?? 1 + GoldenVersion.all.count)
      let folder = arguments.text("into") ?? "Sources/RoostTestSupport/Golden/Versions"
      let entry = try GoldenVersion.write(version: version, into: folder)
      print("\(folder)/\(version) is written. The entry of `GoldenVersion.all`:\n\(entry)")
      return 0
    } catch { return refuse("\(error)") }
  }

  private static func worker(_ arguments: TortureArguments) -> Int32 {
    guard let trial = arguments.number("test").flatMap({ Arsenal.trial($0) }), let seed = arguments.seed() else {
      return refuse("a worker needs --test and --seed")
    }
    Worker(
      trial: trial, first: seed, stride: arguments.seed("stride") ?? 1, seeds: arguments.number("seeds"),
      quota: arguments.number("quota") ?? 1, place: arguments.text("place")
    ).run()
    return 0
  }

  private static func replay(_ arguments: TortureArguments) -> Int32 {
    guard let trial = Arsenal.trial(arguments.number("test") ?? 1), let seed = arguments.seed() else {
      return refuse("replay needs --seed, and --test where it is not 1")
    }
    if let advice = trial.absenceAdvice { return explain(advice) }
    let record = TortureRecord(test: trial.number)
    if arguments.text("trace") != nil { record.trace = { print($0) } }
    record.onlyStep = arguments.number("step")
    record.onlyImage = arguments.text("image")
    trial.run(seed, record)
    for failure in record.failures { print(failure) }
    print("\(record.count) \(trial.unit), \(record.failures.count) failures")
    return record.failures.isEmpty ? 0 : 1
  }
}
