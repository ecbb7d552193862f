package import RoostFile
internal import RoostKV
package import RoostPages

/// Plays a scenario, stops the machine after its calls, and checks the result of each crash.
package final class CrashSweep {
  private struct Point {
    var crash: CrashPoint
    var history: History
    /// Whether a copy of the store was being made, which is then checked too.
    var wasCopying: Bool
    /// The preceding crashes.
    var trail: String
    var depth: Int
  }

  private let seed: UInt64
  private let record: TortureRecord
  private var options: StoreOptions
  private var waiting: [Point] = []
  package var policy = CrashPolicy.brief
  /// The number of calls between crash points.
  package var stride = 1
  /// The number of consecutive crashes; 1 checks the result of one crash.
  package var depth = 1
  /// The images that are examined for a crash inside recovery.
  package var nestedPolicy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 1, randoms: 1, garbage: 0)
  package var nestedStride = 3
  /// Whether the order of writes is checked.
  package var checksOrder = true
  /// The first depth at which images are counted.
  package var countsFrom = 1
  /// Whether only the calls of the last action are crash points.
  package var beginsAtLast = false
  package var wrap: ((SimulatedFileSystem) -> any FileSystem)?
  package var points = 0
  /// The number of images in which a copy of the store was being made.
  package private(set) var copies = 0
  private var isArmed = true
  private var examined = 0

  package init(_ options: StoreOptions, seed: UInt64, _ record: TortureRecord) {
    self.options = options
    self.seed = seed
    self.record = record
  }

  package func run(_ scenario: Scenario) {
    let play = Play(options, wrap: wrap)
    if checksOrder {
      play.order = OrderChecker(play.fileSystem, path: Play.path, segmentBytes: options.segmentBytes)
    }
    play.onStep = { [unowned self, unowned play] step, history in
      record.trace?("\(step)   begun \(history.begun), promised \(history.promised)")
      guard isArmed, step.number % stride == 0, record.wants(step: step.number) else { return }
      points += 1
      waiting.append(
        Point(
          crash: play.fileSystem.crashPoint(), history: history, wasCopying: play.isCopying, trail: "", depth: 1))
    }
    record.place(seed, 0, image: "play")
    // The store is opened first, and then each action runs.
    var left = scenario.actions.count
    isArmed = !beginsAtLast || left <= 1
    play.run(scenario) {
      left -= 1
      isArmed = !beginsAtLast || left <= 0
      let step = play.fileSystem.step
      for failure in play.failures { record.fail(seed: seed, step: step, failure) }
      for complaint in play.order?.takeComplaints() ?? [] { record.fail(seed: seed, step: step, complaint) }
      drain()
      record.place(seed, play.fileSystem.step, image: "play")
    }
    play.close()
    for failure in play.failures where record.failures.isEmpty { record.fail(seed: seed, failure) }
    record.note("superblocks watched", play.order?.examined ?? 0)
    drain()
    play.onStep = nil
    play.abandon()
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

  /// Opens the result of the crash, compares it, commits once more, and reopens.
  private func examine(_ point: Point, _ choice: CrashChoice, name: String) {
    record.place(seed, point.crash.step, image: name)
    let image = point.crash.image(choice)
    image.recordsSteps = false
    if point.depth < depth {
      image.onStep = { [unowned self, unowned image] step in
        guard step.number % nestedStride == 0 else { return }
        waiting.append(
          Point(
            crash: image.crashPoint(), history: point.history, wasCopying: false,
            trail: name + "@\(step.number)/", depth: point.depth + 1))
      }
    }
    defer { image.onStep = nil }
    if point.depth >= countsFrom { record.count += 1 }
    func fail(_ sentence: String) { record.fail(seed: seed, step: point.crash.step, image: name, sentence) }
    do {
      let store = try KeyValueStore(Play.path, options: options, fileSystem: image)
      // A clean close costs more than all the rest, so most are skipped. The scenarios themselves
      // close often.
      examined += 1
      let closes = examined % 8 == 0
      defer {
        if !closes { image.stopAfter(step: 0) }
        try? store.close()
      }
      let (commit, digest) = try store.digest()
      image.onStep = nil
      if let complaint = point.history.complaint(commit: commit, digest: digest) {
        var sentence = complaint
        if commit <= UInt64(point.history.begun) {
          sentence += ": " + (try store.model().difference(from: point.history.models[Int(commit)]))
        }
        return fail(sentence)
      }
      let findings = try Audit.findings(store)
      if !findings.isEmpty { return fail(findings.prefix(5).joined(separator: "; ")) }
      if point.wasCopying {
        copies += 1
        if let complaint = point.history.complaint(copy: try Play.copy(in: image, options)) { return fail(complaint) }
      }
      if let complaint = try goOn(store, image, model: point.history.models[Int(commit)], commit: commit) {
        fail(complaint)
      }
    } catch { fail("\(error)") }
  }

  /// Makes one more commit and another crash, and checks the result.
  private func goOn(
    _ store: KeyValueStore, _ image: SimulatedFileSystem, model: Model, commit: UInt64
  ) throws -> String? {
    var model = model
    try store.write { writer in
      let place = Change.Place(isTable: false, number: 0)
      try Change.put(place, key: 1, Change.Value(length: 300, seed: commit)).carryOut(writer, &model)
    }
    let last = image.crashImage(.none)
    let again = try KeyValueStore(Play.path, options: options, fileSystem: last)
    defer {
      last.stopAfter(step: 0)
      try? again.close()
    }
    let (found, digest) = try again.digest()
    if found == commit + 1 && digest == model.digest { return nil }
    return "after one more commit and a crash: commit \(found) where \(commit + 1) is right"
  }
}
