import RoostQuery
import RoostRecords
import Testing

/// An invalid condition is refused before a row is read, with an error that names the part.
@Suite("Refusals") struct RefusalTests {
  let things: Things

  init() throws { things = try Things() }

  private func refused(
    _ condition: Expression, _ code: ConditionFault.Code, _ part: String, _ location: SourceLocation = #_sourceLocation
  ) throws {
    let fault = try #require(try things.fault(condition), sourceLocation: location)
    #expect(fault.code == code && fault.part == part, "\(fault)", sourceLocation: location)
  }

  @Test func `operands of wrong types are named in the error`() throws {
    try refused(.compare(.equal, things("int"), text("1")), .wrongType, "$0.int == \"1\"")
    try refused(.compare(.less, things("int"), double(1)), .wrongType, "$0.int < 1.0")
    try refused(.and([bool(true), things("int")]), .wrongType, "(true && $0.int)")
    try refused(.not(things("text")), .wrongType, "!$0.text")
    try refused(.not(things("oflag")), .wrongType, "!$0.oflag")
    try refused(.conditional(things("int"), bool(true), bool(false)), .wrongType, "($0.int ? true : false)")
    try refused(.conditional(things("flag"), int(1), bool(false)), .wrongType, "($0.flag ? 1 : false)")
    try refused(.coalesce(things("oint"), text("")), .wrongType, "($0.oint ?? \"\")")
    try refused(.text(.contains, things("otext"), text("a")), .wrongType, "$0.otext.contains(\"a\")")
    try refused(.arithmetic(.add, things("text"), things("text")), .wrongType, "($0.text + $0.text)")
    try refused(.arithmetic(.add, things("int"), things("small")), .wrongType, "($0.int + $0.small)")
    try refused(.arithmetic(.add, things("oint"), things("oint")), .wrongType, "($0.oint + $0.oint)")
    try refused(.contains(things("tags"), int(1)), .wrongType, "$0.tags.contains(1)")
    try refused(.within(int(0), double(1), true, things("int")), .wrongType, "(0...1.0).contains($0.int)")
  }

  @Test func `a condition must be true or false`() throws {
    try refused(things("int"), .wrongType, "$0.int")
    try refused(things("oflag"), .wrongType, "$0.oflag")
    try refused(null(.bool), .wrongType, "nil")
    try refused(.row, .wrongType, "$0")
  }

  @Test func `unknown names are refused`() throws {
    try refused(.compare(.equal, .field(.row, FieldID(999)), int(1)), .unknown, "$0.field999")
    try refused(.compare(.equal, .variable(4), int(1)), .unknown, "$4")
    try refused(.isEmpty(.many(.row, RelationshipID(999))), .unknown, "$0.relationship999")
    try refused(.compare(.equal, .field(things("int"), FieldID(1)), int(1)), .wrongType, "$0.int.field1")
    try refused(.compare(.equal, .part(things("int"), 0), int(1)), .wrongType, "$0.int.0")
    #expect(throws: ConditionFault.self) {
      try things.store.read { try Planner(Ground($0)).plan(Query("Nothing")) }
    }
  }

  @Test func `a variable is known only where it is bound`() throws {
    let bound = Expression.quantified(.some, 1, things("numbers"), .compare(.equal, .variable(1), int(1)))
    try refused(.and([bound, .compare(.equal, .variable(1), int(1))]), .unknown, "$1")
    let other = Expression.ifLet(1, things("oint"), bool(true), .compare(.equal, .variable(1), int(1)))
    try refused(other, .unknown, "$1")
    for number in [0, -1, 1 << 16, Int.max] {
      let condition = Expression.quantified(.some, number, things("numbers"), bool(true))
      #expect(try things.answer(condition) == .refused(.wrongType))
    }
  }

  @Test func `a constant must have its declared kind`() throws {
    let wrong: [Expression] = [
      .constant(.int(300), .plain(.int8)), .constant(.uint(70_000), .plain(.uint16)), .constant(.null, .int),
      .constant(.int(1), .plain(.uint64)), .constant(.string(""), .plain(.url)),
      .constant(.array([.null]), .array(.int)),
      .constant(.array([.int(1)]), .plain(.array(.plain(.int64)))), .constant(.structure([]), .plain(.presence)),
      .constant(.structure([.string("")]), .structure([.init("a", .plain(.string)), .init("b", .plain(.string))])),
      .constant(.array([.int(1)]), .rows(EntityID(1))),
    ]
    for constant in wrong {
      #expect(try things.answer(.compare(.equal, constant, constant)) == .refused(.wrongType), "\(constant)")
    }
  }

  @Test(arguments: [201, 1000, 10_000]) func `a too deep condition is refused, and costs no stack`(depth: Int) throws {
    let not = (0..<depth).reduce(bool(true)) { inner, _ in .not(inner) }
    #expect(try things.answer(not) == .refused(.tooDeep))
    let sum = (0..<depth).reduce(int(0)) { inner, _ in .arithmetic(.add, inner, int(1)) }
    #expect(try things.answer(.compare(.equal, sum, int(1))) == .refused(.tooDeep))
    let row = (0..<depth).reduce(Expression.row) { inner, _ in .field(inner, FieldID(20)) }
    #expect(try things.answer(.compare(.equal, row, row)) == .refused(.tooDeep))
  }

  @Test func `the deepest allowed condition is computed`() throws {
    let not = (0..<198).reduce(bool(true)) { inner, _ in .not(inner) }
    #expect(try things.answer(not) == .yes)
    let sum = (0..<150).reduce(things("int")) { inner, _ in .arithmetic(.add, inner, int(1)) }
    #expect(try things.answer(.compare(.equal, sum, int(150))) == .yes)
    let chain = (0..<2000).map { Expression.compare(.notEqual, things("int"), int(Int64($0 + 1))) }
    #expect(try things.answer(.and(chain)) == .yes)
    #expect(try things.answer(.not(.or(chain.map { .not($0) }))) == .yes)
  }

  /// With this many tests, those beyond the limit once shared the number of the last list and gave
  /// its result.
  @Test func `a condition with too many parts is refused`() throws {
    let row = Kind.plain(.reference(things.thing))
    let tests = (0..<70_000).map { number in
      Expression.contains(array([.reference(RowID(UInt64(number + 10)))], of: row), .row)
    }
    let last = Expression.contains(array([.reference(RowID(1))], of: row), .row)
    let term = try Checker.condition(.or(tests + [last]), things.catalog, entity: things.thing)
    let fault = #expect(throws: ConditionFault.self) {
      try things.store.read { _ = try Program(condition: term, Ground($0), things.thing) }
    }
    #expect(fault?.code == .tooDeep)
  }
}
