import RoostFile
import RoostTestSupport
import Testing

@testable import RoostPages

/// A crash after every call that changes data, with many outcomes each (invariants 4, 8 and 9).
@Suite struct CrashTests {
  private func check(_ workload: Workload, _ seed: UInt64, policy: CrashPolicy = .brief) {
    workload.takesMoments()
    workload.run()
    #expect(workload.failures == [], "seed \(seed)")
    #expect(workload.errors == 0, "seed \(seed): \(String(describing: workload.lastError))")
    var images = 0
    var bad = 0
    for moment in workload.moments {
      for image in moment.point.images(policy) {
        images += 1
        guard let found = complaint(about: image, allowed: moment.allowed, states: workload.states) else { continue }
        bad += 1
        if bad <= 3 {
          Issue.record("seed \(seed), step \(moment.point.step), \(image.choice!): \(found)")
        }
      }
    }
    #expect(bad == 0, "seed \(seed): \(bad) of \(images) images")
    if printsCounts { print("seed \(seed): \(workload.moments.count) points, \(images) images") }
  }

  private var printsCounts: Bool { false }

  /// The number of seeds in a test. Without the optimizer it is small, so that the whole suite
  /// stays fast.
  private static func seeds(_ first: UInt64, _ few: UInt64, _ many: UInt64) -> ClosedRange<UInt64> {
    #if DEBUG
      first...first + few - 1
    #else
      first...first + many - 1
    #endif
  }

  @Test(arguments: seeds(1, 2, 30)) func `words survive`(seed: UInt64) {
    check(Workload(seed: seed, mix: .init(steps: 14)), seed)
  }

  @Test(arguments: seeds(101, 1, 10)) func `words survive without a checkpoint`(seed: UInt64) {
    check(Workload(seed: seed, mix: .init(steps: 20, checkpoints: false)), seed)
  }

  @Test(arguments: seeds(201, 1, 6)) func `large values survive`(seed: UInt64) {
    check(Workload(seed: seed, mix: .init(steps: 10, extents: true)), seed)
  }

  @Test(arguments: seeds(301, 1, 20)) func `spilled pages survive`(seed: UInt64) {
    check(Workload(seed: seed, mix: .init(steps: 14, draftBytes: 8 * Page.size)), seed)
  }
}
