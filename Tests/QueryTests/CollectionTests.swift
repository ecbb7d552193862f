import RoostQuery
import RoostRecords
import Testing

/// Operations on collections: values of the row, constants, and rows that refer to a row.
@Suite("Collections") struct CollectionTests {
  let things: Things

  init() throws {
    let empty: Value = .array([])
    things = try Things([
      [
        "tags": .array([.string("e\u{301}"), .string("b"), .string("b")]),
        "numbers": .array([.int(3), .int(-1), .int(3)]),
        "doubles": .array([.double(2), .double(.nan), .double(1)]), "gaps": .array([.int(1), .null]),
        "set": .set([.string("x"), .string("y")]), "map": .dictionary([.string("k"): .int(7)]), "text": .string("k"),
        "items": .array([
          .structure([.string("one"), .double(1)]), .structure([.string("two"), .null]),
        ]),
        "otags": .array([.string("t")]), "int": .int(1),
      ],
      ["tags": empty, "numbers": empty, "int": .int(2), "next": .reference(RowID(1))],
      ["int": .int(3), "next": .reference(RowID(1)), "numbers": .array([.int(9)])],
    ])
  }

  private func equals(_ one: Expression, _ two: Expression) -> Expression { .compare(.equal, one, two) }

  @Test func `elements are found as in Swift`() throws {
    #expect(try things.answer(.contains(things("tags"), text("\u{e9}"))) == .yes)
    #expect(try things.answer(.contains(things("tags"), text("e"))) == .no)
    #expect(try things.answer(.contains(things("tags"), text("b")), row: 2) == .no)
    #expect(try things.answer(.contains(things("set"), text("x"))) == .yes)
    #expect(try things.answer(.contains(things("doubles"), double(.nan))) == .no)
    #expect(try things.answer(.contains(things("doubles"), double(2))) == .yes)
    #expect(try things.answer(.contains(things("gaps"), null(.int))) == .yes)
    #expect(try things.answer(.contains(things("gaps"), int(1))) == .yes)
    #expect(try things.answer(.contains(things("tags"), things("text"))) == .no)
  }

  @Test func `a captured collection may hold nil`() throws {
    let next = Kind.plain(.reference(things.thing)).optional
    let captured = array([.null, .reference(RowID(9))], of: next)
    #expect(try things.rows(.contains(captured, things("next"))) == [1])
    #expect(try things.rows(.contains(array([.null, .int(5)], of: .int.optional), things("oint"))) == [1, 2, 3])
    #expect(try things.rows(.contains(array([.int(5)], of: .int), things("oint"))) == [])
    #expect(try things.rows(.contains(set([.null], of: .int.optional), things("int"))) == [])
    #expect(try things.rows(.not(.contains(array([.int(1), .int(3)], of: .int), things("int")))) == [2])
  }

  @Test func `lengths`() throws {
    #expect(try things.rows(equals(.count(things("tags")), int(3))) == [1])
    #expect(try things.rows(.isEmpty(things("tags"))) == [2, 3])
    #expect(try things.rows(equals(.isEmpty(things("tags")), bool(false))) == [1])
    #expect(try things.answer(equals(.count(things("map")), int(1))) == .yes)
    #expect(try things.answer(.isEmpty(things("map")), row: 2) == .yes)
    #expect(try things.answer(equals(.count(things("set")), int(2))) == .yes)
    #expect(try things.answer(.isEmpty(things("int"))) == .refused(.wrongType))
    #expect(try things.answer(.isEmpty(things("otags"))) == .refused(.wrongType))
  }

  @Test func `first, last, minimum and maximum`() throws {
    #expect(try things.answer(equals(.first(things("numbers")), int(3))) == .yes)
    #expect(try things.answer(equals(.last(things("tags")), text("b"))) == .yes)
    #expect(try things.answer(equals(.first(things("numbers")), null(.int)), row: 2) == .yes)
    #expect(try things.answer(equals(.minimum(things("numbers")), int(-1))) == .yes)
    #expect(try things.answer(equals(.maximum(things("numbers")), int(3))) == .yes)
    #expect(try things.answer(equals(.maximum(things("numbers")), null(.int)), row: 2) == .yes)
    // As in Swift: NaN compares false with everything.
    let doubles: [Double] = [2, .nan, 1]
    #expect(try things.answer(equals(.minimum(things("doubles")), double(doubles.min()!))) == .yes)
    #expect(try things.answer(equals(.maximum(things("doubles")), double(doubles.max()!))) == .yes)
    #expect(try things.answer(equals(.first(things("set")), text("x"))) == .refused(.wrongType))
    #expect(try things.answer(equals(.first(things("gaps")), int(1))) == .refused(.wrongType))
    #expect(try things.answer(equals(.minimum(things("items")), int(1))) == .refused(.wrongType))
  }

  @Test func `an element outside an array is an error`() throws {
    let second = Expression.element(things("numbers"), int(1))
    #expect(try things.answer(equals(second, int(-1))) == .yes)
    #expect(try things.answer(equals(second, int(-1)), row: 2) == .fault(.outOfBounds))
    for index in [-1, 3, .max, .min] as [Int64] {
      let condition = equals(.element(things("numbers"), int(index)), int(0))
      #expect(try things.answer(condition) == .fault(.outOfBounds))
      #expect(try things.fault(condition)?.part == "$0.numbers[\(index)]")
    }
    #expect(try things.answer(equals(.element(things("gaps"), int(1)), null(.int))) == .yes)
    #expect(try things.answer(equals(.element(things("set"), int(0)), text("x"))) == .refused(.wrongType))
  }

