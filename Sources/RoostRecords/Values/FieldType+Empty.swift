extension FieldType {
  /// The value of a non-optional field of this type that was never set.
  package var empty: Value {
    switch self {
    case .bool: .bool(false)
    case .int8, .int16, .int32, .int64: .int(0)
    case .uint8, .uint16, .uint32, .uint64: .uint(0)
    case .float: .float(0)
    case .double: .double(0)
    case .decimal: .decimal(DecimalNumber(0))
    case .string: .string("")
    case .data: .data([])
    case .date: .date(0)
    case .uuid: .uuid(UUIDNumber(high: 0, low: 0))
    case .url: .url("")
    case .reference: .reference(RowID(0))
    case .presence: .bool(true)
    case .array: .array([])
    case .set: .set([])
    case .dictionary: .dictionary([:])
    }
  }
}
