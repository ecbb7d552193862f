/// The type of a field's values. Whether the field is optional is a property of the field.
package enum FieldType: Hashable, Sendable {
  case bool
  case int8, int16, int32, int64
  case uint8, uint16, uint32, uint64
  case float, double
  case decimal
  case string
  case data
  /// Seconds since the beginning of 2001, as Foundation counts them.
  case date
  case uuid
  case url
  /// A row of another entity or of the same one.
  case reference(EntityID)
  /// Whether an optional nested struct has a value. Its parts are fields of their own.
  case presence
  indirect case array(ElementType)
  indirect case set(ElementType)
  indirect case dictionary(ElementType, ElementType)
}

/// The type of a collection's elements. A struct in a collection is stored whole, so its parts are
/// not fields.
package enum ElementType: Hashable, Sendable {
  case plain(FieldType)
  indirect case optional(ElementType)
  case structure([Part])

  package struct Part: Hashable, Sendable {
    package var name: String
    package var type: ElementType

    package init(_ name: String, _ type: ElementType) {
      self.name = name
      self.type = type
    }
  }
}

extension FieldType {
  /// The number of bytes of a field in every row; nil if it depends on the value.
  package var width: Int? {
    switch self {
    case .presence: 0
    case .bool, .int8, .uint8: 1
    case .int16, .uint16: 2
    case .int32, .uint32, .float: 4
    case .int64, .uint64, .double, .date, .reference: 8
    case .uuid: 16
    case .decimal: DecimalNumber.byteCount
    case .string, .data, .url, .array, .set, .dictionary: nil
    }
  }
}
