package import RoostFile
internal import RoostPages
internal import RoostRecords

/// Plays a scenario of rows, stops the machine after its calls, and checks the result of each
/// crash.
package final class RowCrashSweep {
  private struct Point {
    var crash: CrashPoint
    var past: RowPast
    var trail: String
    var depth: Int
  }

  private let seed: UInt64
  private let scenario: RowScenario
  private let record: TortureRecord
  private var waiting: [Point] = []
  package var policy = CrashPolicy.brief
  /// The number of calls between crash points.
  package var stride = 1
  /// The number of consecutive crashes; 1 checks the result of one crash.
  package var depth = 1
  package var nestedPolicy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 1, randoms: 1, garbage: 0)
  package var nestedStride = 3
  package var checksOrder = true
  /// The first depth at which images are counted.
  package var countsFrom = 1
  package var wrap: ((SimulatedFileSystem) -> any FileSystem)?
  package private(set) var points = 0
  private var examined = 0
  private var rewind = RowRewind()
  private var play: RowPlay?

  package init(_ scenario: RowScenario, seed: UInt64, _ record: TortureRecord) {
    self.scenario = scenario
    self.seed = seed
    self.record = record
  }

  package func run() {
    let play = RowPlay(scenario, wrap: wrap)
    self.play = play
    play.trace = record.trace
    if checksOrder {
      play.order = OrderChecker(play.fileSystem, path: RowPlay.path, segmentBytes: scenario.options.segmentBytes)
    }
    play.onStep = { [unowned self, unowned play] step, past in
      record.trace?("\(step)   begun \(past.begun), promised \(past.promised)")
      guard step.number % stride == 0, record.wants(step: step.number) else { return }
      points += 1
      waiting.append(Point(crash: play.fileSystem.crashPoint(), past: past, trail: "", depth: 1))
    }
    record.place(seed, 0, image: "rows")
    play.run {
      let step = play.fileSystem.step
      for failure in play.failures { record.fail(seed: seed, step: step, failure) }
      for complaint in play.order?.takeComplaints() ?? [] { record.fail(seed: seed, step: step, complaint) }
      drain()
      record.place(seed, play.fileSystem.step, image: "rows")
    }
    play.examine()
    play.close()
    for failure in play.failures where record.failures.isEmpty { record.fail(seed: seed, failure) }
    drain()
    play.onStep = nil
    play.abandon()
    self.play = nil
  }

  private func drain() {
    while let point = waiting.popLast() {
      if record.isFull { return waiting = [] }
      var policy = point.depth == 1 ? policy : nestedPolicy
      policy.seed = seed &+ UInt64(point.crash.step)
      for choice in point.crash.choices(policy) {
        let name = point.trail + choice.description
        if let only = record.onlyImage, !only.hasPrefix(name) { continue }
        examine(point, choice, name: name)
      }
    }
  }

  /// Opens the result of the crash, compares it, verifies it, commits once more, and reopens.
  private func examine(_ point: Point, _ choice: CrashChoice, name: String) {
    record.place(seed, point.crash.step, image: name)
    let image = point.crash.image(choice)
    image.recordsSteps = false
    if point.depth < depth {
      image.onStep = { [unowned self, unowned image] step in
        guard step.number % nestedStride == 0 else { return }
        waiting.append(
          Point(
            crash: image.crashPoint(), past: point.past, trail: name + "@\(step.number)/", depth: point.depth + 1))
      }
    }
    defer { image.onStep = nil }
    if point.depth >= countsFrom { record.count += 1 }
    func fail(_ sentence: String) { record.fail(seed: seed, step: point.crash.step, image: name, sentence) }
    do {
      let store = try RecordStore(RowPlay.path, options: scenario.options, fileSystem: image)
      examined += 1
      let closes = examined % 8 == 0
      defer {
        if !closes { image.stopAfter(step: 0) }
        try? store.close()
      }
      let (commit, state, chronicle) = try store.read { ($0.commit, try RowState($0), try RowChronicle.digest($0)) }
      image.onStep = nil
      if let complaint = point.past.complaint(commit, state) { return fail(complaint) }
      // The history of a commit in flight at the crash was noted later.
      let told = play?.past.chronicles ?? []
      if Int(commit) < told.count, let right = told[Int(commit)], right != chronicle {
        return fail("commit \(commit): the history is not what it was")
      }
      let findings = try RowAudit.findings(store)
      if !findings.isEmpty { return fail(findings.prefix(5).map(\.description).joined(separator: "; ")) }
      let model = point.past.models[Int(commit)]
      if model.isFull, examined % 4 == 0, commit > 0 {
        if let complaint = try store.read({ try RowChronicle.complaint($0, model.state) }) { return fail(complaint) }
      }
      if commit > 0, examined % 8 == 3 {
        let former = Int((seed &+ UInt64(examined)) % commit)
        if let complaint = try rewind.complaint(store, commit: former, point.past.models[former].state) {
          return fail(complaint)
        }
      }
      if let complaint = try goOn(store, image, model: model, commit: commit) { fail(complaint) }
    } catch { fail("\(error)") }
  }

  /// Makes one more commit and another crash, and checks the result.
  private func goOn(
    _ store: RecordStore, _ image: SimulatedFileSystem, model: RowModel, commit: UInt64
  ) throws -> String? {
    if model.state.catalog.isEmpty { return nil }
    var model = model
    try store.write { writer in
      var changes = RowChanges(base: commit, generator: SplitMix64(seed: seed &+ commit))
      try changes.carryOut(2, writer, model: &model)
      // So that something changes in any case.
      try writer.table("Owner").insert(["name": .string("more")])
      _ = model.insert("Owner", ["name": .string("more")])
      model.state.catalog = writer.catalog.encoded
    }
    let last = image.crashImage(.none)
    let again = try RecordStore(RowPlay.path, options: scenario.options, fileSystem: last)
    defer {
      last.stopAfter(step: 0)
      try? again.close()
    }
    let (found, state) = try again.read { ($0.commit, try RowState($0)) }
    if found != commit + 1 { return "after one more commit and a crash: commit \(found) where \(commit + 1) is right" }
    return state.difference(from: model.state).map { "after one more commit and a crash: \($0)" }
  }
}
