import RoostDoorTrials
import RoostTestSupport
import Testing

/// A small part of trial 21.
@Suite("Random chains of versions") struct ChainPlayTests {
  @Test(arguments: UInt64(1)...4) func `an opening makes the same of a store as plain Swift code`(seed: UInt64) {
    let record = TortureRecord(test: 21)
    Trial.migrations.run(seed, record)
    #expect(record.count > 3)
    for failure in record.failures { Issue.record("\(failure)") }
    for name in ["openings", "images", "errors", "versions skipped", "interrupted before the commit"] {
      #expect(record.notes[name, default: 0] > 0, "\(name)")
    }
  }
}
