internal import RoostRecords
internal import _StringProcessing

/// Compiles a checked term to a program.
///
/// Tests become jumps, so a program computes nothing that Swift would not compute. A subterm
/// without an instruction is left to the interpreter.
struct Compiler {
  let ground: Ground
  let parts: ProgramParts
  /// The register of each bound variable.
  var variables: [Int: (register: UInt16, kind: Kind)] = [:]
  /// The rows that a variable is bound to, if they are those of a relationship.
  var rowVariables: [Int: MemberTerm] = [:]
  private var labels: [Int32?] = []
  private var jumps: [(instruction: Int, label: Int)] = []

  init(_ ground: Ground, _ entity: EntityID) throws {
    self.ground = ground
    parts = ProgramParts(ground, entity)
    variables[0] = (ProgramParts.reference, .plain(.reference(entity)))
  }

  mutating func compile(condition: Term) throws -> ProgramParts {
    let end = label()
    try jump(condition, to: end, when: false)
    emit(Instruction(code: .yes))
    place(end)
    emit(Instruction(code: .no))
    settle()
    return parts
  }

  /// Compiles a program that leaves a value in the returned register.
  mutating func compile(value: Term) throws -> (ProgramParts, UInt16)? {
    guard CellCoding(value.kind) != nil else { return nil }
    let register = try self.value(value)
    emit(Instruction(code: .yes))
    settle()
    return (parts, register)
  }

  // MARK: Emitting

  mutating func label() -> Int {
    labels.append(nil)
    return labels.count - 1
  }

  mutating func place(_ label: Int) { labels[label] = Int32(parts.instructions.count) }

  mutating func emit(_ instruction: Instruction) { parts.instructions.append(instruction) }

  mutating func emit(_ instruction: Instruction, jumpingTo label: Int) {
    jumps.append((parts.instructions.count, label))
    emit(instruction)
  }

  private mutating func settle() {
    for (instruction, label) in jumps { parts.instructions[instruction].extra = labels[label] ?? 0 }
  }

  static func detail(_ question: UInt8, _ sense: Bool) -> UInt8 { question | (sense ? 8 : 0) }

  // MARK: Tests

