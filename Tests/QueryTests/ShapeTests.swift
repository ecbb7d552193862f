import RoostQuery
import RoostRecords
import Testing

/// Kinds of predicates from real programs that the other suites do not cover.
@Suite("Shapes of predicates") struct ShapeTests {
  let things: Things

  init() throws {
    things = try Things([
      [
        "int": .int(4), "oint": .int(2), "text": .string("Caf\u{e9}"), "otext": .string("rock"),
        "odouble": .double(2.5),
        "map": .dictionary([.string("a"): .int(3)]), "numbers": .array([.int(7), .int(8)]), "gaps": .array([.null]),
        "items": .array([.structure([.string("n"), .double(1)])]), "decimal": .decimal(DecimalNumber(5)),
        "place": .bool(true), "place.city": .string("Bern"), "date": .date(5),
        "uuid": .uuid(UUIDNumber(high: 1, low: 2)),
      ],
      ["next": .reference(RowID(1)), "int": .int(-3), "text": .string("cafe"), "decimal": .decimal(DecimalNumber(-1))],
      ["next": .reference(RowID(2)), "text": .string("CAFE")],
    ])
  }

  private func equals(_ one: Expression, _ two: Expression) -> Expression { .compare(.equal, one, two) }

  @Test func `enums by their raw values, also optional ones`() throws {
    #expect(try things.rows(equals(things("otext"), text("rock"))) == [1])
    #expect(try things.rows(.compare(.notEqual, things("otext"), text("rock"))) == [2, 3])
    let known = array([.string("rock"), .string("jazz")], of: .string)
    #expect(try things.rows(.contains(known, things("otext"))) == [1])
    #expect(try things.rows(.contains(array([.int(4)], of: .int), things("int"))) == [1])
  }

