package import RoostFile

/// The errors that SwiftData's own functions throw. Two are equal if they are of one kind; the
/// description says more.
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
  /// The error that caused this one.
  public private(set) var underlyingError: (any Error)?

  private init(_ kind: Kind) { self.kind = kind }

  /// SwiftData's error for a fetch in batches that includes unsaved changes. Never thrown here: such a fetch works.
  public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
  /// A predicate has a part that cannot be evaluated, such as one that divides by zero for a row. The description
  /// names the part.
  public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
  /// A key path names no stored property, or goes through a `!` that would end the program.
  public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
  /// SwiftData's error for a sorted fetch of identifiers that includes unsaved changes. Never thrown here: such a
  /// fetch works.
  public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
  /// Models cannot be sorted by this value, or a page cannot follow another order than its cursor's.
  public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
  /// Two configurations of a container name the same file.
  public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
  /// The name of a store's file has more than 240 bytes.
  public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
  /// The name of a store cannot be a file name: it is empty, `.` or `..`, or has a `/` or a NUL character.
  public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
    .configurationFileNameContainsInvalidCharacters)
  /// A configuration names a model that the container's schema does not have.
  public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
    .configurationSchemaNotFoundInContainerSchema)
  /// A container cannot be made. The description says why: models that contradict each other, a refused migration, or
  /// a setting.
  public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
  /// A save was refused because of values: missing, too large, not unique, or against a rule. Thrown as a
  /// ``RoostError`` whose faults name each model; `catch SwiftDataError.modelValidationFailure` matches it.
  public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
  /// SwiftData's error for a model that needs a context and has none. Never thrown here.
  public static let missingModelContext = SwiftDataError(.missingModelContext)
  /// A newer version of the models wrote the store. The description names the version: open it with the program that
  /// knows it.
  public static let backwardMigration = SwiftDataError(.backwardMigration)
  /// A schema was made of entities without their classes. A container needs the classes.
  public static let unknownSchema = SwiftDataError(.unknownSchema)
  /// The history after a token was removed, was never recorded, or belongs to other stores. Fetch the models again,
  /// and go on from the latest token.
  public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
  /// A descriptor of the history is not possible: an unknown type of transaction, or a deletion with other than upper
  /// bounds.
  public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

  /// Returns an error of this kind with a description.
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

  /// Matches an error by its kind. A save that was refused because of values of models matches
  /// ``modelValidationFailure`` too; ``RoostError/faults`` says more.
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
