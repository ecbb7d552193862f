import RoostDoorTrials
import RoostTestSupport
import Testing

/// A small part of number 20 of the torture. Its models end in the middle of calls, so the plays run one after the other.
@Suite("Random plays of contexts", .serialized) struct ObjectPlayTests {
  @Test(arguments: UInt64(1)...24) func `contexts show what a plain model of them says`(seed: UInt64) {
    let record = TortureRecord(test: 20)
    Trial.objects.run(seed, record)
    #expect(record.count == 1)
    for failure in record.failures { Issue.record("\(failure)") }
  }

  @Test func `a play comes by everything that it is for`() {
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
