internal import RoostRecords

/// Compiles tests of a relationship's rows as loops in the program.
///
/// A collection that Swift computes completely before it continues is computed completely here too:
/// a filter is a loop of its own that keeps its rows in a list. So the same rows cause the same
/// errors.
extension Compiler {
  /// The source of a loop's rows.
  enum RowSource {
    case members(owner: UInt16, loop: UInt16)
    case list(UInt16)
  }

  /// Whether a program can loop over these rows without the interpreter.
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

  /// The register of the row that owns the rows, and the relationship.
  private mutating func memberRows(_ term: Term) throws -> MemberTerm {
    switch term.expression {
    case .variable(let number): return rowVariables[number]!
    case .unwrap, .coalesce:
      // The relationship of a nil row is nil, or the empty list that replaces it.
      let owner = try value(term.operands[0].operands[0])
      if case .unwrap = term.expression { emit(Instruction(code: .demand, one: owner, extra: parts.add(term))) }
      return MemberTerm(owner: owner, many: term.operands[0])
    default: return MemberTerm(owner: try value(term.operands[0]), many: term)
    }
  }

  /// Whether a variable can be bound to these rows without making a list.
  func isBindable(_ term: Term) -> Bool {
    if case .filter = term.expression { return false }
    return isLoop(term)
  }

  /// `if let` of rows: the variable is bound to the row that owns them.
  mutating func bindRows(
    _ variable: Int, _ term: Term, orElse other: Int, body: (inout Compiler) throws -> Void
  ) throws {
    let rows = try memberRows(term)
    // Only the relationship itself is nil if there is no row; its replacement by `??` is empty.
    if term.isMany, term.kind.isOptional {
      emit(Instruction(code: .jumpIfNull, detail: Self.detail(0, true), one: rows.owner), jumpingTo: other)
    }
    let before = (variables, rowVariables)
    rowVariables[variable] = rows
    variables[variable] = nil
    try body(&self)
    (variables, rowVariables) = before
  }

  /// Emits the head of a loop and returns the register of its element.
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

  /// Whether some or all rows fulfil a test: the first row that decides ends the loop.
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

  /// The number of rows, or the first or last row.
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

/// The rows of a relationship whose owner is in a register.
struct MemberTerm {
  var owner: UInt16
  var many: Term
}

extension Term {
  fileprivate var isMany: Bool { if case .many = expression { true } else { false } }
}
