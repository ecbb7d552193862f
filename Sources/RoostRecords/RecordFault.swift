package import RoostFile

/// Why a value cannot be stored, or a change cannot be made.
///
/// Faults are the user's to mend; what the file or the device does wrong is a `StoreError`.
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
    /// The history after a token is not there, or not any more.
    case expired
    /// The value breaks a rule of the program.
    case invalid
  }

  package var code: Code
  package var detail: String
  package var entity: String?
  package var field: String?
  /// The rows it is about, where there are such: first the one that was to be changed.
  package var rows: [RowName] = []
  /// What else is wrong, where a deletion found several faults.
  package var others: [RecordFault] = []

  package init(_ code: Code, _ detail: String, entity: String? = nil, field: String? = nil) {
    self.code = code
    self.detail = detail
    self.entity = entity
    self.field = field
  }

  /// The same, with the place where it happened.
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
