package import RoostFile

/// An error that the user can fix: a value cannot be stored, or a change cannot be made.
///
/// Errors of the file or the device are `StoreError`s.
package struct RecordFault: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: String, Sendable, CaseIterable {
    /// The value is of another type than the field.
    case wrongType
    /// The number is too large for the field.
    case outOfRange
    /// The field may not be nil.
    case missing
    /// Another row has this value already.
    case notUnique
    /// There is no such entity, field, index or row.
    case unknown
    /// A row is too large.
    case tooLarge
    /// The rows that depend on this one forbid its deletion.
    case denied
    /// The change of the catalog does not fit what is stored.
    case conflict
    /// The history after a token is not known, or no longer known.
    case expired
    /// The value breaks a rule of the program.
    case invalid
  }

  package var code: Code
  package var detail: String
  package var entity: String?
  package var field: String?
  /// The rows that the error is about, if any; the row to be changed comes first.
  package var rows: [RowName] = []
  /// Further errors, if a deletion found several.
  package var others: [RecordFault] = []

  package init(_ code: Code, _ detail: String, entity: String? = nil, field: String? = nil) {
    self.code = code
    self.detail = detail
    self.entity = entity
    self.field = field
  }

  /// A copy of the error with its entity and field.
  package func at(_ entity: String, _ field: String?) -> RecordFault {
    var fault = self
    fault.entity = self.entity ?? entity
    fault.field = self.field ?? field
    return fault
  }

  package var description: String {
    let place = [entity, field].compactMap { $0 }.joined(separator: ".")
    return "\(code.rawValue): \(detail)" + (place.isEmpty ? "" : " [\(place)]")
  }
}

extension RecordFault: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.rows, code.rawValue) }
}