  mutating func jump(_ term: Term, to target: Int, when sense: Bool) throws {
    switch term.expression {
    case .constant(let value, _):
      if (value == .bool(true)) == sense { emit(Instruction(code: .jump), jumpingTo: target) }
    case .not: try jump(term.operands[0], to: target, when: !sense)
    case .and: try chain(term.operands, to: target, when: sense, stopsAt: false)
    case .or: try chain(term.operands, to: target, when: sense, stopsAt: true)
    case .conditional:
      let (other, end) = (label(), label())
      try jump(term.operands[0], to: other, when: false)
      try jump(term.operands[1], to: target, when: sense)
      emit(Instruction(code: .jump), jumpingTo: end)
      place(other)
      try jump(term.operands[2], to: target, when: sense)
      place(end)
    case .ifLet(let variable, _, _, _) where isCell(term.operands[0]):
      let (other, end) = (label(), label())
      let register = try value(term.operands[0])
      try jumpIfNull(register, term.operands[0], to: other)
      let before = (variables, rowVariables)
      variables[variable] = (register, term.operands[0].kind.whole)
      rowVariables[variable] = nil
      try jump(term.operands[1], to: target, when: sense)
      (variables, rowVariables) = before
      emit(Instruction(code: .jump), jumpingTo: end)
      place(other)
      try jump(term.operands[2], to: target, when: sense)
      place(end)
    case .ifLet(let variable, _, _, _) where isBindable(term.operands[0]):
      let (other, end) = (label(), label())
      try bindRows(variable, term.operands[0], orElse: other) { (compiler) throws in
        try compiler.jump(term.operands[1], to: target, when: sense)
      }
      emit(Instruction(code: .jump), jumpingTo: end)
      place(other)
      try jump(term.operands[2], to: target, when: sense)
      place(end)
    case .compare(let comparison, _, _) where term.operands.allSatisfy(isCell):
      try compare(comparison, term.operands[0], two: term.operands[1], to: target, when: sense)
    case .within(_, _, let isClosed, _) where isSoundRange(term):
      let parts = term.operands
      let (number, end) = (try value(parts[2]), label())
      let (low, high) = (try value(parts[0]), try value(parts[1]))
      let code = comparing(parts[2].kind)
      let outside = sense ? end : target
      emit(
        Instruction(code: code, detail: Self.detail(5, false), one: number, two: low), jumpingTo: outside)
      emit(
        Instruction(code: code, detail: Self.detail(isClosed ? 3 : 2, sense), one: number, two: high),
        jumpingTo: target)
      place(end)
    case .text(let test, _, _) where Self.isText(term.operands):
      let text = try value(term.operands[0])
      let needle = try needle(test, term.operands[1])
      emit(
        Instruction(code: .find, detail: Self.detail(0, sense), one: text, two: needle), jumpingTo: target)
    case .matches(_, let pattern) where isCell(term.operands[0]):
      let text = try value(term.operands[0])
      emit(
        Instruction(code: .match, detail: Self.detail(0, sense), one: text, two: try parts.pattern(pattern)),
        jumpingTo: target)
    case .contains where members(term) != nil:
      let element = try value(term.operands[1])
      let set = try parts.add(members(term)!)
      emit(
        Instruction(code: .member, detail: Self.detail(0, sense), one: element, two: set), jumpingTo: target)
    case .contains(.parameter(let number, let kind), _) where isCell(term.operands[1]):
      let element = try value(term.operands[1])
      guard let set = try kind.element.flatMap({ (kind) throws in try parts.members(number, kind) }) else {
        return try interpret(term, to: target, when: sense)
      }
      emit(
        Instruction(code: .member, detail: Self.detail(0, sense), one: element, two: set), jumpingTo: target)
    case .quantified(let quantifier, let variable, _, _) where isLoop(term.operands[0]):
      try quantified(quantifier, variable, term: term, to: target, when: sense)
    case .isEmpty where isLoop(term.operands[0]): try isEmpty(term, to: target, when: sense)
    case .contains where isLoop(term.operands[0]): try contains(term, to: target, when: sense)
    case .search where isSearch(term):
      let row = try value(term.operands[0])
      let answer = try parts.add(ground.answer(term))
      emit(Instruction(code: .isFound, detail: Self.detail(0, sense), one: row, two: answer), jumpingTo: target)
    case .isEmpty where term.operands[0].kind == .string:
      let text = try value(term.operands[0])
      emit(Instruction(code: .empty, detail: Self.detail(0, sense), one: text), jumpingTo: target)
    default: try interpret(term, to: target, when: sense)
    }
  }

  private mutating func interpret(_ term: Term, to target: Int, when sense: Bool) throws {
    let register = try computed(term)
    emit(Instruction(code: .jumpIf, detail: Self.detail(0, sense), one: register), jumpingTo: target)
  }

  private func needle(_ test: Expression.TextTest, _ part: Term) throws(ConditionFault) -> UInt16 {
    if case .parameter(let number, _) = part.expression { return try parts.needle(test, parameter: number) }
    return try parts.needle(test, part.constant)
  }

  /// `&&` and `||`: the first part whose result is `stop` decides.
  private mutating func chain(_ all: Operands, to target: Int, when sense: Bool, stopsAt stop: Bool) throws {
    let end = label()
    let decided = sense == stop ? target : end
    var rest = Array(all)[...]
    while let part = rest.first {
      let searches: ArraySlice<Term> =
        stop ? rest.prefix { $0.isSearch && $0.operands[0].expression == part.operands[0].expression } : []
      if searches.count > 1 {
        try search(searches, to: decided)
        rest = rest.dropFirst(searches.count)
      } else {
        try jump(part, to: decided, when: stop)
        rest = rest.dropFirst()
      }
    }
    if sense != stop { emit(Instruction(code: .jump), jumpingTo: target) }
    place(end)
  }

  /// Jumps if a field contains one of several texts. If these differ by case alone, one search
  /// excludes rows that contain none.
  private mutating func search(_ searches: ArraySlice<Term>, to target: Int) throws {
    guard let first = searches.first else { return }
    let none = label()
    let text = try value(first.operands[0])
    let needles = try searches.map { (search) throws(ConditionFault) in
      try needle(.contains, search.operands[1])
    }
    emit(
      Instruction(code: .find, detail: Self.detail(0, false), one: text, two: try parts.sieve(needles)),
      jumpingTo: none)
    for needle in needles {
      emit(Instruction(code: .find, detail: Self.detail(0, true), one: text, two: needle), jumpingTo: target)
    }
    place(none)
  }