  @Test func `identifiers are rows`() throws {
    let row = Kind.plain(.reference(things.thing))
    #expect(try things.rows(equals(.row, .constant(.reference(RowID(2)), row))) == [2])
    #expect(try things.rows(equals(things("next"), .constant(.reference(RowID(2)), row))) == [3])
    #expect(try things.rows(.contains(set([.reference(RowID(3)), .reference(RowID(1))], of: row), .row)) == [1, 3])
    #expect(
      try things.rows(equals(things("uuid"), .constant(.uuid(UUIDNumber(high: 1, low: 2)), .plain(.uuid)))) == [1])
  }

  @Test func `chains of optionals`() throws {
    let name = things("text", of: things("next", of: things("next")))
    #expect(try things.rows(equals(name, text("Caf\u{e9}"))) == [3])
    #expect(try things.rows(equals(name, null(.string))) == [1, 2])
    #expect(
      try things.rows(.compare(.greater, .coalesce(things("int", of: things("next")), int(-9)), int(-9))) == [2, 3])
    // flatMap in flatMap.
    let inner = Expression.ifLet(
      2, things("odouble", of: .variable(1)), .compare(.greater, .variable(2), double(2)), null(.bool))
    #expect(try things.rows(equals(.ifLet(1, things("next"), inner, null(.bool)), bool(true))) == [2])
    #expect(try things.rows(equals(.ifLet(1, things("next"), inner, null(.bool)), null(.bool))) == [1, 3])
  }

  @Test func `an optional of an optional is refused with a named error`() throws {
    for part in [Expression.first(things("gaps")), .last(things("gaps")), .minimum(things("gaps"))] {
      let fault = try things.fault(equals(part, int(1)))
      #expect(fault?.code == .wrongType)
      #expect(fault?.detail == "it would be an optional of an optional")
      #expect(fault?.part.hasPrefix("$0.gaps.") == true)
    }
    let map = Expression.constant(.dictionary([:]), .dictionary(.string, .int.optional))
    #expect(try things.fault(equals(.lookup(map, text("a")), int(1)))?.code == .wrongType)
  }

  @Test func `subscripts`() throws {
    #expect(try things.rows(equals(.lookup(things("map"), text("a")), int(3))) == [1])
    // With a default.
    #expect(try things.rows(equals(.coalesce(.lookup(things("map"), text("a")), int(0)), int(0))) == [2, 3])
    #expect(try things.answer(equals(.element(things("numbers"), int(0)), int(7))) == .yes)
    #expect(try things.answer(equals(.element(things("numbers"), int(0)), int(7)), row: 2) == .fault(.outOfBounds))
    #expect(try things.rows(equals(.part(.first(things("items")), 0), text("n"))) == [1])
    #expect(
      try things.rows(.compare(.greater, .coalesce(.part(.first(things("items")), 1), double(0)), double(0))) == [1])
    #expect(try things.rows(equals(.first(things("numbers")), int(7))) == [1])
  }

  @Test func `structs by their parts`() throws {
    #expect(try things.rows(equals(things("place.city"), text("Bern"))) == [1])
    #expect(try things.rows(equals(things("place"), null(.plain(.presence)))) == [2, 3])
  }

  @Test func `numbers`() throws {
    #expect(try things.rows(.within(int(1), int(5), true, things("int"))) == [1])
    #expect(try things.rows(.within(int(-3), int(4), false, things("int"))) == [2, 3])
    #expect(try things.rows(equals(.arithmetic(.remainder, things("int"), int(2)), int(0))) == [1, 3])
    #expect(
      try things.rows(equals(.conditional(.compare(.less, things("int"), int(0)), int(1), int(2)), int(1))) == [2])
    #expect(try things.rows(.compare(.greater, .arithmetic(.multiply, things("int"), things("int")), int(10))) == [1])
    #expect(
      try things.answer(equals(.arithmetic(.divide, int(8), things("int")), int(2)), row: 3) == .fault(.dividedByZero))
  }

  @Test func `decimals are compared, and their arithmetic is refused with a named error`() throws {
    let zero = Expression.constant(.decimal(DecimalNumber(0)), .plain(.decimal))
    #expect(try things.rows(.compare(.greater, things("decimal"), zero)) == [1])
    #expect(
      try things.rows(.within(zero, .constant(.decimal(DecimalNumber(9)), .plain(.decimal)), true, things("decimal")))
        == [1, 3])
    for operation in Expression.Arithmetic.allCases {
      let fault = try things.fault(equals(.arithmetic(operation, things("decimal"), zero), zero))
      #expect(fault?.code == .wrongType)
      #expect(fault?.detail.contains("Decimal") == true)
    }
    #expect(try things.fault(equals(.negate(things("decimal")), zero))?.code == .wrongType)
  }

  @Test func `texts`() throws {
    let name = things("text")
    #expect(try things.rows(equals(.changed(.lowercased, name), text("cafe"))) == [2, 3])
    #expect(try things.rows(equals(.changed(.uppercased, name), text("CAF\u{c9}"))) == [1])
    #expect(try things.rows(.text(.hasPrefix, name, text("Caf"))) == [1])
    #expect(try things.rows(.text(.hasSuffix, .changed(.lowercased, name), text("e"))) == [2, 3])
    #expect(try things.rows(.text(.containsLoosely, name, text("E"))) == [1, 2, 3])
    #expect(try things.rows(equals(.textOrder(.caseless, name, text("Cafe")), int(0))) == [2, 3])
    #expect(try things.rows(.compare(.less, .textOrder(.localized, name, text("CAFE")), int(0))) == [2])
    #expect(try things.rows(.matches(name, "^[cC]af.$")) == [1, 2])
    #expect(try things.rows(.text(.contains, .coalesce(things("otext"), text("")), text("oc"))) == [1])
  }

  @Test func `let statements and predicates within predicates`() throws {
    // `let n = $0.int + 1; return n > 0 && n < 9`, which binds a value that is never nil.
    let both = Expression.and([.compare(.greater, .variable(1), int(0)), .compare(.less, .variable(1), int(9))])
    let bound = Expression.ifLet(1, .arithmetic(.add, things("int"), int(1)), both, bool(false))
    #expect(try things.rows(bound) == [1, 3])
    // `other.evaluate($0.next!)`: the row of the other predicate is bound to a variable.
    let other = Expression.ifLet(
      1, things("next"), .compare(.greater, things("int", of: .variable(1)), int(0)), bool(false))
    #expect(try things.rows(other) == [2])
    #expect(try things.rows(bool(true)) == [1, 2, 3])
    #expect(try things.rows(equals(things("int"), int(.max))) == [])
  }

  @Test func `chains of many tests`() throws {
    let chain = (0..<200).reduce(bool(true)) { $0 && .compare(.notEqual, things("int"), int(Int64($1 + 10))) }
    #expect(try things.rows(chain) == [1, 2, 3])
    let other = (0..<200).reduce(bool(false)) { $0 || .compare(.equal, things("int"), int(Int64($1))) }
    #expect(try things.rows(other) == [1, 3])
  }
}
