import Foundation

/// The tables of one suite: medians and ratios for each size, then growth, then the descriptions of
/// operations and engines.
struct SuiteReport {
  private let suite: any Suite
  private let measurements: [Measurement]
  private let plan: Plan
  private let engines: [String]

  init(_ suite: any Suite, _ measurements: [Measurement], _ plan: Plan) {
    self.suite = suite
    self.measurements = measurements
    self.plan = plan
    engines = suite.engines.map(\.name).filter { name in
      plan.wantsEngine(name) && measurements.contains { $0.engine == name }
    }
  }

  var markdown: String {
    var text = "# Suite `\(suite.name)`\n\nMilliseconds, medians of \(runs) runs, engines in turn,"
    text += " \(ProcessInfo.processInfo.activeProcessorCount) processors."
    text += " After ± is how far the run farthest from the median is from it.\n"
    for size in plan.sizes {
      text += section("\(Figures.grouped(size)) entries", operations.filter { $0.isDone(at: size) }, size: size)
    }
    text += section("Fixed numbers of entries", operations.filter { $0.fixedSize != nil }, size: nil)
    if suite.name == "objects" { text += goals }
    text += written
    text += growth
    text += legend
    return text
  }

  /// `5`, or `5, 5 and 1` if sizes differ.
  private var runs: String {
    var runs = plan.sizes.map { size in
      measurements.filter { $0.size == size }.map(\.milliseconds.count).max() ?? 0
    }
    if runs.isEmpty { runs = [measurements.map(\.milliseconds.count).max() ?? 0] }
    if Set(runs).count == 1 { return "\(runs[0])" }
    return runs.dropLast().map(String.init).joined(separator: ", ") + " and \(runs[runs.count - 1])"
  }

  private var operations: [Operation] {
    suite.operations.filter { plan.wantsOperation($0.name) }
  }

  private func peers(_ engines: [String]) -> [String] {
    engines.contains(EngineRegistry.subject) ? engines.filter { $0 != EngineRegistry.subject } : []
  }

  // MARK: Medians

  /// Other sizes may have been measured with more engines, and more operations.
  private func section(_ title: String, _ operations: [Operation], size: Int?) -> String {
    func find(_ operation: Operation, _ engine: String) -> Measurement? {
      measurement(operation.name, engine, size ?? operation.fixedSize!)
    }
    let engines = engines.filter { engine in operations.contains { find($0, engine) != nil } }
    let peers = peers(engines)
    var table = MarkdownTable(["op"] + engines + peers.map { "\(EngineRegistry.subject)/\($0)" })
    for operation in operations where engines.contains(where: { find(operation, $0) != nil }) {
      table.add(
        [operation.name] + engines.map { cell(find(operation, $0)) }
          + ratios(peers) { find(operation, $0)?.result })
    }
    if let size, let row = readerScaling(engines, size) { table.add(row) }
    return table.isEmpty ? "" : "\n## \(title)\n\n\(table.text)"
  }

  /// The median and the spread; a dash if nothing was measured.
  private func cell(_ measurement: Measurement?) -> String {
    guard let measurement else { return "–" }
    guard let median = measurement.result else { return "failed" }
    let figure = Figures.milliseconds(median)
    return measurement.spread.map { "\(figure) ±\(Int(($0 * 100).rounded()))%" } ?? figure
  }

  /// The subject's time divided by each peer's: below one, the subject is quicker.
  private func ratios(_ peers: [String], _ time: (String) -> Double?) -> [String] {
    peers.map { peer in
      guard let own = time(EngineRegistry.subject), let other = time(peer), other > 0 else { return "" }
      return Figures.ratio(own / other)
    }
  }

  /// The throughput of two readers divided by that of one.
  private func readerScaling(_ engines: [String], _ size: Int) -> [String]? {
    let gains = engines.map { engine -> Double? in
      guard let one = result(EngineOperation.readers1.rawValue, engine, size),
        let two = result(EngineOperation.readers2.rawValue, engine, size)
      else { return nil }
      return 2 * one / two
    }
    guard gains.contains(where: { $0 != nil }) else { return nil }
    return ["two readers' throughput over one's"] + gains.map { $0.map(Figures.ratio) ?? "" }
      + peers(engines).map { _ in "" }
  }

  private func result(_ operation: String, _ engine: String, _ size: Int) -> Double? {
    measurement(operation, engine, size)?.result
  }

  private func measurement(_ operation: String, _ engine: String, _ size: Int) -> Measurement? {
    measurements.first { $0.operation == operation && $0.engine == engine && $0.size == size }
  }

  // MARK: Goals

  private var goals: String {
    let goals = Goals { [self] name, engine, size in
      let fixed = operations.first { $0.name == name }?.fixedSize
      return result(name, engine, fixed ?? size)
    }
    let table = goals.table(plan.sizes)
    if table.isEmpty { return "" }
    return """

      ## Goals

      Ratios, Roost's figure over the peer's. An operation with a fixed number of entries has the same in each column.

      \(table)
      """
  }

  // MARK: Bytes

  /// The bytes that each engine wrote, for operations in which any of them wrote more than a
  /// progress line.
  private var written: String {
    var table = MarkdownTable(["op, entries"] + engines)
    for operation in operations {
      for size in operation.fixedSize.map({ [$0] }) ?? plan.sizes.filter(operation.isDone) {
        let megabytes = engines.map { engine in
          measurement(operation.name, engine, size).flatMap { $0.result == nil ? nil : $0.writtenMegabytes }
        }
        guard megabytes.contains(where: { $0 ?? 0 >= 0.01 }) else { continue }
        table.add(
          ["\(operation.name), \(Figures.grouped(size))"] + megabytes.map { $0.map(Figures.milliseconds) ?? "–" })
      }
    }
    guard !table.isEmpty else { return "" }
    return """

      ## Written

      Megabytes (10⁶ bytes) handed to the system by all calls that were timed, of the last run: the log and what was checkpointed in that time.

      \(table.text)
      """
  }

  // MARK: Growth

  /// The exponent e of time ~ n^e, between neighbouring sizes.
  private var growth: String {
    guard plan.sizes.count > 1 else { return "" }
    let steps = Array(zip(plan.sizes, plan.sizes.dropFirst()))
    var table = MarkdownTable(
      ["op, engine"] + plan.sizes.map { Figures.grouped($0) }
        + steps.map { "\(Figures.grouped($0))–\(Figures.grouped($1))" })
    for operation in operations where operation.fixedSize == nil && operation.onlySize == nil {
      for engine in engines where suite.takesPart(engine, in: operation.name) {
        let times = plan.sizes.map { result(operation.name, engine, $0) }
        let exponents = steps.indices.map { step -> String in
          guard let before = times[step], let after = times[step + 1], before > 0 else { return "" }
          let exponent = log(after / before) / log(Double(steps[step].1) / Double(steps[step].0))
          return String(format: "%.2f", exponent)
        }
        table.add(
          ["\(operation.name), \(engine)"] + times.map { $0.map(Figures.milliseconds) ?? "–" } + exponents)
      }
    }
    guard !table.isEmpty else { return "" }
    return "\n## Growth\n\nThe last columns are e in time ~ n^e: 1 is linear.\n\n\(table.text)"
  }

  // MARK: Legend

  private var legend: String {
    var text = "\n## Operations\n\n"
    for operation in operations {
      text += "- `\(operation.name)`: \(operation.work)\n"
    }
    text += "\n## Engines\n\n"
    for engine in suite.engines where engines.contains(engine.name) {
      text += "- `\(engine.name)`: \(engine.note)\n"
    }
    return text
  }
}
