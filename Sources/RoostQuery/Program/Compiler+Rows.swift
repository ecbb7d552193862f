internal import RoostRecords

/// Tests of the rows that a relationship leads to, as loops in the program.
///
/// What Swift computes whole before it goes on is computed whole here too: a filter is a loop of its own, whose rows are kept in a
/// list. So the same rows are at fault.
extension Compiler {
  /// Where a loop gets its rows from.
  enum RowSource {
    case members(owner: UInt16, loop: UInt16)
    case list(UInt16)
  }

  /// Whether a program can go through these rows by itself.
  func isLoop(_ term: Term) -> Bool {
    switch term.expression {
    case .many: true
    case .unwrap: term.operands[0].isMany
    case .coalesce: term.operands[0].isMany && term.operands[1].constant == .array([])
    case .filter: isLoop(term.operands[0])
    case .variable(let number): rowVariables[number] != nil
    default: false
    }
  }

  mutating func source(_ term: Term) throws -> RowSource {
    switch term.expression {
    case .filter(let variable, _, _):
      let inner = try source(term.operands[0])
      let list = try parts.addList()
      emit(Instruction(code: .clear, two: list))
      let (again, end) = (label(), label())
      let element = try begin(inner, again, end: end)
      try binding(variable, element, rows: term.operands[0].kind) { (compiler) throws in
        try compiler.jump(term.operands[1], to: again, when: false)
      }
      emit(Instruction(code: .keep, one: element, two: list))
      emit(Instruction(code: .jump), jumpingTo: again)
      place(end)
      return .list(list)
    default:
      let rows = try memberRows(term)
      return .members(owner: rows.owner, loop: try parts.addLoop(rows.many, ground))
    }
  }

  /// The row to which rows belong, and by which relationship.
  private mutating func memberRows(_ term: Term) throws -> MemberTerm {
    switch term.expression {
    case .variable(let number): return rowVariables[number]!
    case .unwrap, .coalesce:
      // A relationship of no row is nil, or the empty list in its place.
      let owner = try value(term.operands[0].operands[0])
      if case .unwrap = term.expression { emit(Instruction(code: .demand, one: owner, extra: parts.add(term))) }
      return MemberTerm(owner: owner, many: term.operands[0])
    default: return MemberTerm(owner: try value(term.operands[0]), many: term)
    }
  }

  /// Whether a variable can stand for these rows without a list of them.
  func isBindable(_ term: Term) -> Bool {
    if case .filter = term.expression { return false }
    return isLoop(term)
  }

  /// `if let` of rows: the variable stands for the row to which they belong.
  mutating func bindRows(
    _ variable: Int, _ term: Term, orElse other: Int, body: (inout Compiler) throws -> Void
  ) throws {
    let rows = try memberRows(term)
    // Only the relationship itself is nil where there is no row; what stands in its place is empty.
    if term.isMany, term.kind.isOptional {
      emit(Instruction(code: .jumpIfNull, detail: Self.detail(0, true), one: rows.owner), jumpingTo: other)
    }
    let before = (variables, rowVariables)
    rowVariables[variable] = rows
    variables[variable] = nil
    try body(&self)
    (variables, rowVariables) = before
  }

  /// Emits the head of a loop, and returns where its element stands.
  private mutating func begin(_ source: RowSource, _ again: Int, end: Int) throws -> UInt16 {
    let element = try parts.register()
    switch source {
    case .members(let owner, let loop):
      emit(Instruction(code: .begin, one: owner, two: loop))
      place(again)
      emit(Instruction(code: .next, target: element, two: loop), jumpingTo: end)
    case .list(let list):
      emit(Instruction(code: .rewind, two: list))
      place(again)
      emit(Instruction(code: .nextKept, target: element, two: list), jumpingTo: end)
    }
    return element
  }

  private mutating func binding(
    _ variable: Int, _ register: UInt16, rows: Kind, body: (inout Compiler) throws -> Void
  ) throws {
    let before = (variables, rowVariables)
    variables[variable] = (register, rows.whole.element ?? .int)
    rowVariables[variable] = nil
    try body(&self)
    (variables, rowVariables) = before
  }

  // MARK: Tests

  /// Whether some or all rows fulfil a test: the first that decides ends the loop.
  mutating func quantified(
    _ quantifier: Expression.Quantifier, _ variable: Int, term: Term, to target: Int, when sense: Bool
  ) throws {
    let decides = quantifier == .some
    let (again, end, done) = (label(), label(), label())
    let element = try begin(source(term.operands[0]), again, end: end)
    try binding(variable, element, rows: term.operands[0].kind) { (compiler) throws in
      try compiler.jump(term.operands[1], to: decides == sense ? target : done, when: decides)
    }
    emit(Instruction(code: .jump), jumpingTo: again)
    place(end)
    if decides != sense { emit(Instruction(code: .jump), jumpingTo: target) }
    place(done)
  }

  mutating func isEmpty(_ term: Term, to target: Int, when sense: Bool) throws {
    let detail = Self.detail(0, !sense)
    switch try source(term.operands[0]) {
    case .members(let owner, let loop):
      emit(Instruction(code: .hasMembers, detail: detail, one: owner, two: loop), jumpingTo: target)
    case .list(let list):
      let count = try parts.register()
      emit(Instruction(code: .keptCount, target: count, two: list))
      emit(Instruction(code: .jumpIf, detail: detail, one: count), jumpingTo: target)
    }
  }

  mutating func contains(_ term: Term, to target: Int, when sense: Bool) throws {
    let detail = Self.detail(0, sense)
    let rows = try source(term.operands[0])
    let row = try value(term.operands[1])
    switch rows {
    case .members(let owner, let loop):
      emit(Instruction(code: .belongs, detail: detail, target: owner, one: row, two: loop), jumpingTo: target)
    case .list(let list): emit(Instruction(code: .isKept, detail: detail, one: row, two: list), jumpingTo: target)
    }
  }

  // MARK: Values

  /// How many rows there are, or the first or the last of them.
  mutating func rowValue(_ term: Term) throws -> UInt16 {
    let rows = try source(term.operands[0])
    let target = try parts.register()
    switch (rows, term.expression) {
    case (.members(let owner, let loop), .count):
      emit(Instruction(code: .memberCount, target: target, one: owner, two: loop))
    case (.members(let owner, let loop), .first):
      emit(Instruction(code: .firstMember, target: target, one: owner, two: loop))
    case (.members(let owner, let loop), _):
      emit(Instruction(code: .lastMember, target: target, one: owner, two: loop))
    case (.list(let list), .count): emit(Instruction(code: .keptCount, target: target, two: list))
    case (.list(let list), .first): emit(Instruction(code: .firstKept, target: target, two: list))
    case (.list(let list), _): emit(Instruction(code: .lastKept, target: target, two: list))
    }
    return target
  }
}

/// Rows that belong to the row in a register.
struct MemberTerm {
  var owner: UInt16
  var many: Term
}

extension Term {
  fileprivate var isMany: Bool { if case .many = expression { true } else { false } }
}
