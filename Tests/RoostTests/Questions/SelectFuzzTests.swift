import RoostDoorTrials
import RoostTestSupport
import Testing

/// A small part of number 22 of the torture.
@Suite("Random questions") struct SelectFuzzTests {
  @Test(arguments: UInt64(1)...12) func `what is selected is what Swift says of the models`(seed: UInt64) {
    let record = TortureRecord(test: 22)
    Trial.questions.run(seed, record)
    #expect(record.count == 50)
    for failure in record.failures { Issue.record("\(failure)") }
  }
}
