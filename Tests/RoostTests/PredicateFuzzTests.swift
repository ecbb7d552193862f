import RoostDoorTrials
import RoostTestSupport
import Testing

/// A small part of number 18 of the torture, and that what it makes is worth something.
@Suite("Random predicates") struct PredicateFuzzTests {
  @Test(arguments: UInt64(1)...24) func `what is fetched is what the predicate says`(seed: UInt64) {
    let record = TortureRecord(test: 18)
    Trial.predicates.run(seed, record)
    #expect(record.count == 98)
    for failure in record.failures { Issue.record("\(failure)") }
  }
}
