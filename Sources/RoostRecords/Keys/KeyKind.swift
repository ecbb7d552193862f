internal import RoostBytes

/// How a field's bytes are encoded in a key. It is the field's type without associated values, so
/// copying it counts no reference.
enum KeyKind: UInt8 {
  case bool
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case float, double, decimal, uuid, reference
  case text, data
  case none

  init(_ type: FieldType) {
    self =
      switch type {
      case .bool: .bool
      case .int8: .int8
      case .int16: .int16
      case .int32: .int32
      case .int64: .int64
      case .uint8: .uint8
      case .uint16: .uint16
      case .uint32: .uint32
      case .uint64: .uint64
      case .float: .float
      case .double, .date: .double
      case .decimal: .decimal
      case .uuid: .uuid
      case .reference: .reference
      case .string, .url: .text
      case .data: .data
      case .presence, .array, .set, .dictionary: .none
      }
  }
}

extension KeyCoding {
  /// Appends a field of fixed width from its bytes in a row.
  static func appendFixed(_ memory: UnsafeRawPointer, as kind: KeyKind, to key: inout ByteBuffer) {
    switch kind {
    case .bool: key.append(memory.u8(0) == 0 ? 0 : 1)
    case .int8: key.append(memory.u8(0) ^ 0x80)
    case .int16: key.append(big: memory.u16(0) ^ 0x8000)
    case .int32: key.append(big: memory.u32(0) ^ 0x8000_0000)
    case .int64: key.append(big: memory.u64(0) ^ 1 << 63)
    case .uint8: key.append(memory.u8(0))
    case .uint16: key.append(big: memory.u16(0))
    case .uint32: key.append(big: memory.u32(0))
    case .uint64: key.append(big: memory.u64(0))
    case .float: key.append(big: orderedBits(Float(bitPattern: memory.u32(0))))
    case .double: key.append(big: orderedBits(Double(bitPattern: memory.u64(0))))
    case .decimal: DecimalNumber(reading: memory).key.withUnsafeBytes { key.append(contentsOf: $0) }
    case .uuid: key.append(contentsOf: UnsafeRawBufferPointer(start: memory, count: 16))
    case .reference: append(row: RowID(memory.u64(0)), to: &key)
    case .text, .data, .none: break
    }
  }
}
