import RoostQuery
import RoostRecords
import Testing

/// Comparisons, nil, `&&` and `||`, ranges and numbers, with edge cases.
@Suite("Logic and numbers") struct LogicTests {
  let things: Things

  init() throws {
    things = try Things([
      [
        "int": .int(.max), "small": .int(-128), "count": .uint(.max), "half": .uint(65535), "double": .double(.nan),
        "float": .float(-0.0), "flag": .bool(true), "oint": .null, "odouble": .double(.nan), "text": .string("a"),
        "decimal": .decimal(.nan), "uuid": .uuid(UUIDNumber(high: 1, low: 2)), "date": .date(.nan),
      ],
      [
        "int": .int(.min), "small": .int(0), "double": .double(-0.0), "oint": .int(5), "odouble": .double(1),
        "oflag": .bool(true), "next": .reference(RowID(1)), "place": .bool(true), "place.city": .string("Köln"),
        "must": .reference(RowID(77)), "decimal": .decimal(DecimalNumber(mantissa: 10, exponent: -1)),
      ],
    ])
  }

  private func compare(_ comparison: Expression.Comparison, _ one: Expression, _ two: Expression) -> Expression {
    .compare(comparison, one, two)
  }

  @Test func `comparisons with NaN are false`() throws {
    for comparison in Expression.Comparison.allCases {
      let isUnequal = comparison == .notEqual
      for other in [double(0), double(.nan), double(.infinity)] {
        #expect(try things.answer(compare(comparison, things("double"), other)) == .init(isUnequal))
        #expect(try things.answer(.not(compare(comparison, things("double"), other))) == .init(!isUnequal))
      }
      #expect(try things.answer(compare(comparison, things("date"), date(1))) == .init(isUnequal))
    }
    #expect(try things.answer(compare(.equal, things("double"), things("double"))) == .no)
    #expect(try things.answer(.contains(array([.double(.nan)], of: .double), things("double"))) == .no)
    #expect(try things.answer(.contains(set([.double(.nan)], of: .double), things("double"))) == .no)
    #expect(try things.answer(.within(double(0), double(1), true, things("double"))) == .no)
    #expect(try things.rows(.not(.compare(.less, things("double"), double(5)))) == [1])
  }

  @Test func `minus zero is zero`() throws {
    #expect(try things.answer(compare(.equal, things("double"), double(0)), row: 2) == .yes)
    #expect(try things.answer(compare(.less, things("double"), double(0)), row: 2) == .no)
    #expect(try things.answer(.contains(set([.double(0)], of: .double), things("double")), row: 2) == .yes)
    let float = Kind.plain(.float)
    #expect(try things.answer(compare(.equal, things("float"), .constant(.float(0), float))) == .yes)
    #expect(try things.answer(.contains(array([.float(0)], of: float), things("float"))) == .yes)
  }

  @Test func `nil equals only nil`() throws {
    let oint = things("oint")
    #expect(try things.answer(compare(.equal, oint, null(.int))) == .yes)
    #expect(try things.answer(compare(.notEqual, oint, null(.int))) == .no)
    #expect(try things.answer(compare(.equal, null(.int), oint), row: 2) == .no)
    #expect(try things.answer(compare(.equal, oint, int(5)), row: 2) == .yes)
    #expect(try things.answer(compare(.equal, oint, int(5))) == .no)
    #expect(try things.answer(compare(.notEqual, oint, int(5))) == .yes)
    #expect(try things.answer(compare(.equal, null(.int), null(.int))) == .yes)
    #expect(try things.answer(compare(.equal, things("place"), null(.plain(.presence)))) == .yes)
    #expect(try things.answer(compare(.equal, things("place.city"), text("Köln")), row: 2) == .yes)
    // If a reference is nil, all values reached through it are nil.
    let behind = things("int", of: things("next"))
    #expect(try things.answer(compare(.equal, behind, null(.int))) == .yes)
    #expect(try things.answer(compare(.equal, behind, int(.max)), row: 2) == .yes)
    let further = things("int", of: things("next", of: things("next")))
    #expect(try things.answer(compare(.equal, further, null(.int)), row: 2) == .yes)
  }

  @Test func `nil has no order`() throws {
    #expect(try things.answer(compare(.less, things("oint"), int(5))) == .refused(.wrongType))
    #expect(try things.answer(compare(.less, things("oint"), null(.int))) == .refused(.wrongType))
    #expect(try things.answer(.within(int(0), int(9), true, things("oint"))) == .refused(.wrongType))
  }

