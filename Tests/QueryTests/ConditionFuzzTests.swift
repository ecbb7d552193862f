import RoostQuery
import RoostRecords
import RoostTestSupport
import Testing

/// A small part of trial 15, and checks that its random conditions are useful.
@Suite("Random conditions") struct ConditionFuzzTests {
  @Test(arguments: UInt64(1)...6) func `programs and plans agree with the interpreter`(seed: UInt64) {
    let record = TortureRecord(test: 15)
    Trial.conditions.run(seed, record)
    #expect(record.count == 60)
    for failure in record.failures { Issue.record("\(failure)") }
  }

  #if DEBUG
    @Test(arguments: [8] as [UInt64]) func `a plan that misreads a condition is detected`(seed: UInt64) {
      let record = TortureRecord(test: 17)
      Trial.sabotage.run(seed, record)
      #expect(record.notes.count == 1)
      for failure in record.failures { Issue.record("\(failure)") }
    }
  #endif

  @Test func `the generator makes every operation`() throws {
    var census = ConditionCensus()
    for seed in 1...6 {
      let stage = try ConditionStage(seed: UInt64(seed))
      try stage.store.read { reader in
        for number in 0..<300 {
          var maker = ConditionMaker(seed: UInt64(seed * 1000 + number), reader.catalog, stage.pool)
          maker.makesAggregates = number % 3 == 0
          let condition = maker.condition(EntityID(1))
          census.count(condition)
          #expect(throws: Never.self) { try Checker.condition(condition, reader.catalog, entity: EntityID(1)) }
        }
      }
    }
    #expect(census.missing == [])
  }

  @Test func `a part can be replaced by another`() {
    let condition = Expression.and([.not(.constant(.bool(true), .bool)), .constant(.bool(false), .bool)])
    #expect(condition.size == 4)
    #expect(condition.part(2) == .constant(.bool(true), .bool))
    #expect(
      condition.replacing(2, by: .variable(7))
        == .and([.not(.variable(7)), .constant(.bool(false), .bool)]))
    for number in 0..<condition.size { #expect(condition.replacing(number, by: condition.part(number)) == condition) }
  }
}
