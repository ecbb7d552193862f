import RoostFile
import RoostKV
import RoostPages
import RoostTestSupport
import Testing

/// A few seconds of each trial of the torture; `roost-torture ci` runs the rest. See
/// Docs/TESTING.md.
@Suite struct TortureTests {
  private func record(_ number: Int) -> TortureRecord { TortureRecord(test: number) }

  private func check(_ record: TortureRecord, _ seed: UInt64) {
    for failure in record.failures.prefix(3) { Issue.record("seed \(seed): \(failure)") }
    #expect(record.count > 0, "seed \(seed) examined nothing")
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a crash after any call loses nothing that was acknowledged`(seed: UInt64) {
    let record = record(1)
    let scenario = Scenario.short(seed, actions: 8)
    let sweep = CrashSweep(scenario.options, seed: seed, record)
    sweep.stride = 3
    sweep.run(scenario)
    check(record, seed)
  }

  @Test(arguments: [5, 17] as [UInt64]) func `a crash while a close moves pages loses nothing`(seed: UInt64) {
    let record = record(1)
    let scenario = Scenario.holed(seed)
    let play = Play(scenario.options)
    var sizes: [Int] = []
    play.run(scenario) { sizes.append(play.fileSystem.contents(of: Play.path)?.count ?? 0) }
    #expect(play.failures == [])
    play.abandon()
    #expect(sizes[sizes.count - 1] < sizes[sizes.count - 2] * 2 / 3)
    let sweep = CrashSweep(scenario.options, seed: seed, record)
    sweep.beginsAtLast = true
    sweep.stride = 4
    sweep.run(scenario)
    check(record, seed)
  }

  @Test func `an error while a close moves pages loses nothing`() {
    let record = record(4)
    let sweep = FaultSweep(.holed(5), seed: 5, record)
    sweep.stride = 150
    sweep.run()
    check(record, 5)
  }

  @Test(arguments: [11, 12] as [UInt64]) func `a crash inside recovery is a crash like any other`(seed: UInt64) {
    let record = record(3)
    let scenario = Scenario.short(seed, actions: 4)
    let sweep = CrashSweep(scenario.options, seed: seed, record)
    sweep.depth = 3
    sweep.stride = 11
    sweep.nestedStride = 7
    sweep.policy = CrashPolicy(exhaustiveUpTo: 1, ofEach: 1, randoms: 1, garbage: 0)
    sweep.run(scenario)
    check(record, seed)
  }

  @Test(arguments: [1, 2] as [UInt64]) func `an error of a call loses nothing and stops what must stop`(seed: UInt64) {
    let record = record(4)
    let sweep = FaultSweep(.short(seed, actions: 4), seed: seed, record)
    sweep.stride = 12
    sweep.run()
    check(record, seed)
  }

  @Test(arguments: [1, 2] as [UInt64]) func `writes keep their order`(seed: UInt64) {
    let record = record(5)
    Trial.order.run(seed, record)
    check(record, seed)
  }

  @Test(arguments: [1, 2] as [UInt64]) func `long random work agrees with a plain model`(seed: UInt64) {
    let record = record(6)
    Trial.random(seed, record, actions: 25, changes: 80, keys: 500)
    check(record, seed)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a flipped bit in a page that exists once is repaired in memory, in the file and in a copy`(seed: UInt64) {
    let record = record(19)
    RowTrials.flipSingles(seed, record, draws: 12)
    check(record, seed)
  }

  @Test(arguments: [1, 5] as [UInt64]) func `damage is a typed error or has no effect`(seed: UInt64) {
    let record = record(9)
    Trial.strikes(seed, record, rounds: 120) { _ in }
    check(record, seed)
  }

  @Test(arguments: [1, 2] as [UInt64]) func `a foreign file is a typed error`(seed: UInt64) {
    let record = record(10)
    Trial.strangers(seed, record, rounds: 60)
    check(record, seed)
  }

  @Test(arguments: [1, 2] as [UInt64]) func `a crowd sees one sum`(seed: UInt64) throws {
    let folder = try ScratchFolder()
    let simulated = SimulatedFileSystem()
    simulated.recordsSteps = false
    let crowd =
      seed == 1
      ? try Crowd(folder.file("a.roost"), DiskFileSystem.shared, seed: seed) : try Crowd("/a", simulated, seed: seed)
    let (failures, transactions) = crowd.run(readers: 2, rounds: 25)
    #expect(failures == [])
    #expect(transactions > 200)
  }

  @Test(arguments: [4, 5] as [UInt64]) func `no forbidden order of events occurs`(seed: UInt64) throws {
    let simulated = SimulatedFileSystem()
    simulated.recordsSteps = false
    let race = try Race("/a.roost", simulated, seed: seed)
    let (failures, transactions) = race.run(rounds: 12)
    #expect(failures == [])
    #expect(transactions > 30)
    #expect(race.jostle.meetingCount > 10)
  }

  @Test(arguments: [1, 9, 40] as [UInt64]) func `a full disk is an error, and then there is room again`(seed: UInt64) {
    let record = record(13)
    Trial.fullDisk.run(seed, record)
    check(record, seed)
  }

  #if DEBUG
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7] as [UInt64]) func `a broken engine is noticed`(seed: UInt64) {
      let record = record(17)
      Trial.sabotage.run(seed, record)
      check(record, seed)
    }
  #endif
}

