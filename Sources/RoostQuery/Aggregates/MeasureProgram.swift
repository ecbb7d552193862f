internal import RoostRecords

/// Computes one measure, row by row.
final class MeasureProgram {
  let kind: Measure.Kind
  private let term: Term?
  private let program: Program?
  private let order: CellOrder?
  private let coding: CellCoding?
  private var interpreter: Interpreter

  init(_ measure: Measure, _ ground: Ground, entity: EntityID) throws {
    kind = measure.kind
    interpreter = Interpreter(ground, entity)
    var checker = Checker(ground, entity)
    let term = try measure.value.map { (value) throws(ConditionFault) in try checker.term(value) }
    self.term = term
    program = try term.flatMap { try Program(value: $0, ground, entity) }
    order = term.flatMap { CellOrder($0.kind) }
    coding = term.flatMap { CellCoding($0.kind) }
    guard let term else { return }
    if kind == .sum, !term.kind.whole.isInteger, !term.kind.whole.isFloating, term.kind.whole != .plain(.decimal) {
      throw ConditionFault(
        .wrongType, "there is no sum of \(term.kind)", in: interpreter.describer.text(term.expression))
    }
    if kind != .sum, kind != .count, !term.kind.isSortable {
      throw ConditionFault(.wrongType, "\(term.kind) has no order", in: interpreter.describer.text(term.expression))
    }
  }

  /// Measures a row. It hands decimals to `decimal`, because their arithmetic is Foundation's.
  func add(_ row: Row, to tally: inout MeasureTally, _ decimal: (DecimalNumber) throws -> Void) throws {
    guard let term else {
      tally.count += 1
      return
    }
    guard let program else { return try add(try interpreter.value(term, row.id), to: &tally, decimal) }
    let cell = try program.cell(row)
    if cell.isNull { return }
    tally.count += 1
    switch kind {
    case .count: return
    case .sum:
      switch coding {
      case .float, .double: tally.floats.add(cell.double)
      case .signed8, .signed16, .signed32, .signed64: tally.integers += Int128(cell.signed)
      default: tally.integers += Int128(cell.bits)
      }
    case .least, .greatest:
      if let best = tally.bound, try !isBetter(cell, best) { return }
      tally.bound = cell.value(term.kind)
    }
  }

  func rest() { program?.rest() }

  /// How each row is measured if that needs no program.
  var column: MeasureColumn {
    guard let field = program?.field else { return MeasureColumn(term == nil ? .rows : .program, nil) }
    let way: MeasureColumn.Way =
      switch (kind, order) {
      case (.count, _): .values
      case (.sum, .signed): .signed
      case (.sum, .unsigned): .unsigned
      case (.sum, .double): .floats
      case (.least, .signed): .leastSigned
      case (.least, .unsigned): .leastUnsigned
      case (.least, .double): .leastDouble
      case (.greatest, .signed): .greatestSigned
      case (.greatest, .unsigned): .greatestUnsigned
      case (.greatest, .double): .greatestDouble
      case (_, .text), (_, .bytes), (_, nil): .program
      }
    return MeasureColumn(way, way == .program ? nil : field)
  }

  /// The tally with its bound converted to a value.
  func finished(_ tally: MeasureTally) -> MeasureTally {
    guard let kind = term?.kind, !tally.best.isNull else { return tally }
    var tally = tally
    tally.bound = tally.best.value(kind)
    return tally
  }

  /// NaN is ignored if there is a number.
  private func isBetter(_ cell: Cell, _ best: Value) throws -> Bool {
    switch (order, best) {
    case (.signed, .int(let best)): return kind == .least ? cell.signed < best : cell.signed > best
    case (.double, .double(let best)), (.double, .date(let best)): return isBetter(cell.double, best)
    case (.double, .float(let best)): return isBetter(cell.double, Double(best))
    case (.unsigned, .uint(let best)): return kind == .least ? cell.bits < best : cell.bits > best
    case (.text, .string(var text)), (.text, .url(var text)):
      return text.withUTF8 { bytes in
        let best = UnsafeRawBufferPointer(bytes)
        return kind == .least ? TextBytes.isLess(cell.bytes, best) : TextBytes.isLess(best, cell.bytes)
      }
    default:
      guard let kind = term?.kind else { return false }
      return isBetter(cell.value(kind), best)
    }
  }

  private func isBetter(_ number: Double, _ best: Double) -> Bool {
    if best.isNaN { return !number.isNaN }
    return kind == .least ? number < best : number > best
  }

  private func isBetter(_ value: Value, _ best: Value) -> Bool {
    switch (value, best) {
    case (.bool(let one), .bool(let other)): return kind == .least ? !one && other : one && !other
    case (.reference(let one), .reference(let other)): return kind == .least ? one < other : other < one
    case (.data(let one), .data(let other)):
      return kind == .least ? one.lexicographicallyPrecedes(other) : other.lexicographicallyPrecedes(one)
    case (.decimal(let one), .decimal(let other)) where one.isNaN || other.isNaN: return other.isNaN && !one.isNaN
    default: return ValueOrder.holds(kind == .least ? .less : .greater, value, other: best)
    }
  }

  private func add(_ value: Value, to tally: inout MeasureTally, _ decimal: (DecimalNumber) throws -> Void) throws {
    if value.isNull { return }
    tally.count += 1
    switch kind {
    case .count: return
    case .sum: if case .decimal(let number) = value { try decimal(number) }
    case .least, .greatest:
      if let best = tally.bound, !isBetter(value, best) { return }
      tally.bound = value
    }
  }
}
