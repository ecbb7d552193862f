internal import RoostPages

/// The numbers of the arsenal over rows. They use one seed in three of each number.
package enum RowTrials {
  /// Whether a seed belongs to rows. Two workers that take every second seed each get equally many.
  static func takes(_ seed: UInt64) -> Bool { (seed &+ 1) / 2 % 3 == 1 }

  static func crashes(_ seed: UInt64, _ record: TortureRecord) {
    let before = record.count
    let sweep = RowCrashSweep(RowScenario(seed), seed: seed, record)
    // An image of rows costs as much as several of keys.
    sweep.stride = 2
    sweep.run()
    record.note("crash points of rows", sweep.points)
    record.note("images of rows", record.count - before)
  }

  static func nested(_ seed: UInt64, _ record: TortureRecord) {
    let before = record.count
    let sweep = RowCrashSweep(RowScenario(seed, actions: 6, changes: 6), seed: seed, record)
    sweep.depth = 3
    sweep.countsFrom = 2
    sweep.stride = 29
    sweep.nestedStride = 11
    sweep.checksOrder = false
    sweep.policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0)
    sweep.run()
    record.note("images of rows", record.count - before)
  }

  static func faults(_ seed: UInt64, _ record: TortureRecord) {
    let before = record.count
    let sweep = RowFaultSweep(RowScenario(seed, actions: 6, changes: 6), seed: seed, record)
    sweep.stride = 4
    sweep.run()
    record.note("faulty runs of rows", record.count - before)
  }

  package static func model(_ seed: UInt64, _ record: TortureRecord, actions: Int = 100, changes: Int = 300) {
    var scenario = RowScenario(seed &+ 40_000, actions: actions, changes: changes)
    scenario.largeOneIn = 40
    scenario.options.draftBytes? *= 16
    scenario.options.logBytes *= 8
    model(seed, record, scenario: scenario)
  }

  static func model(_ seed: UInt64, _ record: TortureRecord, scenario: RowScenario) {
    let play = RowPlay(scenario)
    play.trace = record.trace
    record.place(seed, 0, image: "rows")
    play.open()
    play.begin()
    for (index, action) in scenario.actions.enumerated() {
      record.place(seed, index, image: "rows")
      play.run(action)
      if index % 10 == 9 { play.examine() }
      if let failure = play.failures.first { return record.fail(seed: seed, step: index, failure) }
    }
    play.examine()
    play.close()
    play.open()
    for failure in play.failures { record.fail(seed: seed, failure) }
    record.count += play.changes
    record.note("changes of rows", play.changes)
    play.abandon()
  }
}
