package import RoostFile

/// What is wrong with a text that is to be imported, and where.
///
/// Lines and columns count from 1, a column in bytes. What the file system does wrong is a `StoreError`.
package struct TransferFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    /// The bytes are no text in UTF-8, or not the compressed file they seem to be.
    case encoding
    /// The text is not what the format demands.
    case syntax
    /// A record has another number of columns than the first line.
    case columns
    /// A name stands twice where it may stand once.
    case duplicate
    /// A name that nothing is known of.
    case unknown
    /// There is no value where one must stand.
    case missing
    /// The value is of another type than the field.
    case wrongType
    /// The number is too large for the field.
    case outOfRange
    /// A record, a field, the number of columns or the depth passes a bound.
    case tooLarge
    /// The input ends in the middle of something.
    case truncated
    /// The value breaks a rule of the program.
    case invalid
  }

  package var code: Code
  /// What is wrong, as a clause without a full stop.
  package var detail: String
  package var line: Int?
  package var column: Int?
  package var field: String?
  /// The record as it stands in the input, for a file of what was left out.
  package var record: [UInt8] = []
  /// What a report keeps of it: no more than the first 64 KiB of the record.
  package var cut: TransferFault {
    var fault = self
    if record.count > 1 << 16 { fault.record = Array(record.prefix(1 << 16)) }
    return fault
  }

  package init(_ code: Code, _ detail: String, line: Int? = nil, column: Int? = nil, field: String? = nil) {
    self.code = code
    self.detail = detail
    self.line = line
    self.column = column
    self.field = field
  }

  package var description: String {
    Self.sentence(code.rawValue, detail, line: line, column: column, field: field)
  }

  /// The same for the door's fault, which says it in the same way.
  package static func sentence(_ code: String, _ detail: String, line: Int?, column: Int?, field: String?) -> String {
    var place: [String] = []
    if let line { place.append("line \(line)") }
    if let column { place.append("column \(column)") }
    if let field { place.append("field '\(field)'") }
    return "\(code): \(detail)" + (place.isEmpty ? "" : " [\(place.joined(separator: ", "))]")
  }
}

extension TransferFault: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.transfer, code.rawValue) }
}

extension TransferFault.Code {
  package init(_ code: RecordFault.Code) {
    self =
      switch code {
      case .wrongType: .wrongType
      case .outOfRange: .outOfRange
      case .missing: .missing
      case .notUnique: .duplicate
      case .tooLarge: .tooLarge
      case .invalid: .invalid
      case .unknown, .denied, .conflict, .expired: .unknown
      }
  }
}
