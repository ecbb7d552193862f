import RoostDoorTrials
import RoostTestSupport
import Testing

/// A small part of trial 22.
@Suite("Random questions") struct SelectFuzzTests {
  @Test(arguments: UInt64(1)...12) func `a selection equals what Swift computes from the models`(seed: UInt64) {
    let record = TortureRecord(test: 22)
    Trial.questions.run(seed, record)
    #expect(record.count == 50)
    for failure in record.failures { Issue.record("\(failure)") }
  }

  @Test(arguments: UInt64(1)...6) func `a selection in a child context equals it too`(seed: UInt64) {
    let record = TortureRecord(test: 22)
    Trial.questions(seed, record, in: .ofParents)
    #expect(record.count == 50)
    for failure in record.failures { Issue.record("\(failure)") }
  }
}
