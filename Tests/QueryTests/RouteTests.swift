import RoostFile
import RoostPages
import RoostQuery
import RoostRecords
import RoostTestSupport
import Testing

/// Questions that are asked again with other constants, for which the plan is kept.
@Suite("Routes") struct RouteTests {
  private let store: RecordStore
  private let thing: EntityID

  private static let long = String(repeating: "x", count: 600)

  init() throws {
    store = try RecordStore(inMemory: StoreOptions())
    thing = try store.write { writer in
      var thing = EntityID(0)
      try writer.change { catalog in
        let owner = try catalog.add(entity: "Owner") { (entity) throws(RecordFault) in
          try entity.add("name", .string)
          try entity.add("age", .int64)
        }
        thing = try catalog.add(entity: "Thing") { (entity) throws(RecordFault) in
          try entity.add("code", .string)
          try entity.add("name", .string, isOptional: true)
          try entity.add("number", .int64)
          try entity.add("small", .int8)
          try entity.add("price", .double)
          try entity.add("flag", .bool)
          try entity.add("owner", .reference(owner), isOptional: true)
        }
        try catalog.add(index: "byCode", of: "Thing", on: ["code"], isUnique: true)
        try catalog.add(index: "byName", of: "Thing", on: ["name", "number"])
        try catalog.add(index: "byPrice", of: "Thing", on: ["price"])
        try catalog.add(index: "byOwner", of: "Thing", on: ["owner"])
        try catalog.add(index: "byAge", of: "Owner", on: ["age"])
      }
      let owners = try writer.table("Owner")
      for number in 0..<20 {
        try owners.insert(["name": .string("name \(number % 6)"), "age": .int(Int64(number % 9))])
      }
      let things = try writer.table("Thing")
      for number in 0..<300 {
        let name: Value =
          number % 7 == 0 ? .null : .string(number % 11 == 0 ? Self.long + "\(number % 3)" : "name \(number % 5)")
        let prices = [-0.0, 0, 1, 2.5, .nan, .infinity, -3]
        try things.insert([
          "code": .string(number == 9 ? Self.long : "code \(number)"), "name": name,
          "number": .int(Int64(number % 9)), "small": .int(Int64(number % 100)),
          "price": .double(prices[number % prices.count]), "flag": .bool(number % 2 == 0),
          "owner": number % 5 == 0 ? .null : .reference(RowID(UInt64(1 + number % 20))),
        ])
      }
      return thing
    }
  }

