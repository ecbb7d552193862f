import Foundation

/// Measures Roost beside its peers, checks every result, and prints tables of medians.
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
    let scratch = try Scratch(plan.directory)
    defer { try? scratch.finish() }

    var runner = Runner(plan: plan)
    var report = ""
    var pictures: [Pictures] = []
    for name in plan.suites {
      let suite = suite(name, plan, scratch)
      try runner.run(suite)
      let measurements = runner.measurements.filter { $0.suite == name }
      report += SuiteReport(suite, measurements, plan).markdown
      pictures.append(Pictures(suite, measurements, plan))
    }

    print(report, terminator: "")
    if let file = plan.markdown { try Data(report.utf8).write(to: URL(filePath: file)) }
    if let file = plan.json { try Data(JSONReport.text(runner.measurements).utf8).write(to: URL(filePath: file)) }
    if let folder = plan.pictures { for pictures in pictures { try pictures.write(to: folder) } }
    return runner.measurements.allSatisfy(\.isChecked)
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
