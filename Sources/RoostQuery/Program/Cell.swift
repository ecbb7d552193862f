internal import RoostBytes
internal import RoostRecords

/// A value while a program runs: a number, or a pointer to bytes.
///
/// `bits` holds signed integers, the bit pattern of a Double for floating-point numbers, the number
/// of a row, or 1 for true. For text, data and UUIDs, `bits` is the address and `count` the number
/// of bytes. A `count` of -1 means nil.
struct Cell {
  var bits: UInt64
  var count: Int

  static let null = Cell(bits: 0, count: -1)

  @inline(__always)
  init(bits: UInt64, count: Int = 0) {
    self.bits = bits
    self.count = count
  }

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    bits = UInt64(UInt(bitPattern: bytes.baseAddress))
    count = bytes.count
  }

  @inline(__always)
  init(_ number: Double) { self.init(bits: number.bitPattern) }

  @inline(__always)
  init(_ number: Int64) { self.init(bits: UInt64(bitPattern: number)) }

  @inline(__always)
  var isNull: Bool { count < 0 }
  @inline(__always)
  var signed: Int64 { Int64(bitPattern: bits) }
  @inline(__always)
  var double: Double { Double(bitPattern: bits) }
  @inline(__always)
  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: UInt(bits)), count: max(count, 0))
  }
}

extension Cell {
  /// Whether a comparison holds between two numbers. If one is nil, only `==` and `!=` are allowed.
  @inline(__always)
  static func compare<Number: Comparable>(
    _ question: UInt8, _ one: Cell, two: Cell, number: (Cell) -> Number
  ) -> Bool {
    if one.isNull || two.isNull { return compareNull(question, one, two: two) }
    return switch question {
    case 0: number(one) == number(two)
    case 1: number(one) != number(two)
    case 2: number(one) < number(two)
    case 3: number(one) <= number(two)
    case 4: number(one) > number(two)
    default: number(one) >= number(two)
    }
  }

  @inline(__always)
  static func compareNull(_ question: UInt8, _ one: Cell, two: Cell) -> Bool {
    (one.isNull && two.isNull) == (question == Expression.Comparison.equal.rawValue)
  }
}

/// How the bytes of a field are decoded to a cell.
enum CellCoding: UInt8 {
  case signed8, signed16, signed32, signed64
  case unsigned8, unsigned16, unsigned32, unsigned64
  case float, double, uuid, presence, text

  /// nil if a field's values do not fit into cells.
  init?(_ kind: Kind) {
    guard case .plain(let type) = kind.whole else { return nil }
    switch type {
    case .int8: self = .signed8
    case .int16: self = .signed16
    case .int32: self = .signed32
    case .int64: self = .signed64
    case .bool, .uint8: self = .unsigned8
    case .uint16: self = .unsigned16
    case .uint32: self = .unsigned32
    case .uint64, .reference: self = .unsigned64
    case .float: self = .float
    case .double, .date: self = .double
    case .uuid: self = .uuid
    case .presence: self = .presence
    case .string, .url, .data: self = .text
    case .decimal, .array, .set, .dictionary: return nil
    }
  }

  /// Decodes a field of fixed width.
  @inline(__always)
  func cell(_ memory: UnsafeRawPointer) -> Cell {
    switch self {
    case .signed8: Cell(Int64(Int8(bitPattern: memory.u8(0))))
    case .signed16: Cell(Int64(Int16(bitPattern: memory.u16(0))))
    case .signed32: Cell(Int64(Int32(bitPattern: memory.u32(0))))
    case .signed64, .unsigned64, .double: Cell(bits: memory.u64(0))
    case .unsigned8: Cell(bits: UInt64(memory.u8(0)))
    case .unsigned16: Cell(bits: UInt64(memory.u16(0)))
    case .unsigned32: Cell(bits: UInt64(memory.u32(0)))
    case .float: Cell(Double(Float(bitPattern: memory.u32(0))))
    case .uuid: Cell(UnsafeRawBufferPointer(start: memory, count: 16))
    case .presence: Cell(bits: 1)
    case .text: .null
    }
  }
}

/// How cells of a kind are compared.
enum CellOrder {
  case signed, unsigned, double, text, bytes

  init?(_ kind: Kind) {
    switch CellCoding(kind) {
    case nil: return nil
    case .signed8, .signed16, .signed32, .signed64: self = .signed
    case .unsigned8, .unsigned16, .unsigned32, .unsigned64, .presence: self = .unsigned
    case .float, .double: self = .double
    case .uuid: self = .bytes
    case .text: self = kind.whole == .plain(.data) ? .bytes : .text
    }
  }
}