  @Test func `a forced unwrap needs a value`() throws {
    let demanded = compare(.greater, .unwrap(things("oint")), int(4))
    #expect(try things.answer(demanded) == .fault(.nilUnwrapped))
    #expect(try things.answer(demanded, row: 2) == .yes)
    let fault = try #require(try things.fault(demanded))
    #expect(fault.part == "$0.oint!")
    // It is not evaluated where Swift would not evaluate it.
    let isThere = compare(.notEqual, things("oint"), null(.int))
    #expect(try things.answer(.and([isThere, demanded])) == .no)
    #expect(try things.answer(.or([.not(isThere), demanded])) == .yes)
    #expect(try things.answer(.conditional(isThere, demanded, bool(true))) == .yes)
    #expect(try things.answer(.and([demanded, isThere])) == .fault(.nilUnwrapped))
    #expect(try things.rows(.and([isThere, demanded])) == [2])
  }

  @Test func `a missing row is an error`() throws {
    let condition = compare(.equal, things("int", of: things("must")), int(0))
    #expect(try things.answer(condition, row: 2) == .fault(.missingRow))
    #expect(try things.fault(condition)?.part == "$0.must.int")
    let number = Kind.plain(.reference(things.thing))
    let isSame = compare(.equal, things("must"), .constant(.reference(RowID(77)), number))
    #expect(try things.answer(isSame, row: 2) == .yes)
  }

  @Test func `a default replaces nil`() throws {
    let five = compare(.greater, .coalesce(things("oint"), int(9)), int(5))
    #expect(try things.rows(five) == [1])
    let many = Expression.coalesce(.coalesce(things("oint"), null(.int)), int(7))
    #expect(try things.answer(compare(.equal, many, int(7))) == .yes)
    #expect(try things.answer(.coalesce(things("oflag"), bool(false))) == .no)
    #expect(try things.answer(.coalesce(things("oflag"), bool(false)), row: 2) == .yes)
  }

  @Test func `if let binds a variable and hides an outer one`() throws {
    let bigger = Expression.ifLet(1, things("oint"), compare(.greater, .variable(1), int(4)), bool(false))
    #expect(try things.rows(bigger) == [2])
    // The inner variable 1 is another value. After it the outer one is visible again.
    let inner = Expression.ifLet(1, things("odouble"), compare(.equal, .variable(1), double(1)), bool(false))
    let both = Expression.ifLet(
      1, things("oint"), .and([inner, compare(.equal, .variable(1), int(5))]), bool(false))
    #expect(try things.answer(both, row: 2) == .yes)
    // With nil as the second it is `flatMap`.
    let mapped = Expression.ifLet(1, things("oint"), .arithmetic(.add, .variable(1), int(1)), null(.int))
    #expect(try things.answer(compare(.equal, mapped, int(6)), row: 2) == .yes)
    #expect(try things.answer(compare(.equal, mapped, null(.int))) == .yes)
  }

  @Test func `a test of an empty list is not evaluated`() throws {
    #expect(try things.answer(.and([])) == .yes)
    #expect(try things.answer(.or([])) == .no)
    #expect(try things.answer(.contains(array([], of: .int), things("int"))) == .no)
    #expect(try things.answer(.contains(set([], of: .int.optional), things("oint"))) == .no)
  }

  // MARK: Ranges

  @Test func `ranges are closed or open above`() throws {
    #expect(try things.answer(.within(int(0), int(.max), true, things("int"))) == .yes)
    #expect(try things.answer(.within(int(0), int(.max), false, things("int"))) == .no)
    #expect(try things.answer(.within(int(.min), int(.min), true, things("int")), row: 2) == .yes)
    #expect(try things.answer(.within(int(.min), int(.min), false, things("int")), row: 2) == .no)
    #expect(try things.answer(.within(text("a"), text("b"), false, things("text"))) == .yes)
  }

  @Test func `a range that ends before it begins is an error`() throws {
    #expect(try things.answer(.within(int(1), int(0), true, things("int"))) == .fault(.outOfBounds))
    #expect(try things.answer(.within(double(.nan), double(0), true, things("double"))) == .fault(.outOfBounds))
    #expect(try things.answer(.within(things("int"), int(0), true, int(0))) == .fault(.outOfBounds))
  }

  // MARK: Numbers

  private func equals(_ one: Expression, _ two: Expression) -> Expression { .compare(.equal, one, two) }

