internal import RoostFile
internal import RoostRecords

/// The instructions that loop over rows of relationships.
extension Program {
  private func owner(_ register: UInt16) -> RowID? {
    let cell = registers[Int(register)]
    return cell.isNull ? nil : RowID(cell.bits)
  }

  private func set(_ register: UInt16, _ row: RowID?) {
    registers[Int(register)] = row.map { Cell(bits: $0.number) } ?? .null
  }

  /// Begins a loop. A nil reference has no rows.
  @inline(never)
  func begin(_ step: Instruction) throws(StoreError) {
    let loop = loops[Int(step.two)]
    loop.mark = spare.mark
    if let owner = owner(step.one) { try loop.begin(owner) } else { loop.rest() }
  }

  /// The next row of a loop; false after the last.
  @inline(never)
  func next(_ step: Instruction) throws -> Bool {
    let loop = loops[Int(step.two)]
    release(to: loop.mark)
    guard let row = try loop.next() else { return false }
    try loop.counter.step()
    registers[Int(step.target)] = Cell(bits: row.number)
    return true
  }

  @inline(never)
  func list(_ step: Instruction) {
    let list = lists[Int(step.two)]
    switch step.code {
    case .clear: list.clear()
    case .keep: list.rows.append(RowID(registers[Int(step.one)].bits))
    case .rewind:
      list.place = 0
      list.mark = spare.mark
    case .keptCount: registers[Int(step.target)] = Cell(Int64(list.rows.count))
    case .firstKept: set(step.target, list.rows.first)
    default: set(step.target, list.rows.last)
    }
  }

  func nextKept(_ step: Instruction) -> Bool {
    let list = lists[Int(step.two)]
    release(to: list.mark)
    guard let row = list.next() else { return false }
    registers[Int(step.target)] = Cell(bits: row.number)
    return true
  }

  @inline(never)
  func members(_ step: Instruction) throws(StoreError) {
    let members = loops[Int(step.two)].members
    guard let owner = owner(step.one) else {
      registers[Int(step.target)] = step.code == .memberCount ? Cell(Int64(0)) : .null
      return
    }
    switch step.code {
    case .memberCount: registers[Int(step.target)] = Cell(Int64(try members.count(of: owner)))
    case .firstMember:
      let loop = loops[Int(step.two)]
      try loop.begin(owner)
      set(step.target, try loop.next())
    default:
      var cursor = try members.cursor(of: owner)
      cursor.move(to: cursor.count)
      set(step.target, try cursor.previous())
    }
  }

  /// All rows of a relationship, for the interpreter.
  func members(_ register: UInt16, _ loop: UInt16) throws(StoreError) -> Value {
    guard let owner = owner(register) else { return .array([]) }
    return .array(try loops[Int(loop)].members.rows(of: owner).map { .reference($0) })
  }

  @inline(never)
  func hasMembers(_ step: Instruction) throws(StoreError) -> Bool {
    guard let owner = owner(step.one) else { return false }
    let loop = loops[Int(step.two)]
    try loop.begin(owner)
    return try loop.next() != nil
  }

  @inline(never)
  func belongs(_ step: Instruction) throws(StoreError) -> Bool {
    guard let row = owner(step.one), let owner = owner(step.target) else { return false }
    return try loops[Int(step.two)].members.contains(row, in: owner)
  }

  func isKept(_ step: Instruction) -> Bool {
    guard let row = owner(step.one) else { return false }
    return lists[Int(step.two)].rows.contains(row)
  }

  // MARK: Full text

  @inline(never)
  func isFound(_ step: Instruction) throws -> Bool {
    guard let row = owner(step.one) else { return false }
    return try answers[Int(step.two)].contains(row)
  }

  @inline(never)
  func rank(_ step: Instruction) throws {
    let row = owner(step.one)
    registers[Int(step.target)] = Cell(try row.map { row in try answers[Int(step.two)].rank(row) } ?? 0)
  }
}
