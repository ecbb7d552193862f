internal import RoostRecords
internal import _StringProcessing

/// The parts of a program, while it is compiled and while it runs.
final class ProgramParts {
  /// The register of the pointer to the tested row.
  static let row: UInt16 = 0
  /// The register of the tested row's number.
  static let reference: UInt16 = 1

  let entity: EntityID
  let ground: Ground
  var instructions: [Instruction] = []
  private(set) var registers = 2
  private var ways: [(reference: UInt16, table: EntityID, row: UInt16)] = []
  private var references: [(row: UInt16, load: Int32, register: UInt16)] = []
  private(set) var constants: [(register: UInt16, cell: Cell)] = []
  /// The constants that are set before a run.
  private(set) var parameters: [ProgramParameter] = []
  private(set) var loads: [FieldLoad] = []
  private(set) var passages: [Passage] = []
  private(set) var loops: [RowLoop] = []
  private(set) var lists: [RowList] = []
  private(set) var escapes: [Escape] = []
  private(set) var terms: [Term] = []
  private(set) var members: [ConstantSet] = []
  private(set) var patterns: [TextPattern] = []
  private(set) var answers: [SearchAnswer] = []
  @exclusivity(unchecked) var needles: [Needle] = []
  /// Needles that are searched first. A text without the needle at `place` contains none of
  /// `needles`.
  private(set) var sieves: [(place: UInt16, needles: [UInt16])] = []
  /// Bytes of constants.
  let arena = Arena()

  init(_ ground: Ground, _ entity: EntityID) {
    self.ground = ground
    self.entity = entity
  }

  func register() throws(ConditionFault) -> UInt16 {
    guard registers < 60_000 else {
      throw ConditionFault(.tooDeep, "the condition has too many parts", in: "the whole")
    }
    defer { registers += 1 }
    return UInt16(registers)
  }

  func constant(_ value: Value) throws(ConditionFault) -> UInt16 {
    let register = try register()
    constants.append((register, arena.cell(value) ?? .null))
    return register
  }

  /// The register of a constant that is set before a run.
  func parameter(_ number: Int) throws(ConditionFault) -> UInt16 {
    let register = try register()
    parameters.append(ProgramParameter(number: number, place: .register(register)))
    return register
  }

  func load(_ entity: EntityID, _ field: Field, ground: Ground) throws -> Int32 {
    let table = try ground.table(entity)
    if let known = loads.firstIndex(where: { $0.field == field.id && $0.table === table }) { return Int32(known) }
    guard let access = table.access(field.id), let coding = CellCoding(Kind(field)) else {
      throw ConditionFault(.unknown, "\(table.entity.name) has no such field", in: field.name)
    }
    loads.append(
      FieldLoad(
        coding: coding, field: field.id, initial: arena.cell(access.initial) ?? .null, isOptional: field.isOptional,
        table: table, places: access.places))
    return Int32(loads.count - 1)
  }

  /// The passage for the reference in a register, and the register of the referenced row. Both are
  /// the same for each use, so the row is looked up once even if several of its fields are read.
  func passage(
    from reference: UInt16, to table: TableReader, _ term: Term, isLoose: Bool
  ) throws(ConditionFault) -> (row: UInt16, passage: Int32) {
    passages.append(Passage(table: table, term: term, isLoose: isLoose))
    let passage = Int32(passages.count - 1)
    if let known = ways.first(where: { $0.reference == reference && $0.table == table.id }) {
      return (known.row, passage)
    }
    let row = try register()
    ways.append((reference, table.id, row))
    return (row, passage)
  }

  /// The register of a reference that is read from a row.
  func reference(in row: UInt16, _ load: Int32) throws(ConditionFault) -> UInt16 {
    if let known = references.first(where: { $0.row == row && $0.load == load }) { return known.register }
    references.append((row, load, try register()))
    return references[references.count - 1].register
  }

  func addLoop(_ many: Term, _ ground: Ground) throws -> UInt16 {
    guard case .relationship(let relationship) = many.target else {
      throw ConditionFault(.unknown, "there is no such relationship", in: "the condition")
    }
    loops.append(RowLoop(try ground.members(relationship)))
    return try place(loops.count)
  }

  func add(_ answer: SearchAnswer) throws(ConditionFault) -> UInt16 {
    answers.append(answer)
    return try place(answers.count)
  }

  func addList() throws(ConditionFault) -> UInt16 {
    lists.append(RowList())
    return try place(lists.count)
  }

  func add(_ escape: Escape) -> Int32 {
    escapes.append(escape)
    return Int32(escapes.count - 1)
  }

  func add(_ term: Term) -> Int32 {
    terms.append(term)
    return Int32(terms.count - 1)
  }

  func add(_ set: ConstantSet) throws(ConditionFault) -> UInt16 {
    members.append(set)
    return try place(members.count)
  }

  func members(_ number: Int, _ element: Kind) throws(ConditionFault) -> UInt16? {
    guard let empty = ConstantSet([], element) else { return nil }
    let place = try add(empty)
    parameters.append(ProgramParameter(number: number, place: .members(place, element)))
    return place
  }

  func needle(_ test: Expression.TextTest, _ constant: Value?) throws(ConditionFault) -> UInt16 {
    var text = ""
    if case .string(let constant) = constant { text = constant }
    needles.append(Needle(test, text, arena: arena))
    return try place(needles.count)
  }

  func needle(_ test: Expression.TextTest, parameter number: Int) throws(ConditionFault) -> UInt16 {
    let place = try needle(test, nil)
    parameters.append(ProgramParameter(number: number, place: .needle(place, test)))
    return place
  }

  /// A needle to search for before `needles`.
  func sieve(_ needles: [UInt16]) throws(ConditionFault) -> UInt16 {
    let place = try needle(.contains, nil)
    sieves.append((place, needles))
    return place
  }

  /// Whether the program only reads a field of its row.
  var isField: Bool {
    instructions.count == 2 && instructions[0].code == .load && instructions[0].one == Self.row
      && instructions[1].code == .yes
  }

  func pattern(_ pattern: String) throws -> UInt16 {
    patterns.append(try TextPattern(pattern))
    return try place(patterns.count)
  }

  /// The index of the last element of a list; an instruction has two bytes for it.
  private func place(_ count: Int) throws(ConditionFault) -> UInt16 {
    if let number = UInt16(exactly: count - 1) { return number }
    throw ConditionFault(.tooDeep, "the condition has too many parts", in: "the whole")
  }
}

/// The place in a program of a constant that is set before a run.
struct ProgramParameter {
  enum Place {
    case register(UInt16)
    case needle(UInt16, Expression.TextTest)
    case members(UInt16, Kind)
  }

  let number: Int
  let place: Place
}