  private mutating func compare(
    _ comparison: Expression.Comparison, _ one: Term, two: Term, to target: Int, when sense: Bool
  ) throws {
    // `x == nil` needs no value.
    if comparison == .equal || comparison == .notEqual, one.constant == .null || two.constant == .null {
      let register = try value(one.constant == .null ? two : one)
      let isNull = (comparison == .equal) == sense
      return emit(Instruction(code: .jumpIfNull, detail: Self.detail(0, isNull), one: register), jumpingTo: target)
    }
    let (first, second) = (try value(one), try value(two))
    emit(
      Instruction(code: comparing(one.kind), detail: Self.detail(comparison.rawValue, sense), one: first, two: second),
      jumpingTo: target)
  }

  private func comparing(_ kind: Kind) -> Instruction.Code {
    switch CellOrder(kind) {
    case .signed: .compareSigned
    case .unsigned, nil: .compareUnsigned
    case .double: .compareDouble
    case .text: .compareText
    case .bytes: .compareBytes
    }
  }

  /// Whether the row and the question of a search are known without the interpreter.
  private func isSearch(_ term: Term) -> Bool {
    (term.operands[0].isRow || isCell(term.operands[0])) && term.operands[1].isConstant
  }

  private func isCell(_ term: Term) -> Bool { CellCoding(term.kind) != nil }

  fileprivate static func isText(_ parts: Operands) -> Bool {
    if case .parameter(_, .plain(.string)) = parts[1].expression { return true }
    if case .string = parts[1].constant { return true }
    return false
  }

  /// Whether the bounds of a range are known and ordered: then it cannot throw.
  private func isSoundRange(_ term: Term) -> Bool {
    guard let low = term.operands[0].constant, let high = term.operands[1].constant, isCell(term.operands[2]) else {
      return false
    }
    return !ValueOrder.isUnordered(low) && !ValueOrder.isUnordered(high) && !ValueOrder.holds(.less, high, other: low)
  }

  private func members(_ term: Term) -> ConstantSet? {
    guard let element = term.operands[0].kind.element else { return nil }
    switch term.operands[0].constant {
    case .array(let values): return ConstantSet(values, element)
    case .set(let values): return ConstantSet(Array(values), element)
    default: return nil
    }
  }

  // MARK: Values

  mutating func value(_ term: Term) throws -> UInt16 {
    switch term.expression {
    case .constant(let value, _): return try parts.constant(value)
    case .parameter(let number, _) where isCell(term): return try parts.parameter(number)
    case .variable(let number): return variables[number]?.register ?? ProgramParts.reference
    case .field where isCell(term) && isCell(term.operands[0]): return try field(term)
    case .arithmetic, .negate: return try arithmetic(term)
    case .count where term.operands[0].kind == .string:
      let (text, target) = (try value(term.operands[0]), try parts.register())
      emit(Instruction(code: .characters, target: target, one: text))
      return target
    case .count where isLoop(term.operands[0]), .first where isLoop(term.operands[0]),
      .last where isLoop(term.operands[0]):
      return try rowValue(term)
    case .quantified where isLoop(term.operands[0]): return try flag(term)
    case .unwrap where isCell(term):
      let register = try value(term.operands[0])
      emit(Instruction(code: .demand, one: register, extra: parts.add(term)))
      return register
    case .coalesce where isCell(term):
      let (target, end) = (try parts.register(), label())
      try copy(term.operands[0], to: target)
      emit(Instruction(code: .jumpIfNull, detail: Self.detail(0, false), one: target), jumpingTo: end)
      try copy(term.operands[1], to: target)
      place(end)
      return target
    case .conditional where isCell(term):
      let (target, other, end) = (try parts.register(), label(), label())
      try jump(term.operands[0], to: other, when: false)
      try copy(term.operands[1], to: target)
      emit(Instruction(code: .jump), jumpingTo: end)
      place(other)
      try copy(term.operands[2], to: target)
      place(end)
      return target
    case .ifLet(let variable, _, _, _) where isCell(term) && isCell(term.operands[0]):
      let (target, other, end) = (try parts.register(), label(), label())
      let register = try value(term.operands[0])
      try jumpIfNull(register, term.operands[0], to: other)
      let before = (variables, rowVariables)
      variables[variable] = (register, term.operands[0].kind.whole)
      rowVariables[variable] = nil
      try copy(term.operands[1], to: target)
      (variables, rowVariables) = before
      emit(Instruction(code: .jump), jumpingTo: end)
      place(other)
      try copy(term.operands[2], to: target)
      place(end)
      return target
    case .ifLet(let variable, _, _, _) where isCell(term) && isBindable(term.operands[0]):
      let (target, other, end) = (try parts.register(), label(), label())
      try bindRows(variable, term.operands[0], orElse: other) { (compiler) throws in
        try compiler.copy(term.operands[1], to: target)
      }
      emit(Instruction(code: .jump), jumpingTo: end)
      place(other)
      try copy(term.operands[2], to: target)
      place(end)
      return target
    case .not, .and, .or, .compare, .within, .text, .matches, .contains, .isEmpty, .search:
      return try flag(term)
    case .rank where isSearch(term):
      let (row, target) = (try value(term.operands[0]), try parts.register())
      emit(Instruction(code: .rank, target: target, one: row, two: try parts.add(ground.answer(term))))
      return target
    default: return try interpret(term)
    }
  }

