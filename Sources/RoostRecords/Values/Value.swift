/// The value of a field, for code that does not know the program's types: tools, importers,
/// conditions and defaults.
///
/// Values are equal as in Swift: NaN equals nothing, -0 equals 0, canonically equivalent strings
/// are equal.
package enum Value: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case uint(UInt64)
  case float(Float)
  case double(Double)
  case decimal(DecimalNumber)
  case string(String)
  case data([UInt8])
  /// Seconds since the beginning of 2001.
  case date(Double)
  case uuid(UUIDNumber)
  case url(String)
  case reference(RowID)
  case array([Value])
  case set(Set<Value>)
  case dictionary([Value: Value])
  /// A struct inside a collection, as its parts in order.
  case structure([Value])

  package var isNull: Bool { self == .null }

  /// The name of the value's kind in messages to users.
  package var kind: String {
    switch self {
    case .null: "nil"
    case .bool: "a Bool"
    case .int, .uint: "an integer"
    case .float: "a Float"
    case .double: "a Double"
    case .decimal: "a Decimal"
    case .string: "a String"
    case .data: "Data"
    case .date: "a Date"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .reference: "a reference"
    case .array: "an array"
    case .set: "a set"
    case .dictionary: "a dictionary"
    case .structure: "a struct"
    }
  }
}

/// The sixteen bytes of a UUID, in the order of its text.
package struct UUIDNumber: Hashable, Sendable, Comparable {
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static func < (one: UUIDNumber, other: UUIDNumber) -> Bool {
    (one.high, one.low) < (other.high, other.low)
  }
}
