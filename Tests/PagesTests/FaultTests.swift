import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// Calls that fail. No acknowledged commit is lost, and no commit that was reported as rolled back
/// comes back.
@Suite struct FaultTests {
  private static let policy = CrashPolicy(exhaustiveUpTo: 2, ofEach: 1, randoms: 1, garbage: 0)

  /// The number of calls of these kinds in a run without failures.
  private static func calls(_ seed: UInt64, _ mix: Workload.Mix, _ kinds: Set<CallKind>) -> Int {
    let fileSystem = SimulatedFileSystem()
    fileSystem.recordsReads = true
    let workload = Workload(seed: seed, mix: mix, fileSystem: fileSystem)
    fileSystem.recordsSteps = true
    workload.run()
    return fileSystem.steps.count { kinds.contains($0.kind) }
  }

  /// Runs the workload with one failing call. Checks crash images after each of the next calls and
  /// at the end.
  private func check(_ seed: UInt64, _ mix: Workload.Mix, _ rule: FaultRule, tolerant: Bool = false) -> Int {
    let workload = Workload(seed: seed, mix: mix)
    workload.fileSystem.inject(rule)
    var strikes = 0
    var after = 0
    workload.fileSystem.onStep = { step in
      if step.errorNumber != 0 { strikes += 1 }
      if strikes > 0 || rule.strikesSilently {
        after += 1
        if after <= 30 || after % 16 == 0 { workload.noteMoment() }
      }
    }
    workload.run()
    workload.noteMoment()
    if !tolerant { #expect(workload.failures == [], "seed \(seed), \(rule)") }
    var images = 0
    var bad = 0
    for moment in workload.moments {
      for image in moment.point.images(Self.policy) {
        images += 1
        guard let found = complaint(about: image, allowed: moment.allowed, states: workload.states) else { continue }
        if tolerant { continue }
        bad += 1
        if bad <= 2 { Issue.record("seed \(seed), \(rule), step \(moment.point.step), \(image.choice!): \(found)") }
      }
    }
    return images
  }

  private static let errors: [FaultRule.Effect] = [
    .error(ErrorNumber.io), .error(ErrorNumber.noSpace), .errorAfterEffect(ErrorNumber.io),
    .errorAfterEffect(ErrorNumber.noSpace),
  ]

  private static func seeds(_ few: UInt64, _ many: UInt64) -> ClosedRange<UInt64> {
    #if DEBUG
      1...few
    #else
      1...many
    #endif
  }

  private static let skip: Int = {
    #if DEBUG
      7
    #else
      1
    #endif
  }()

  private static let changing = Set(CallKind.allCases.filter(\.mutates))

  @Test(arguments: seeds(1, 2), errors) func `every changing call fails once`(
    seed: UInt64, effect: FaultRule.Effect
  ) {
    let mix = Workload.Mix(steps: 10)
    for nth in stride(from: 1, through: Self.calls(seed, mix, Self.changing), by: Self.skip) {
      _ = check(seed, mix, FaultRule(Self.changing, nth: nth, effect))
    }
  }

  @Test(arguments: seeds(1, 2)) func `every reading call fails once`(seed: UInt64) {
    let mix = Workload.Mix(steps: 10)
    let kinds = Set(CallKind.allCases).subtracting(Self.changing)
    for nth in stride(from: 1, through: Self.calls(seed, mix, kinds), by: Self.skip) {
      _ = check(seed, mix, FaultRule(kinds, nth: nth, .error(ErrorNumber.io)))
    }
  }

  @Test(arguments: seeds(1, 6), SyncFailure.allCases) func `every sync fails once`(
    seed: UInt64, meaning: SyncFailure
  ) {
    let mix = Workload.Mix(steps: 12)
    let kinds: Set<CallKind> = [.sync, .syncDirectory]
    for nth in 1...Self.calls(seed, mix, kinds) {
      // A failure that is reported late has lost acknowledged commits: then the only rule is that
      // nothing traps.
      _ = check(seed, mix, FaultRule(kinds, nth: nth, .sync(meaning)), tolerant: meaning == .reportedLate)
    }
  }

  @Test(arguments: seeds(1, 2), errors) func `calls fail in runs with large values`(
    seed: UInt64, effect: FaultRule.Effect
  ) {
    let mix = Workload.Mix(steps: 6, extents: true)
    for nth in stride(from: 1, through: Self.calls(seed, mix, Self.changing), by: Self.skip * 2) {
      _ = check(seed, mix, FaultRule(Self.changing, nth: nth, effect))
    }
  }
}

extension FaultRule {
  /// Whether the call seems to succeed.
  fileprivate var strikesSilently: Bool { effect == .sync(.reportedLate) }
}