  @Test(arguments: [Expression.Arithmetic.add, .subtract, .multiply]) func `an overflow is an error`(
    operation: Expression.Arithmetic
  ) throws {
    let (one, two) = operation == .subtract ? (int(.min), int(1)) : (things("int"), int(2))
    let condition = equals(.arithmetic(operation, one, two), int(0))
    #expect(try things.answer(condition) == .fault(.overflow))
    #expect(try things.fault(condition)?.part.contains(operation.sign) == true)
  }

  @Test func `numbers keep the width of their type`() throws {
    let small = things("small")
    let one = Expression.constant(.int(1), .plain(.int8))
    let minus = Expression.constant(.int(-1), .plain(.int8))
    #expect(try things.answer(equals(.arithmetic(.subtract, small, one), one)) == .fault(.overflow))
    #expect(try things.answer(equals(.negate(small), one)) == .fault(.overflow))
    #expect(try things.answer(equals(.arithmetic(.divide, small, minus), one)) == .fault(.overflow))
    #expect(try things.answer(equals(.arithmetic(.remainder, small, minus), one)) == .fault(.overflow))
    let half = Kind.plain(.uint16)
    let next = Expression.arithmetic(.add, things("half"), .constant(.uint(1), half))
    #expect(try things.answer(equals(next, .constant(.uint(0), half))) == .fault(.overflow))
    let zero = Expression.constant(.uint(0), .plain(.uint64))
    let two = Expression.constant(.uint(2), .plain(.uint64))
    #expect(try things.answer(equals(.arithmetic(.subtract, zero, two), zero)) == .fault(.overflow))
    #expect(try things.answer(equals(.arithmetic(.remainder, things("count"), two), zero)) == .no)
  }

  @Test func `the least number has no opposite`() throws {
    #expect(try things.answer(equals(.negate(things("int")), int(0)), row: 2) == .fault(.overflow))
    #expect(try things.answer(equals(.negate(things("int")), int(-.max))) == .yes)
    for operation in [Expression.Arithmetic.divide, .remainder] {
      let condition = equals(.arithmetic(operation, things("int"), int(-1)), int(0))
      #expect(try things.answer(condition, row: 2) == .fault(.overflow))
    }
    #expect(try things.answer(equals(.negate(things("count")), things("count"))) == .refused(.wrongType))
  }

  @Test func `an integer division by zero is an error, a floating-point one is not`() throws {
    for operation in [Expression.Arithmetic.divide, .remainder] {
      #expect(
        try things.answer(equals(.arithmetic(operation, things("int"), int(0)), int(0))) == .fault(.dividedByZero))
    }
    let infinite = Expression.arithmetic(.divide, double(1), things("double"))
    #expect(try things.answer(equals(infinite, double(-.infinity)), row: 2) == .yes)
    let float = Kind.plain(.float)
    let third = Expression.arithmetic(.divide, .constant(.float(1), float), .constant(.float(3), float))
    #expect(try things.answer(equals(third, .constant(.float(1 / 3), float))) == .yes)
  }

  @Test func `remainders have the sign of the first`() throws {
    #expect(try things.answer(equals(.arithmetic(.remainder, int(-7), int(3)), int(-1))) == .yes)
    #expect(try things.answer(equals(.arithmetic(.divide, int(-7), int(3)), int(-2))) == .yes)
    #expect(
      try things.answer(equals(.arithmetic(.remainder, things("double"), double(1)), double(0))) == .refused(.wrongType)
    )
  }

  @Test func `decimals are equal in every notation`() throws {
    let kind = Kind.plain(.decimal)
    #expect(try things.answer(equals(things("decimal"), .constant(.decimal(DecimalNumber(1)), kind)), row: 2) == .yes)
    #expect(
      try things.answer(compare(.less, things("decimal"), .constant(.decimal(DecimalNumber(2)), kind)), row: 2) == .yes)
    #expect(
      try things.answer(.contains(array([.decimal(DecimalNumber(1))], of: kind), things("decimal")), row: 2) == .yes)
  }

  @Test func `Booleans and rows have no order except in sorting`() throws {
    #expect(try things.answer(compare(.less, things("flag"), bool(true))) == .refused(.wrongType))
    #expect(try things.answer(compare(.less, things("data"), things("data"))) == .refused(.wrongType))
    #expect(try things.answer(compare(.less, .row, .row)) == .refused(.wrongType))
    #expect(try things.answer(compare(.equal, .row, .row)) == .yes)
    #expect(
      try things.answer(compare(.less, things("uuid"), .constant(.uuid(UUIDNumber(high: 1, low: 3)), .plain(.uuid))))
        == .yes)
  }
}
