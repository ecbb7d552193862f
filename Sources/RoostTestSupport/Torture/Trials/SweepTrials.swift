internal import RoostFile
internal import RoostKV
internal import RoostPages

extension Trial {
  /// Trial 1: random work, stopped after every call.
  package static let crashes = Trial(1, "crash everywhere", unit: "images", quota: 60_000) { seed, record in
    if RowTrials.takes(seed) { return RowTrials.crashes(seed, record) }
    let closes = movesAtClose(seed)
    let scenario = closes ? Scenario.holed(seed) : .random(seed)
    let sweep = CrashSweep(scenario.options, seed: seed, record)
    sweep.beginsAtLast = closes
    sweep.run(scenario)
    record.note("crash points", sweep.points)
    record.note("images while a copy was made", sweep.copies)
  }

  /// Whether the close of this seed's store moves pages.
  private static func movesAtClose(_ seed: UInt64) -> Bool { seed % 12 == 5 }

  /// Trial 4: every call of 40 workloads fails in every way.
  package static let faults = Trial(4, "errors of input and output", unit: "faulty runs", quota: 10_500) {
    seed, record in
    if RowTrials.takes(seed) { return RowTrials.faults(seed, record) }
    let sweep = FaultSweep(movesAtClose(seed) ? .holed(seed) : .short(seed), seed: seed, record)
    // Each call of 40 workloads fails in a third of the ways; the seed chooses them.
    sweep.stride = 3
    sweep.run()
  }

  /// Trial 3: crashes inside the recovery from crashes, three deep.
  package static let nested = Trial(3, "crash inside recovery", unit: "nested images", quota: 8_000) { seed, record in
    if RowTrials.takes(seed) { return RowTrials.nested(seed, record) }
    let scenario = Scenario.short(seed &+ 5_000)
    let sweep = CrashSweep(scenario.options, seed: seed, record)
    sweep.depth = 3
    sweep.countsFrom = 2
    sweep.stride = 7
    sweep.checksOrder = false
    sweep.policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0)
    sweep.run(scenario)
  }

  /// Trial 5: only the order checker, over many scenarios. Trials 1, 2 and 4 also use it.
  package static let order = Trial(5, "order of writes", unit: "superblocks", quota: 4_000) { seed, record in
    let scenario = Scenario.random(seed &+ 9_000)
    record.place(seed, 0, image: "play")
    let play = Play(scenario.options)
    let order = OrderChecker(play.fileSystem, path: Play.path, segmentBytes: scenario.options.segmentBytes)
    play.order = order
    play.run(scenario)
    play.close()
    for failure in play.failures + order.takeComplaints() { record.fail(seed: seed, failure) }
    record.count += order.examined
    record.note("calls", play.fileSystem.step)
  }

  /// Trial 6: long random work, compared with the model, with held readers and examinations.
  package static let model = Trial(6, "model", unit: "operations", quota: 1_200_000) { seed, record in
    if RowTrials.takes(seed) { return RowTrials.model(seed, record) }
    random(seed, record, actions: 60, changes: 500, keys: 2500)
  }

  package static func random(_ seed: UInt64, _ record: TortureRecord, actions: Int, changes: Int, keys: Int) {
    var shape = Scenario.Shape()
    shape.actions = actions
    shape.changes = changes
    shape.keys = keys
    shape.trees = 3
    shape.largeOneIn = 60
    shape.namedOneIn = 6
    var scenario = Scenario.random(seed &+ 20_000, shape)
    // With few drafts, each operation writes some early. That is slow, so it is used only
    // sometimes.
    scenario.options.draftBytes? *= seed % 4 == 0 ? 4 : 64
    scenario.options.logBytes *= 8
    if seed % 2 == 0 { scenario.options.cacheBytes = 4 << 20 }
    let play = Play(scenario.options)
    record.place(seed, 0, image: "play")
    play.open()
    for (index, action) in scenario.actions.enumerated() {
      record.place(seed, index, image: "action")
      play.run(action)
      record.count += action.operations
      if index % 12 == 11 { play.examine() }
      for failure in play.failures { return record.fail(seed: seed, step: index, failure) }
    }
    play.examine()
    play.close()
    play.open()
    for failure in play.failures { record.fail(seed: seed, failure) }
    play.abandon()
  }

  /// Trial 2: every sequence of up to three operations, stopped at every call of its last one.
  ///
  /// The calls before the last operation belong to a shorter sequence.
  package static let exhaustive = Trial(2, "small and exhaustive", unit: "sequences", cases: 1_884) {
    index, seed, record in
    guard let sequence = sequence(index) else { return }
    record.count += 1
    let scenario = Scenario.small(sequence)
    let inner = TortureRecord(test: 2)
    inner.onPlace = record.onPlace
    inner.onlyStep = record.onlyStep
    inner.onlyImage = record.onlyImage
    let sweep = CrashSweep(scenario.options, seed: seed, inner)
    sweep.policy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 1, randoms: 1, garbage: 1)
    sweep.beginsAtLast = true
    sweep.run(scenario)
    record.note("images", inner.count)
    for failure in inner.failures {
      record.fail(seed: seed, step: failure.step, image: failure.image, "\(sequence): \(failure.sentence)")
    }
  }

  /// The digits of a sequence, by its number from 0; nil after the last of the 1,884.
  static func sequence(_ number: Int) -> [Int]? {
    var rest = number
    for length in 1...3 {
      let count = [12, 144, 1728][length - 1]
      if rest < count {
        return (0..<length).map { place in rest / [1, 12, 144][length - 1 - place] % 12 }
      }
      rest -= count
    }
    return nil
  }
}

