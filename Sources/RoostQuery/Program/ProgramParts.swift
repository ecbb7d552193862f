internal import RoostRecords
internal import _StringProcessing

/// What a program is made of, while it is compiled and while it runs.
final class ProgramParts {
  /// The register of the row that is tested, where it lies.
  static let row: UInt16 = 0
  /// The register of that row's number.
  static let reference: UInt16 = 1

  let entity: EntityID
  let ground: Ground
  var instructions: [Instruction] = []
  private(set) var registers = 2
  private(set) var constants: [(register: UInt16, cell: Cell)] = []
  private(set) var loads: [FieldLoad] = []
  private(set) var passages: [Passage] = []
  private(set) var escapes: [Escape] = []
  private(set) var terms: [Term] = []
  private(set) var members: [ConstantSet] = []
  private(set) var regexes: [Regex<AnyRegexOutput>] = []
  @exclusivity(unchecked) var needles: [Needle] = []
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

  func load(_ entity: EntityID, _ field: Field, _ ground: Ground) throws -> Int32 {
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

  func add(_ passage: Passage) -> Int32 {
    passages.append(passage)
    return Int32(passages.count - 1)
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

  func needle(_ test: Expression.TextTest, _ constant: Value?) throws(ConditionFault) -> UInt16 {
    var text = ""
    if case .string(let constant) = constant { text = constant }
    needles.append(Needle(test, text, arena))
    return try place(needles.count)
  }

  func regex(_ pattern: String) throws -> UInt16 {
    regexes.append(try Regex(pattern))
    return try place(regexes.count)
  }

  /// The number of the last in a list, of which an instruction has two bytes to tell it.
  private func place(_ count: Int) throws(ConditionFault) -> UInt16 {
    if let number = UInt16(exactly: count - 1) { return number }
    throw ConditionFault(.tooDeep, "the condition has too many parts", in: "the whole")
  }
}
