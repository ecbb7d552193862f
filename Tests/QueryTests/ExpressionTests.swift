import RoostQuery
import RoostRecords
import Testing

@Suite("Expressions") struct ExpressionTests {
  @Test func aChainOfAndsIsOneList() {
    let part = Expression.constant(.bool(true), .bool)
    let chain = (0..<1000).reduce(part) { whole, _ in whole && part }
    #expect(chain.operands.count == 1001)
  }
}
