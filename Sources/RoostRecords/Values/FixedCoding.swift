internal import RoostBytes

/// The bytes of values whose width does not depend on the value, little-endian.
enum FixedCoding {
  static func write(_ value: Value, as type: FieldType, to memory: UnsafeMutableRawPointer) throws(RecordFault) {
    switch (type, value) {
    case (.bool, .bool(let flag)): memory.set8(0, flag ? 1 : 0)
    case (.int8, _): memory.set8(0, UInt8(bitPattern: try integer(value)))
    case (.int16, _): memory.set16(0, UInt16(bitPattern: try integer(value)))
    case (.int32, _): memory.set32(0, UInt32(bitPattern: try integer(value)))
    case (.int64, _): memory.set64(0, UInt64(bitPattern: try integer(value)))
    case (.uint8, _): memory.set8(0, try integer(value))
    case (.uint16, _): memory.set16(0, try integer(value))
    case (.uint32, _): memory.set32(0, try integer(value))
    case (.uint64, _): memory.set64(0, try integer(value))
    case (.float, .float(let number)): memory.set32(0, number.bitPattern)
    case (.double, .double(let number)), (.date, .date(let number)): memory.set64(0, number.bitPattern)
    case (.decimal, .decimal(let number)): number.write(to: memory)
    case (.reference, .reference(let row)): memory.set64(0, row.number)
    case (.uuid, .uuid(let uuid)):
      memory.set64(0, uuid.high.byteSwapped)
      memory.set64(8, uuid.low.byteSwapped)
    case (.presence, .bool): return
    default: throw RecordFault(.wrongType, "\(value.kind) is not of the field's type")
    }
  }

  private static func integer<Number: FixedWidthInteger>(_ value: Value) throws(RecordFault) -> Number {
    let exact: Number? =
      switch value {
      case .int(let number): Number(exactly: number)
      case .uint(let number): Number(exactly: number)
      default: throw RecordFault(.wrongType, "\(value.kind) is not an integer")
      }
    guard let exact else { throw RecordFault(.outOfRange, "the number does not fit into \(Number.self)") }
    return exact
  }

  /// The value of a field of fixed width. Every bit pattern is valid.
  static func read(_ memory: UnsafeRawPointer, as type: FieldType) -> Value {
    switch type {
    case .bool: .bool(memory.u8(0) != 0)
    case .int8: .int(Int64(Int8(bitPattern: memory.u8(0))))
    case .int16: .int(Int64(Int16(bitPattern: memory.u16(0))))
    case .int32: .int(Int64(Int32(bitPattern: memory.u32(0))))
    case .int64: .int(Int64(bitPattern: memory.u64(0)))
    case .uint8: .uint(UInt64(memory.u8(0)))
    case .uint16: .uint(UInt64(memory.u16(0)))
    case .uint32: .uint(UInt64(memory.u32(0)))
    case .uint64: .uint(memory.u64(0))
    case .float: .float(Float(bitPattern: memory.u32(0)))
    case .double: .double(Double(bitPattern: memory.u64(0)))
    case .date: .date(Double(bitPattern: memory.u64(0)))
    case .decimal: .decimal(DecimalNumber(reading: memory))
    case .uuid: .uuid(UUIDNumber(high: memory.u64(0).byteSwapped, low: memory.u64(8).byteSwapped))
    case .reference: .reference(RowID(memory.u64(0)))
    case .presence: .bool(true)
    case .string, .data, .url, .array, .set, .dictionary: .null
    }
  }
}
