/// What a field holds. Whether it may be nil is said by the field, not here.
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
  /// A row of another entity, or of the same.
  case reference(EntityID)
  /// Whether an optional nested struct is there; its parts are fields of their own.
  case presence
  indirect case array(ElementType)
  indirect case set(ElementType)
  indirect case dictionary(ElementType, ElementType)
}

/// What stands in a collection. A struct in there is stored whole, so its parts have no fields of their own.
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

/// An entity's number in its store; no other entity ever gets it.
package struct EntityID: Hashable, Sendable, Comparable {
  package let number: UInt32

  package init(_ number: UInt32) { self.number = number }

  package static func < (one: EntityID, other: EntityID) -> Bool { one.number < other.number }
}

/// A field's number in its entity; no other field of it ever gets it, whatever its name.
package struct FieldID: Hashable, Sendable, Comparable {
  package let number: UInt16

  package init(_ number: UInt16) { self.number = number }

  package static func < (one: FieldID, other: FieldID) -> Bool { one.number < other.number }
}

/// A row's number in its entity, from 1 on; no other row ever gets it.
@usableFromInline package struct RowID: Hashable, Sendable, Comparable {
  @usableFromInline package let number: UInt64

  @inlinable
  package init(_ number: UInt64) { self.number = number }

  @inlinable package static func < (one: RowID, other: RowID) -> Bool { one.number < other.number }
}

extension FieldType {
  /// The bytes that a field takes in every row; nil where that depends on the value.
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