/// The rules that decide whether a trial passes.
@Suite struct TortureQuotaTests {
  /// Before the fix, two trials took the seed for the case's number. With a large first seed one
  /// did nothing and the other failed, so a soak never ran them, and the first one reported "ok".
  @Test(arguments: [1_000_000, 77_310_000, UInt64.max - 1])
  func `a trial does its work from any first seed`(first: UInt64) {
    for trial in [Trial.exhaustive, .fullDisk, .golden] {
      let record = TortureRecord(test: trial.number)
      trial.run(first, record)
      #expect(record.count == 1, "trial \(trial.number)")
      #expect(record.failures.isEmpty, "trial \(trial.number): \(record.failures)")
    }
  }

  @Test(arguments: [1, 40, 77_310_000] as [UInt64])
  func `seeds in a row go through every case of a list`(first: UInt64) {
    let trial = Trial(99, "a list", unit: "cases", cases: 37) { index, _, record in
      record.count += 1
      record.note("\(index)")
    }
    let record = TortureRecord(test: 99)
    for seed in first..<first + 37 { trial.run(seed, record) }
    #expect(record.notes.count == 37)
    #expect(trial.portion(from: first) == Portion(first: first, seeds: 37, quota: 37))
    #expect(trial.portion(from: first, tenths: 1) == Portion(first: first, seeds: 4, quota: 4))
  }

  @Test func `a trial below its quota fails`() {
    let portion = Trial.crashes.portion(from: 7)
    #expect(portion == Portion(first: 7, seeds: nil, quota: Trial.crashes.quota))
    for (count, isGood) in [(portion.quota, true), (portion.quota - 1, false)] {
      var result = TrialResult(.crashes)
      result.take(Array("count\t\(count)\t9\n".utf8))
      result.end(portion, count: result.count)
      #expect(result.isGood == isGood)
      #expect(result.line.contains("FAILED") == !isGood)
    }
  }

  /// Trial 17 breaks the engine with switches that a release build does not have.
  @Test func `a trial that the build does not have does not count as passed`() {
    let absent = TrialResult(Trial(17, "the tests themselves", absence: .releaseBuild))
    #expect(!absent.isGood)
    #expect(absent.line.hasSuffix("not in a release build"))
    var good = TrialResult(.crashes)
    good.skipped = "strace is not installed"
    let both = TrialResult.summary([good, absent])
    #expect(both.isGood && both.line == "1 trial in 0 s, all good; trial 17 is not in a release build")
    let alone = TrialResult.summary([absent])
    #expect(!alone.isGood && alone.line == "0 trials in 0 s; trial 17 is not in a release build")
    #expect(!TrialResult.json([absent]).contains("17"))
    #expect(Trial.crashes.absenceAdvice == nil)
    #expect(absent.trial.absenceAdvice?.contains("`swift run roost-torture run --test 17`") == true)
    let record = TortureRecord(test: 17)
    absent.trial.run(1, record)
    #expect(record.count == 0 && record.failures.count == 1)
  }

  @Test func `a commit has its own seeds, and seeds that failed once run each time`() {
    let (one, other) = (Trial.freshSeed(of: "d29d2e0f"), Trial.freshSeed(of: "d29d2e10"))
    #expect(one != other && one >= 1_000_000 && one < 1_002_000_000)
    #expect(one == Trial.freshSeed(of: "d29d2e0f"))
    let portions = Trial.faults.portions(fresh: one)
    #expect(portions.first == Trial.faults.portion(from: 1))
    #expect(portions.last == Portion(first: one, seeds: nil, quota: Trial.faults.quota / 10))
    #expect(portions.dropFirst().dropLast().map(\.first) == Trial.failedOnce[4])
  }
}

/// Bugs that the torture found, each with its story.
@Suite struct TortureStories {
  /// A store was open and had acknowledged commits in its log. A second one was opened for reading
  /// only. A read of the log returned nothing, although the file was longer. Before the fix, that
  /// was taken for the log's end, and an older commit was shown.
  @Test(arguments: [false, true]) func `a read that returns nothing does not end the log`(forever: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    var options = StoreOptions()
    options.checkpointing = .manual
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    for number in 1...3 { try store.write { try $0.tree("t").put("a", "\(number)") } }
    options.readOnly = true
    var seen = 0
    for nth in 1...40 {
      let image = fileSystem.crashImage(.all)
      image.inject(FaultRule(.read, nth: nth, .zeroTransfer, forever: forever))
      do {
        let reader = try KeyValueStore("/a.roost", options: options, fileSystem: image)
        #expect(try reader.read { try $0.tree("t").string("a") } == "3", "read \(nth)")
        try reader.close()
        seen += 1
      } catch let error as StoreError { #expect(error.code == .ioError, "read \(nth): \(error)") }
    }
    #expect(seen > 0)
    try store.close()
  }

  /// Opening a store wrote the first superblock that names a log, and commits were acknowledged.
  /// Then that superblock rotted. Before the fix, the other slot had the clean one from before, so
  /// the store opened empty, and the log with all commits was removed.
  @Test(arguments: [false, true]) func `a rotten superblock does not hide the log`(readOnly: Bool) throws {
    let fileSystem = SimulatedFileSystem()
    var options = StoreOptions()
    options.checkpointing = .manual
    let store = try KeyValueStore("/a.roost", options: options, fileSystem: fileSystem)
    try store.write { try $0.tree("t").put("a", "1") }
    let image = fileSystem.crashImage(.none)
    let file = try image.open("/a.roost", .write)
    // The newest superblock is in the first slot: the second was the newer of the two first ones.
    try file.write([0xFF], at: 33)
    try file.sync()
    file.close()
    options.readOnly = readOnly
    let code = failure { () throws(StoreError) in
      try KeyValueStore("/a.roost", options: options, fileSystem: image).close()
    }
    #expect(code == .damaged)
    try store.close()
  }
}
