import RoostDoorTrials
import RoostTestSupport
import Testing

/// A small part of trial 18, and checks that its random predicates are useful.
@Suite("Random predicates") struct PredicateFuzzTests {
  @Test(arguments: UInt64(1)...24) func `a fetch returns the models that fulfil the predicate`(seed: UInt64) {
    let record = TortureRecord(test: 18)
    Trial.predicates.run(seed, record)
    #expect(record.count == 122)
    for failure in record.failures { Issue.record("\(failure)") }
  }

  @Test(arguments: UInt64(1)...8) func `a fetch of a child context returns them too`(seed: UInt64) {
    let record = TortureRecord(test: 18)
    Trial.predicates(seed, record, in: .ofParents)
    #expect(record.count == 122)
    for failure in record.failures { Issue.record("\(failure)") }
  }

  @Test func `many predicates have every part`() {
    let record = TortureRecord(test: 18)
    for seed in UInt64(100)...140 { Trial.predicates.run(seed, record) }
    #expect(record.failures.isEmpty)
    #expect(Trial.predicateParts.subtracting(record.notes.keys).sorted() == [])
  }
}