  /// A Boolean value that has no jump instruction.
  private mutating func computed(_ term: Term) throws -> UInt16 {
    switch term.expression {
    case .compare, .within, .text, .matches, .contains, .isEmpty, .search: try interpret(term)
    default: try value(term)
    }
  }

  /// Jumps if a value is nil. A broken reference counts as nil if a delete rule may leave it.
  private mutating func jumpIfNull(_ register: UInt16, _ term: Term, to other: Int) throws {
    emit(Instruction(code: .jumpIfNull, detail: Self.detail(0, true), one: register), jumpingTo: other)
    guard let target = term.looseTarget(ground.catalog) else { return }
    let (row, passage) = try parts.passage(from: register, to: ground.table(target), term, isLoose: true)
    emit(Instruction(code: .follow, target: row, one: register, extra: passage))
    emit(Instruction(code: .jumpIfNull, detail: Self.detail(0, true), one: row), jumpingTo: other)
  }

  mutating func copy(_ term: Term, to target: UInt16) throws {
    let register = try value(term)
    emit(Instruction(code: .copy, target: target, one: register))
  }

  /// The result of a test as a value.
  private mutating func flag(_ term: Term) throws -> UInt16 {
    let (target, end) = (try parts.register(), label())
    emit(Instruction(code: .copy, target: target, one: try parts.constant(.bool(true))))
    try jump(term, to: end, when: true)
    emit(Instruction(code: .copy, target: target, one: try parts.constant(.bool(false))))
    place(end)
    return target
  }

  private mutating func field(_ term: Term) throws -> UInt16 {
    guard case .field(let entity, let field) = term.target else { return try interpret(term) }
    let base = term.operands[0]
    var row = ProgramParts.row
    if !base.isRow {
      let reference = try value(base)
      let passage: Int32
      (row, passage) = try parts.passage(
        from: reference, to: ground.table(entity), term, isLoose: base.looseTarget(ground.catalog) != nil)
      emit(Instruction(code: .follow, target: row, one: reference, extra: passage))
    }
    let load = try parts.load(entity, field, ground: ground)
    // A reference is a number, not a pointer, so all uses of it may share its register.
    let isReference = if case .reference = field.type { true } else { false }
    let target = isReference ? try parts.reference(in: row, load) : try parts.register()
    emit(Instruction(code: .load, target: target, one: row, extra: load))
    return target
  }

  private mutating func arithmetic(_ term: Term) throws -> UInt16 {
    let one = try value(term.operands[0])
    let two = term.operands.count > 1 ? try value(term.operands[1]) : one
    let target = try parts.register()
    emit(
      Instruction(
        code: term.kind.isInteger ? .integers : .floats, target: target, one: one, two: two, extra: parts.add(term)))
    return target
  }

  private mutating func interpret(_ term: Term) throws -> UInt16 {
    let target = try parts.register()
    let bindings = variables.map { (variable: $0.key, register: $0.value.register, kind: $0.value.kind) }
    let rows = try rowVariables.map { (bound) throws in
      (variable: bound.key, owner: bound.value.owner, loop: try parts.addLoop(bound.value.many, ground))
    }
    let escape = Escape(term: term, bindings: bindings, rows: rows)
    emit(Instruction(code: .interpret, target: target, extra: parts.add(escape)))
    return target
  }
}

extension Term {
  /// Whether it searches a field of the row for a text.
  fileprivate var isSearch: Bool {
    guard case .text(.contains, .field(.variable(0), _), _) = expression else { return false }
    return Compiler.isText(operands)
  }
}
