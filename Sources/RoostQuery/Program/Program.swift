internal import RoostBytes
internal import RoostFile
package import RoostRecords
internal import _StringProcessing

/// A compiled condition or value for the rows of one ground. One thread runs it.
package final class Program {
  private let parts: ProgramParts
  private let code: UnsafeMutablePointer<Instruction>
  let registers: UnsafeMutablePointer<Cell>
  private let loads: UnsafeMutablePointer<FieldReader>
  /// The field, if its value is the whole result; nil if more must be computed.
  let field: FieldReader?
  /// The tests that need no instructions. The other instructions run after them.
  private let leading: UnsafeMutablePointer<FieldTest>
  private let leadingCount: Int
  private let needles: UnsafeMutablePointer<Needle>
  private let sets: UnsafeMutablePointer<ConstantSet>
  // `let`, to avoid an exclusivity check per row.
  private let patterns: [TextPattern]
  private let terms: [Term]
  private let escaped: [Escape]
  private let passages: [Passage]
  let loops: [RowLoop]
  let lists: [RowList]
  let answers: [SearchAnswer]
  @exclusivity(unchecked) private var fields: [FieldLoad]
  private let result: UInt16
  @exclusivity(unchecked) private var table: TableReader
  /// The numbers of the rows that registers hold, for values that are stored outside the rows.
  private let rows: UnsafeMutablePointer<RowID>
  /// The moment at which a register's row was looked up. At another moment the pointer may be
  /// invalid.
  private let moments: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) private var moment: UInt64 = 0
  /// Whether it reads rows other than the tested one.
  private let follows: Bool
  /// Whether the result may point into a row other than the tested one.
  private var isBorrowed = false
  let spare = Arena()
  /// Bytes of the constants of the last `bind`.
  private let given = Arena()
  @exclusivity(unchecked) private var interpreter: Interpreter

  package convenience init(condition: Term, _ ground: Ground, _ entity: EntityID) throws {
    var compiler = try Compiler(ground, entity)
    try self.init(compiler.compile(condition: condition), 0)
  }

  /// nil if the value fits into no register.
  package convenience init?(value: Term, _ ground: Ground, _ entity: EntityID) throws {
    var compiler = try Compiler(ground, entity)
    guard let (parts, register) = try compiler.compile(value: value) else { return nil }
    try self.init(parts, register)
    switch CellOrder(value.kind) {
    case .text, .bytes: isBorrowed = follows
    default: break
    }
  }

  private init(_ parts: ProgramParts, _ result: UInt16) throws {
    self.parts = parts
    self.result = result
    table = try parts.ground.table(parts.entity)
    interpreter = Interpreter(parts.ground, parts.entity)
    code = .allocate(capacity: parts.instructions.count)
    code.initialize(from: parts.instructions, count: parts.instructions.count)
    registers = .allocate(capacity: parts.registers)
    registers.initialize(repeating: .null, count: parts.registers)
    rows = .allocate(capacity: parts.registers)
    rows.initialize(repeating: RowID(0), count: parts.registers)
    moments = .allocate(capacity: parts.registers)
    moments.initialize(repeating: 0, count: parts.registers)
    for (register, cell) in parts.constants { registers[Int(register)] = cell }
    loads = .allocate(capacity: max(1, parts.loads.count))
    for (index, load) in parts.loads.enumerated() { (loads + index).initialize(to: FieldReader(load)) }
    field = parts.isField ? loads.pointee : nil
    let tests = FieldTest.leading(parts, loads)
    leading = Self.copy(tests)
    leadingCount = tests.count
    patterns = parts.patterns
    terms = parts.terms
    escaped = parts.escapes
    passages = parts.passages
    loops = parts.loops
    lists = parts.lists
    answers = parts.answers
    fields = parts.loads
    needles = Self.copy(parts.needles)
    sets = Self.copy(parts.members)
    follows = !parts.passages.isEmpty
    sieve()
  }

  private static func copy<Part>(_ all: [Part]) -> UnsafeMutablePointer<Part> {
    let memory = UnsafeMutablePointer<Part>.allocate(capacity: max(1, all.count))
    memory.initialize(from: all, count: all.count)
    return memory
  }

  deinit {
    code.deallocate()
    registers.deallocate()
    rows.deallocate()
    moments.deallocate()
    for index in parts.loads.indices { loads[index].deallocate() }
    loads.deallocate()
    leading.deallocate()
    needles.deinitialize(count: parts.needles.count).deallocate()
    sets.deinitialize(count: parts.members.count).deallocate()
  }

  /// The number of condition parts that are left to the interpreter.
  package var escapes: Int { parts.escapes.count }

  /// Whether the row fulfils the condition.
  @inline(__always)
  package func test(_ row: Row) throws -> Bool {
    var at = 0
    for number in 0..<leadingCount {
      let test = leading + number
      guard let cell = test.pointee.cell(row) else { break }
      if !test.pointee.passes(cell, registers, needles: needles) { return false }
      registers[Int(test.pointee.register)] = cell
      at = test.pointee.next
    }
    return try rest(of: row, from: at)
  }

  @inline(never)
  private func rest(of row: Row, from place: Int) throws -> Bool {
    if code[place].code == .yes { return true }
    begin(row)
    return try run(from: place)
  }

  /// The value for the row. It is valid as long as the row stays in place, and until the next call.
  @inline(__always)
  func cell(_ row: Row) throws -> Cell {
    if let cell = field?.cell(row.start, version: row.version) { return cell }
    return try computed(row)
  }

  @inline(never)
  private func computed(_ row: Row) throws -> Cell {
    guard isBorrowed else {
      begin(row)
      _ = try run()
      return registers[Int(result)]
    }
    // Another row stays in memory only for the moment.
    try table.hold()
    defer { table.release() }
    begin(row)
    _ = try run()
    let found = registers[Int(result)]
    return found.isNull ? found : Cell(spare.keep(found.bytes))
  }

  /// Sets the constants of the parameters.
  func bind(_ values: [Value]) {
    if parts.parameters.isEmpty { return }
    given.clear()
    for parameter in parts.parameters {
      let value = values[parameter.number]
      switch parameter.place {
      case .register(let register): registers[Int(register)] = given.cell(value) ?? .null
      case .needle(let place, let test):
        if case .string(let text) = value { needles[Int(place)] = Needle(test, text, arena: given) }
      case .members(let place, let element):
        let all: [Value] =
          switch value {
          case .array(let values): values
          case .set(let values): Array(values)
          default: []
          }
        if let set = ConstantSet(all, element) { sets[Int(place)] = set }
      }
    }
    sieve()
  }

  /// Makes the needles that are searched before several others.
  private func sieve() {
    for sieve in parts.sieves {
      needles[Int(sieve.place)] = Needle(before: sieve.needles.map { needles[Int($0)] }, arena: given)
    }
  }

  /// Switches to another ground of the same catalog. Returns false if the program reads more than
  /// the tested row; it cannot be used there.
  func move(to ground: Ground) throws -> Bool {
    guard !follows, loops.isEmpty, lists.isEmpty, escaped.isEmpty, answers.isEmpty else { return false }
    table = try ground.table(parts.entity)
    for place in fields.indices { fields[place].table = table }
    return true
  }

  /// Frees what was kept for the next row.
  func rest() { for loop in loops { loop.rest() } }

  @inline(__always)
  private func begin(_ row: Row) {
    registers[Int(ProgramParts.row)] = Cell(row.bytes)
    registers[Int(ProgramParts.reference)] = Cell(bits: row.id.number)
    rows[Int(ProgramParts.row)] = row.id
    moment &+= 1
    if !spare.isEmpty { spare.clear() }
  }

  private func run(from start: Int = 0) throws -> Bool {
    // The memory of other rows must stay in place until the end.
    if follows { try table.hold() }
    defer { if follows { table.release() } }
    // Local, so that they are not loaded again after every call.
    let (code, registers) = (code, registers)
    var at = start
    while true {
      let step = code[at]
      at &+= 1
      let outcome: Bool
      switch step.code {
      case .yes: return true
      case .no: return false
      case .load:
        try load(step)
        continue
      case .follow:
        try follow(step)
        continue
      case .copy:
        registers[Int(step.target)] = registers[Int(step.one)]
        continue
      case .jump:
        at = Int(step.extra)
        continue
      case .jumpIf:
        let cell = registers[Int(step.one)]
        outcome = !cell.isNull && cell.bits != 0
      case .jumpIfNull: outcome = registers[Int(step.one)].isNull
      case .compareSigned:
        outcome = Cell.compare(step.question, registers[Int(step.one)], two: registers[Int(step.two)]) { $0.signed }
      case .compareUnsigned:
        outcome = Cell.compare(step.question, registers[Int(step.one)], two: registers[Int(step.two)]) { $0.bits }
      case .compareDouble:
        outcome = Cell.compare(step.question, registers[Int(step.one)], two: registers[Int(step.two)]) { $0.double }
      case .compareText:
        let (one, two) = (registers[Int(step.one)], registers[Int(step.two)])
        outcome =
          one.isNull || two.isNull
          ? Cell.compareNull(step.question, one, two: two)
          : Self.compare(step.question, one.bytes, two: two.bytes, isEqual: TextBytes.isEqual, isLess: TextBytes.isLess)
      case .compareBytes:
        let (one, two) = (registers[Int(step.one)], registers[Int(step.two)])
        outcome =
          one.isNull || two.isNull
          ? Cell.compareNull(step.question, one, two: two)
          : Self.compare(
            step.question, one.bytes, two: two.bytes, isEqual: TextBytes.isSame, isLess: TextBytes.bytesAreLess)
      case .find: outcome = needles[Int(step.two)].holds(registers[Int(step.one)].bytes)
      case .member: outcome = sets[Int(step.two)].contains(registers[Int(step.one)])
      case .match:
        outcome = try patterns[Int(step.two)].isFound(in: registers[Int(step.one)].bytes)
      case .empty: outcome = registers[Int(step.one)].count == 0
      case .characters:
        let text = registers[Int(step.one)].bytes
        let count = TextBytes.isSimple(text) ? text.count : String(decoding: text, as: UTF8.self).count
        registers[Int(step.target)] = Cell(Int64(count))
        continue
      case .begin:
        try begin(step)
        continue
      case .next:
        if try !next(step) { at = Int(step.extra) }
        continue
      case .clear, .keep, .rewind, .keptCount, .firstKept, .lastKept:
        list(step)
        continue
      case .nextKept:
        if !nextKept(step) { at = Int(step.extra) }
        continue
      case .memberCount, .firstMember, .lastMember:
        try members(step)
        continue
      case .hasMembers: outcome = try hasMembers(step)
      case .belongs: outcome = try belongs(step)
      case .isKept: outcome = isKept(step)
      case .isFound: outcome = try isFound(step)
      case .rank:
        try rank(step)
        continue
      case .integers, .floats:
        try compute(step)
        continue
      case .demand:
        if registers[Int(step.one)].isNull {
          throw interpreter.fault(.nilUnwrapped, "it is nil", term: terms[Int(step.extra)])
        }
        continue
      case .interpret:
        try interpret(step)
        continue
      }
      if outcome == step.sense { at = Int(step.extra) }
    }
  }

  // MARK: Rows

  @inline(__always)
  private func load(_ step: Instruction) throws {
    let row = registers[Int(step.one)]
    let index = Int(step.extra)
    if row.isNull {
      registers[Int(step.target)] = .null
      return
    }
    let start = UnsafeRawPointer(bitPattern: UInt(row.bits))!
    let found = loads[index].cell(start, version: Int(start.u16(0)))
    registers[Int(step.target)] = try found ?? Cell(outside(step))
  }

  private func outside(_ step: Instruction) throws -> UnsafeRawBufferPointer {
    let load = fields[Int(step.extra)]
    return spare.keep(try load.table.large(load.field, rows[Int(step.one)]))
  }

  private func follow(_ step: Instruction) throws {
    let reference = registers[Int(step.one)]
    if reference.isNull {
      registers[Int(step.target)] = .null
      return
    }
    let target = Int(step.target)
    let id = RowID(reference.bits)
    // Another field of the same row.
    if moments[target] == moment, rows[target] == id, !registers[target].isNull { return }
    let passage = passages[Int(step.extra)]
    guard let row = try passage.table.borrow(id, { spare.keep($0) }) else {
      if passage.isLoose {
        registers[target] = .null
        return
      }
      throw interpreter.fault(
        .missingRow, "there is no row \(id.number) of \(passage.table.entity.name)", term: passage.term)
    }
    registers[target] = Cell(row.bytes)
    rows[target] = id
    moments[target] = moment
  }

  /// Frees the memory of a loop's step. A row may have been in it, so all rows are looked up again.
  @inline(__always)
  func release(to mark: Int) {
    if spare.mark == mark { return }
    spare.release(to: mark)
    moment &+= 1
  }

  // MARK: Computing

  private func compute(_ step: Instruction) throws {
    let term = terms[Int(step.extra)]
    let kind = term.kind
    let cells = [registers[Int(step.one)], registers[Int(step.two)]]
    let values = cells.map { $0.value(kind) }
    registers[Int(step.target)] = spare.cell(try Numbers.compute(term, values, interpreter: interpreter)) ?? .null
  }

  private func interpret(_ step: Instruction) throws {
    let escape = escaped[Int(step.extra)]
    var bindings: [Int: Value] = [:]
    for (variable, register, kind) in escape.bindings { bindings[variable] = registers[Int(register)].value(kind) }
    for (variable, owner, loop) in escape.rows { bindings[variable] = try members(owner, loop) }
    registers[Int(step.target)] = spare.cell(try interpreter.value(escape.term, bindings)) ?? .null
  }

  // MARK: Comparing

  @inline(__always)
  private static func compare(
    _ question: UInt8, _ one: UnsafeRawBufferPointer, two: UnsafeRawBufferPointer,
    isEqual: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool,
    isLess: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    switch question {
    case 0: isEqual(one, two)
    case 1: !isEqual(one, two)
    case 2: isLess(one, two)
    case 3: !isLess(two, one)
    case 4: isLess(two, one)
    default: !isLess(one, two)
    }
  }
}
