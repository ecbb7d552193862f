package import RoostFile

/// What SwiftData's own functions throw. Two are equal if they are of one kind; the description tells more.
public struct SwiftDataError: Error, Hashable, CustomStringConvertible {
  enum Kind: String, CaseIterable {
    case includePendingChangesWithBatchSize, unsupportedPredicate, unsupportedKeyPath
    case sortingPendingChangesWithIdentifiers, unsupportedSortDescriptor
    case duplicateConfiguration, configurationFileNameTooLong, configurationFileNameContainsInvalidCharacters
    case configurationSchemaNotFoundInContainerSchema, loadIssueModelContainer
    case modelValidationFailure, missingModelContext, backwardMigration, unknownSchema
    case historyTokenExpired, invalidTransactionFetchRequest
  }

  private let kind: Kind
  /// What is wrong, where, and what to do.
  private var detail = ""
  /// What was thrown further down.
  public private(set) var underlyingError: (any Error)?

  private init(_ kind: Kind) { self.kind = kind }

  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

  /// The same kind, with what it is about.
  package func about(_ detail: String, _ underlyingError: (any Error)? = nil) -> SwiftDataError {
    var error = self
    error.detail = detail
    error.underlyingError = underlyingError
    return error
  }

  public var description: String { detail.isEmpty ? kind.rawValue : "\(kind.rawValue): \(detail)" }

  /// The number of this kind of error, as in `E0602`: `roost help E0602` explains it. It never changes.
  public var reference: String { ErrorCatalogue.number(.swiftData, kind.rawValue) }

  public static func == (one: SwiftDataError, other: SwiftDataError) -> Bool { one.kind == other.kind }
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// A save that was refused because of what models hold is a ``modelValidationFailure`` too; ``RoostError/faults`` says more.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    if pattern.kind == .modelValidationFailure, let error = error as? RoostError {
      return error.faults.contains { $0.isOfModels }
    }
    return (error as? SwiftDataError)?.kind == pattern.kind
  }
}

extension SwiftDataError: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.swiftData, kind.rawValue) }
}
