import RoostDoorTrials
import RoostTestSupport
import Testing

/// A small part of trial 20. Its models are released during calls, so the plays run one
/// after the other.
@Suite("Random plays of contexts", .serialized) struct ObjectPlayTests {
  @Test(arguments: UInt64(1)...24) func `contexts show the state of a plain model`(seed: UInt64) {
    let record = TortureRecord(test: 20)
    Trial.objects.run(seed, record)
    #expect(record.count == 1)
    for failure in record.failures { Issue.record("\(failure)") }
  }

  @Test func `a play covers all its operations`() {
    let record = TortureRecord(test: 20)
    for seed in UInt64(1)...24 { Trial.objects.run(seed, record) }
    for name in [
      "deinits", "saves", "rollbacks", "contexts", "lists", "upserts", "deletions", "deletions taken back",
      "comparisons",
    ] {
      #expect(record.notes[name, default: 0] > 3, "\(name)")
    }
  }
}