extension Scenario {
  /// The alphabet of trial 2.
  static func small(_ sequence: [Int]) -> Scenario {
    let tree = Change.Place(isTable: false, number: 0)
    let table = Change.Place(isTable: true, number: 0)
    func put(_ key: Int, _ length: Int) -> Change {
      .put(tree, key: key, Change.Value(length: length, seed: UInt64(key)))
    }
    let alphabet: [Action] = [
      .write([put(1, 30)], .full, abandons: false),
      .write([put(2, 200), .put(table, key: 2, Change.Value(length: 9, seed: 2))], .relaxed, abandons: false),
      .write([put(3, 5000)], .full, abandons: false),
      .write([.remove(tree, key: 1)], .full, abandons: false),
      .write([.removeRange(tree, low: 0, high: nil)], .full, abandons: false),
      .write([put(4, 60), .savepoint([put(5, 3000), .drop(tree)], fails: true)], .full, abandons: false),
      .checkpoint,
      .reopen,
      .write([.drop(tree)], .full, abandons: false),
      .write([.make(tree), .rename(tree, 1)], .relaxed, abandons: false),
      .write([put(6, 9000), .remove(tree, key: 3)], .full, abandons: true),
      .write((10..<34).map { put($0, 90) }, .full, abandons: false),
    ]
    var scenario = Scenario()
    var generator = SplitMix64(seed: UInt64(sequence.reduce(1) { $0 * 12 + $1 }))
    scenario.options = options(&generator)
    scenario.options.fanoutLimit = 4
    scenario.options.segmentBytes = 4096
    scenario.actions = sequence.map { alphabet[$0] }
    return scenario
  }
}

extension Scenario.Action {
  /// The number of changes in it, including those inside savepoints.
  var operations: Int {
    if case .write(let changes, _, _) = self { changes.reduce(0) { $0 + $1.operations } } else { 1 }
  }
}

extension Change {
  var operations: Int {
    switch self {
    case .savepoint(let changes, _): changes.reduce(1) { $0 + $1.operations }
    case .build(_, let keys, _, _): keys.count
    default: 1
    }
  }
}
