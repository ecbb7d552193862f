internal import RoostRecords

/// A test of one field at the beginning of a program, which runs without instructions.
///
/// It replaces a `load` and the following jump to a `no`. Like the `load`, it leaves the field's
/// value in its register.
struct FieldTest {
  private let reader: FieldReader
  let register: UInt16
  /// The constant that the field is compared with, or the needle.
  private let other: UInt16
  private let question: UInt8
  private let kind: Kind
  /// The instruction after those that it replaces.
  let next: Int

  private enum Kind: UInt8 { case signed, unsigned, double, find }

  /// The value; nil if it is stored outside the row.
  @inline(__always)
  func cell(_ row: Row) -> Cell? { reader.cell(row.start, version: row.version) }

  @inline(__always)
  func passes(
    _ cell: Cell, _ registers: UnsafeMutablePointer<Cell>, needles: UnsafeMutablePointer<Needle>
  ) -> Bool {
    switch kind {
    case .signed: Cell.compare(question, cell, two: registers[Int(other)]) { $0.signed }
    case .unsigned: Cell.compare(question, cell, two: registers[Int(other)]) { $0.bits }
    case .double: Cell.compare(question, cell, two: registers[Int(other)]) { $0.double }
    case .find: needles[Int(other)].holds(cell.bytes)
    }
  }

  /// All tests at the beginning of a program.
  static func leading(_ parts: ProgramParts, _ loads: UnsafeMutablePointer<FieldReader>) -> [FieldTest] {
    let known = Set(parts.constants.map(\.register) + parts.parameters.compactMap(\.register))
    let code = parts.instructions
    var tests: [FieldTest] = []
    while let test = FieldTest(code, at: tests.last?.next ?? 0, loads: loads, constants: known) { tests.append(test) }
    return tests
  }

  private init?(
    _ code: [Instruction], at place: Int, loads: UnsafeMutablePointer<FieldReader>, constants: Set<UInt16>
  ) {
    guard place + 1 < code.count else { return nil }
    let (load, jump) = (code[place], code[place + 1])
    guard load.code == .load, load.one == ProgramParts.row, jump.one == load.target, !jump.sense else { return nil }
    var end = Int(jump.extra)
    while code[end].code == .jump, end < code[end].extra { end = Int(code[end].extra) }
    switch jump.code {
    case .compareSigned: kind = .signed
    case .compareUnsigned: kind = .unsigned
    case .compareDouble: kind = .double
    case .find: kind = .find
    default: return nil
    }
    guard code[end].code == .no, kind == .find || constants.contains(jump.two) else { return nil }
    reader = loads[Int(load.extra)]
    (register, other, question, next) = (load.target, jump.two, jump.question, place + 2)
  }
}

extension ProgramParameter {
  fileprivate var register: UInt16? { if case .register(let register) = place { register } else { nil } }
}