  private func field(_ name: String, of entity: String = "Thing", _ base: Expression = .row) throws -> Expression {
    try store.read { reader in .field(base, try #require(reader.catalog.entity(entity)?.field(name)?.id)) }
  }

  /// Kinds of questions, and generators of their values.
  private func makers() throws -> [(Expression, (inout SplitMix64) -> [Value])] {
    let text = Expression.parameter(0, .string)
    let number = Expression.parameter(1, .int)
    let price = Expression.parameter(0, .double)
    func texts(_ random: inout SplitMix64) -> Value {
      .string(
        ["name 1", "name 4", "", Self.long + "1", Self.long + "9", "name", "code 7", Self.long][
          Int(random.next() % 8)])
    }
    func numbers(_ random: inout SplitMix64) -> Value { .int(Int64(random.next() % 11)) }
    func prices(_ random: inout SplitMix64) -> Value {
      .double([-0.0, 0, 1, 2.5, .nan, .infinity, -.infinity, 7][Int(random.next() % 8)])
    }
    func mayBe(_ random: inout SplitMix64) -> Value { random.next() % 3 == 0 ? .null : texts(&random) }
    /// A list with nil also matches rows whose reference is nil.
    func loose(_ random: inout SplitMix64) -> Value { .array((0..<3).map { _ in mayBe(&random) }) }
    func list(_ random: inout SplitMix64) -> Value { .array((0..<random.next() % 4).map { _ in texts(&random) }) }
    let (name, code) = (try field("name"), try field("code"))
    let (count, cost) = (try field("number"), try field("price"))
    let owner = try field("owner")
    let (called, age) = (try field("name", of: "Owner", owner), try field("age", of: "Owner", owner))
    var found: [(Expression, (inout SplitMix64) -> [Value])] = [
      (.compare(.equal, name, text), { [texts(&$0)] }), (.compare(.equal, text, code), { [texts(&$0)] }),
      (.compare(.equal, name, text) && .compare(.equal, count, number), { [texts(&$0), numbers(&$0)] }),
      (
        .compare(.equal, code, text) && .not(.compare(.equal, number, count)),
        { [texts(&$0), numbers(&$0)] }
      ),
      (
        .compare(.equal, name, text) && .contains(.parameter(1, .array(.string)), code),
        { [texts(&$0), list(&$0)] }
      ),
      (.text(.contains, code, text) && .compare(.less, count, number), { [texts(&$0), numbers(&$0)] }),
      (.compare(.equal, name, text) || .compare(.equal, count, number), { [texts(&$0), numbers(&$0)] }),
      (.compare(.greater, cost, price) && .compare(.less, count, number), { [prices(&$0), numbers(&$0)] }),
      // Two constraints on one field; either may be the stricter one.
      (
        .compare(.greater, cost, price) && .compare(.greater, cost, .parameter(1, .double)),
        { [prices(&$0), prices(&$0)] }
      ),
      (.compare(.equal, name, .parameter(0, .optional(.string))), { $0.next() % 3 == 0 ? [.null] : [texts(&$0)] }),
      (.contains(.parameter(0, .array(.optional(.string))), called), { [loose(&$0)] }),
      (.contains(.parameter(0, .array(.optional(.string))), name), { [loose(&$0)] }),
      (.compare(.equal, called, text), { [texts(&$0)] }), (.compare(.notEqual, text, called), { [texts(&$0)] }),
      (.compare(.equal, called, text) && .compare(.less, count, number), { [texts(&$0), numbers(&$0)] }),
      (
        .compare(.equal, called, text) && .compare(.greater, .coalesce(age, .constant(.int(1), .int)), number),
        { [texts(&$0), numbers(&$0)] }
      ),
      (.compare(.equal, age, .parameter(0, .int)), { [numbers(&$0)] }),
      (.text(.contains, code, text) || .compare(.equal, called, text), { [texts(&$0)] }),
      (
        .compare(.less, .coalesce(age, .constant(.int(3), .int)), .parameter(0, .int)),
        { [numbers(&$0)] }
      ),
      (.compare(.equal, count, .parameter(0, .int)), { [numbers(&$0)] }),
      (.compare(.equal, try field("flag"), .parameter(0, .bool)), { [.bool($0.next() % 2 == 0)] }),
    ]
    for comparison in Expression.Comparison.allCases {
      found.append((.compare(comparison, cost, price), { [prices(&$0)] }))
      found.append(
        (.compare(comparison, price, cost) && .compare(.less, count, number), { [prices(&$0), numbers(&$0)] }))
      found.append(
        (.compare(.equal, name, text) && .compare(comparison, count, number), { [texts(&$0), numbers(&$0)] }))
    }
    return found
  }

  @Test(arguments: 1...8) func `a kept plan finds the rows that a new plan finds`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let makers = try makers()
    try store.read { reader in
      let ground = Ground(reader)
      let routes = Routes()
      let (kept, plain) = (Planner(ground, routes), Planner(ground))
      let questions = try makers.map { try Question(Query("Thing", where: $0.0), ground) }
      for step in 0..<1_600 {
        let number = Int(random.next() % UInt64(makers.count))
        let (condition, make) = makers[number]
        let values = make(&random)
        let query = Query("Thing", where: condition.bound(values))
        let expected = try plain.plan(query).rows().sorted()
        let name = Comment(rawValue: "seed \(seed), step \(step), kind \(number), \(values)")
        let plan = try #require(try kept.plan(questions[number], values, offset: 0, limit: nil), name)
        #expect(try plan.rows().sorted() == expected, name)
        #expect(try kept.count(questions[number], values) == expected.count, name)
        let some = try kept.plan(questions[number], values, offset: 1, limit: 2)
        #expect(try some?.rows().count == min(2, max(0, expected.count - 1)), name)
      }
      #expect(routes.count >= 20, "\(routes.count) of \(makers.count) have a route")
    }
  }

  @Test func `a running plan is not given to another call`() throws {
    let question = Expression.compare(.less, try field("price"), .parameter(0, .double))
    try store.read { reader in
      let ground = Ground(reader)
      let planner = Planner(ground, Routes())
      let asked = try Question(Query("Thing", where: question), ground)
      func rows(_ price: Double) throws -> Set<RowID> {
        Set(try #require(try planner.plan(asked, [.double(price)], offset: 0, limit: nil)).rows())
      }
      let (few, many) = (try rows(0), try rows(2))
      #expect(few.count < many.count)
      var seen: Set<RowID> = []
      try #require(try planner.plan(asked, [.double(2)], offset: 0, limit: nil)).forEach { row in
        seen.insert(row.id)
        let others = try rows(0)
        #expect(others == few)
        return true
      }
      #expect(seen == many)
    }
  }

  @Test func `a kept plan refuses constants of another kind`() throws {
    let question = Expression.compare(.equal, try field("small"), .parameter(0, .plain(.int8)))
    try store.read { reader in
      let ground = Ground(reader)
      let routes = Routes()
      let planner = Planner(ground, routes)
      let asked = try Question(Query("Thing", where: question), ground)
      for _ in 0..<3 { #expect(try planner.count(asked, [.int(7)]) == 3) }
      #expect(routes.count == 1)
      #expect(try planner.count(asked, [.int(1_000)]) == nil)
      #expect(try planner.count(asked, [.string("7")]) == nil)
      #expect(try planner.count(asked, []) == nil)
    }
  }
}