  @Test func `a dictionary has a value or nil`() throws {
    #expect(try things.answer(equals(.lookup(things("map"), text("k")), int(7))) == .yes)
    #expect(try things.answer(equals(.lookup(things("map"), things("text")), int(7))) == .yes)
    #expect(try things.answer(equals(.lookup(things("map"), text("K")), null(.int))) == .yes)
    #expect(try things.answer(equals(.lookup(things("map"), int(1)), int(7))) == .refused(.wrongType))
    let captured = Expression.constant(
      .dictionary([.int(1): .string("k"), .int(2): .string("")]), .dictionary(.int, .string))
    #expect(try things.rows(equals(.lookup(captured, things("int")), things("text"))) == [1, 2])
  }

  @Test func `some and all`() throws {
    func positive(_ quantifier: Expression.Quantifier) -> Expression {
      .quantified(quantifier, 1, things("numbers"), .compare(.greater, .variable(1), int(0)))
    }
    #expect(try things.rows(positive(.some)) == [1, 3])
    #expect(try things.rows(positive(.all)) == [2, 3])
    // It stops where Swift stops: the element after the first that decides would cause an error.
    let divided = Expression.arithmetic(.divide, int(1), .arithmetic(.add, .variable(1), int(1)))
    let stops = Expression.quantified(.some, 1, things("numbers"), .compare(.equal, divided, int(0)))
    #expect(try things.answer(stops) == .yes)
    let comesThere = Expression.quantified(.all, 1, things("numbers"), .compare(.equal, divided, int(0)))
    #expect(try things.answer(comesThere) == .fault(.dividedByZero))
  }

  @Test func `structs in a collection have parts`() throws {
    let named = Expression.quantified(
      .some, 1, things("items"), equals(.part(.variable(1), 0), text("two")))
    #expect(try things.rows(named) == [1])
    let scored = Expression.filter(1, things("items"), .compare(.notEqual, .part(.variable(1), 1), null(.double)))
    #expect(try things.answer(equals(.count(scored), int(1))) == .yes)
    let first = Expression.part(.first(things("items")), 0)
    #expect(try things.answer(equals(first, text("one"))) == .yes)
    #expect(try things.answer(equals(first, null(.string)), row: 2) == .yes)
    #expect(try things.answer(equals(.part(.first(things("items")), 2), text("one"))) == .refused(.wrongType))
  }

  @Test func `rows that refer to a row`() throws {
    let kids = things.kids()
    #expect(try things.rows(equals(.count(kids), int(2))) == [1])
    #expect(try things.rows(.isEmpty(kids)) == [2, 3])
    let third = Expression.compare(.equal, things("int", of: .variable(1)), int(3))
    #expect(try things.rows(.quantified(.some, 1, kids, third)) == [1])
    #expect(try things.rows(.quantified(.all, 1, kids, third)) == [2, 3])
    #expect(try things.rows(equals(.count(.filter(1, kids, third)), int(1))) == [1])
    #expect(try things.rows(equals(things("int", of: .first(kids)), int(2))) == [1])
    // The inner test may use values of the outer row.
    let bigger = Expression.compare(.greater, things("int", of: .variable(1)), things("int"))
    #expect(try things.rows(.quantified(.some, 1, kids, bigger)) == [1])
    let siblings = things.kids(of: .unwrap(things("next")))
    let isKid = Expression.compare(.notEqual, things("next"), null(.plain(.reference(things.thing))))
    #expect(try things.rows(.and([isKid, equals(.count(siblings), int(2))])) == [2, 3])
    let row = Expression.constant(.reference(RowID(3)), .plain(.reference(things.thing)))
    #expect(try things.rows(.contains(kids, row)) == [1])
  }

  @Test func `filters keep the elements that pass`() throws {
    let odd = Expression.filter(
      1, things("numbers"), .compare(.notEqual, .arithmetic(.remainder, .variable(1), int(2)), int(0)))
    #expect(try things.answer(equals(odd, things("numbers"))) == .yes)
    let x = Expression.filter(1, things("set"), equals(.variable(1), text("x")))
    #expect(try things.answer(equals(x, set([.string("x")], of: .string))) == .yes)
    #expect(try things.answer(equals(x, array([.string("x")], of: .string))) == .refused(.wrongType))
  }

  @Test func `collections are compared as wholes`() throws {
    #expect(
      try things.answer(equals(things("tags"), array([.string("\u{e9}"), .string("b"), .string("b")], of: .string)))
        == .yes)
    #expect(try things.answer(equals(things("doubles"), things("doubles"))) == .no)
    #expect(try things.answer(equals(things("otags"), null(.array(.string))), row: 2) == .yes)
    #expect(
      try things.answer(equals(things("map"), .constant(.dictionary([:]), .dictionary(.string, .int))), row: 2) == .yes)
  }
}
