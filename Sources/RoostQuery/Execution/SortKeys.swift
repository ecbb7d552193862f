internal import RoostBytes
internal import RoostRecords

/// Makes the bytes by which rows are sorted: all of a query's keys, then the row's number.
final class SortKeys {
  let order: [SortTerm]
  private let reading: RowValues
  /// The programs of `reading`, kept here to avoid reference counting for each row.
  private let programs: [Program?]
  @exclusivity(unchecked) var key = ByteBuffer()

  private let numbersRows: Bool

  /// With `numbersRows`, the row's number is the last key, so that no two keys are equal.
  init(_ order: [SortTerm], _ ground: Ground, entity: EntityID, numbersRows: Bool = true) throws {
    self.order = order
    self.numbersRows = numbersRows
    reading = try RowValues(order.map(\.key), ground, entity: entity)
    programs = reading.programs
  }

  /// The fields that are the keys; nil if a key is computed.
  var fields: [FieldReader]? {
    let fields = programs.compactMap { $0?.field }
    return fields.count == programs.count ? fields : nil
  }

  /// Switches to another ground of the same catalog; see ``Program/move(to:)``.
  func move(to ground: Ground) throws -> Bool {
    for program in programs { guard let program, try program.move(to: ground) else { return false } }
    return true
  }

  /// Puts the row's key into `key`.
  func make(_ row: Row) throws {
    key.clear()
    for (number, term) in order.enumerated() {
      let start = key.count
      if let program = programs[number] {
        append(try program.cell(row), term.key.kind, collation: term.collation)
      } else {
        try append(reading.value(number, row), term.key.kind)
      }
      if term.isDescending { key.complement(from: start) }
    }
    if numbersRows { number(row.id) }
  }

  /// Rows with equal keys sort by their numbers, in the direction of the first key.
  func number(_ row: RowID) {
    let isDescending = order.first?.isDescending ?? false
    key.append(big: isDescending ? ~row.number : row.number)
  }

  /// The values of the keys.
  func values(_ row: Row) throws -> [Value] {
    var values: [Value] = []
    try reading.append(row, to: &values)
    return values
  }

  /// Ends the use of pages by the programs.
  func rest() { reading.rest() }

  func append(_ cell: Cell, _ kind: Kind, collation: Collation) {
    if kind.isOptional { key.append(cell.isNull ? 0 : 1) }
    if cell.isNull { return }
    if collation != .plain { return collation.key(cell.bytes).withUnsafeBytes { key.append(contentsOf: $0) } }
    switch CellCoding(kind) {
    case .signed8, .signed16, .signed32, .signed64: key.append(big: cell.bits ^ 1 << 63)
    case .float, .double: key.append(big: KeyCoding.orderedBits(cell.double))
    case .uuid: key.append(contentsOf: cell.bytes)
    case .text:
      // Not truncated, unlike in an index.
      let isData = kind.whole == .plain(.data)
      if isData || NormalForm.isPlain(cell.bytes) {
        append(whole: cell.bytes)
      } else {
        NormalForm.composed(cell.bytes).withUnsafeBytes { append(whole: $0) }
      }
    case .unsigned8, .unsigned16, .unsigned32, .unsigned64, .presence, nil: key.append(big: cell.bits)
    }
  }

  private func append(whole bytes: UnsafeRawBufferPointer) {
    if bytes.contains(0) {
      for byte in bytes {
        key.append(byte)
        if byte == 0 { key.append(255) }
      }
    } else {
      key.append(contentsOf: bytes)
    }
    key.append(0)
    key.append(0)
  }

  /// Appends a value that fits into no cell: a decimal.
  func append(_ value: Value, _ kind: Kind) throws {
    if kind.isOptional { key.append(value.isNull ? 0 : 1) }
    guard !value.isNull, case .plain(let type) = kind.whole else { return }
    try KeyCoding.append(value, as: type, to: &key)
  }
}
