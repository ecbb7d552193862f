package import RoostFile

/// An error in a text that is imported, with its place.
///
/// Lines and columns count from 1, columns in bytes. Errors of the file system are `StoreError`s.
package struct TransferFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    /// The bytes are not valid UTF-8, or not the compressed file that they seem to be.
    case encoding
    /// The text violates the syntax of the format.
    case syntax
    /// A record has another number of columns than the first line.
    case columns
    /// A name appears twice although it may appear once.
    case duplicate
    /// An unknown name.
    case unknown
    /// A required value is missing.
    case missing
    /// The value is of another type than the field.
    case wrongType
    /// The number is too large for the field.
    case outOfRange
    /// A record, a field, the number of columns or the depth exceeds a limit.
    case tooLarge
    /// The input ends inside a record or a value.
    case truncated
    /// The value breaks a rule of the program.
    case invalid
  }

  package var code: Code
  /// The error, as a clause without a full stop.
  package var detail: String
  package var line: Int?
  package var column: Int?
  package var field: String?
  /// The bytes of the record in the input, for a file of skipped records.
  package var record: [UInt8] = []
  /// The error as reports keep it: with at most the first 64 KiB of the record.
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

  /// Makes the sentence of an error. The public error type uses it too.
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
