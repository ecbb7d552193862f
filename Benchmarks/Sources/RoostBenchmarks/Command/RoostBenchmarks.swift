import Foundation

/// Measures Roost and its peers, checks every result, and prints tables of medians.
@main
enum RoostBenchmarks {
  static func main() throws {
    if let work = ObjectMemory.Work(CommandLine.arguments) { return try ObjectMemory.run(work) }
    if let work = Opening.Work(CommandLine.arguments) { return try Opening.run(work) }
    if CommandLine.arguments.dropFirst().first == "check" { exit(check()) }
    var plan: Plan
    do throws(Misuse) {
      plan = try Plan(Array(CommandLine.arguments.dropFirst()))
      try plan.resolve(
        operations: Set(
          EngineOperation.allCases.map(\.rawValue) + RowsOperation.allCases.map(\.rawValue)
            + ObjectOperation.allCases.map(\.rawValue)),
        engines: Set(
          EngineRegistry.engines.map(\.name) + EngineRegistry.libraries.map(\.name)
            + EngineRegistry.objects.map(\.name)))
    } catch {
      FileHandle.standardError.write(Data("\(error.sentence)\n\n\(Plan.usage)\n".utf8))
      exit(2)
    }
    do {
      exit(try run(plan) ? 0 : 1)
    } catch let misuse as Misuse {
      FileHandle.standardError.write(Data("\(misuse.sentence)\n".utf8))
      exit(1)
    }
  }

  private static func check() -> Int32 {
    do {
      return try Check(CommandLine.arguments.dropFirst(2)).run()
    } catch {
      let sentence = (error as? Misuse)?.sentence ?? "\(error)"
      FileHandle.standardError.write(Data("\(sentence)\n\n\(Check.usage)\n".utf8))
      return 2
    }
  }

  /// Returns whether every result was right.
  private static func run(_ plan: Plan) throws -> Bool {
    var plan = plan
    let earlier = try plan.earlier()
    let scratch = try Scratch(plan.directory)
    defer { try? scratch.finish() }

    var runner = Runner(plan: plan)
    var all: [Measurement] = []
    var report = ""
    var pictures: [Pictures] = []
    for name in plan.suites {
      let suite = suite(name, plan, scratch)
      if earlier == nil { try runner.run(suite) { try write($0, to: plan.json) } }
      let measurements = (earlier ?? runner.measurements).filter { $0.suite == name }
      all += measurements
      report += SuiteReport(suite, measurements, plan).markdown
      pictures.append(Pictures(suite, measurements, plan))
    }

    print(report, terminator: "")
    if let file = plan.markdown { try Data(report.utf8).write(to: URL(filePath: file)) }
    try write(all, to: plan.json)
    if let folder = plan.pictures { for pictures in pictures { try pictures.write(to: folder) } }
    return all.allSatisfy(\.isChecked)
  }

  private static func write(_ measurements: [Measurement], to file: String?) throws {
    if let file { try Data(JSONReport.text(measurements).utf8).write(to: URL(filePath: file)) }
  }

  private static func suite(_ name: String, _ plan: Plan, _ scratch: Scratch) -> any Suite {
    switch name {
    case "engine": EngineSuite(EngineRegistry.engines, plan: plan, scratch: scratch)
    case "rows": RowsSuite(EngineRegistry.libraries, scratch: scratch)
    case "objects": ObjectsSuite(EngineRegistry.objects, scratch: scratch)
    default: preconditionFailure("the suite \(name) is listed and not made")
    }
  }
}
