import RoostFile
import RoostPages
import RoostRecords
import RoostTestSupport
import Testing

/// A few seconds of the numbers of the torture over rows; `roost-torture ci` runs the rest. See
/// Docs/TESTING.md.
@Suite struct RowTortureTests {
  private func check(_ record: TortureRecord, _ seed: UInt64) {
    for failure in record.failures.prefix(3) { Issue.record("seed \(seed): \(failure)") }
    #expect(record.count > 0, "seed \(seed) examined nothing")
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>) func `rows agree with a plain model`(seed: UInt64) {
    let record = TortureRecord(test: 6)
    RowTrials.model(seed, record, actions: 40, changes: 40)
    check(record, seed)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a crash after any call loses no row that was acknowledged`(seed: UInt64) {
    let record = TortureRecord(test: 1)
    let sweep = RowCrashSweep(RowScenario(seed, actions: 6, changes: 8), seed: seed, record)
    sweep.stride = 13
    sweep.run()
    check(record, seed)
  }

  @Test(arguments: [4, 5] as [UInt64]) func `a crash inside the recovery of rows is a crash like any other`(
    seed: UInt64
  ) {
    let record = TortureRecord(test: 3)
    let sweep = RowCrashSweep(RowScenario(seed, actions: 3, changes: 6), seed: seed, record)
    sweep.depth = 3
    sweep.stride = 41
    sweep.nestedStride = 29
    sweep.policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0)
    sweep.run()
    check(record, seed)
  }

  @Test(arguments: [1, 2] as [UInt64]) func `an error of a call loses no row`(seed: UInt64) {
    let record = TortureRecord(test: 4)
    let sweep = RowFaultSweep(RowScenario(seed, actions: 3, changes: 6), seed: seed, record)
    sweep.stride = 90
    sweep.run()
    check(record, seed)
  }

  @Test(arguments: [1, 5] as [UInt64]) func `damage of rows is a typed error or has no effect`(seed: UInt64) {
    let record = TortureRecord(test: 9)
    RowTrials.damage(seed, record, rounds: 60)
    check(record, seed)
  }

  #if DEBUG
    @Test(arguments: 0..<RowTrials.omissions.count) func `omissions of the floor of rows are noticed`(place: Int) {
      let record = TortureRecord(test: 17)
      RowTrials.omit(place, 1, record: record)
      check(record, 1)
    }
  #endif

  @Test(arguments: [1, 2] as [UInt64]) func `changed bytes of rows end no process`(seed: UInt64) {
    let record = TortureRecord(test: 11)
    RowTrials.decoders(seed, record, rounds: 500, openings: 30)
    check(record, seed)
  }
}
