package import RoostFile
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The error that Roost throws when SwiftData has no name for it. Match on ``code``. Print the
/// whole error for a person.
public struct RoostError: Error, CustomStringConvertible {
  /// The kinds of errors, each with a number that `roost help` explains: see ``RoostError/reference``.
  public enum Code: String, Sendable, CaseIterable {
    /// The type is not among the container's models.
    case unknownModel
    /// The object, or the identifier, belongs to another context or container.
    case foreign
    /// The object, or its row, is deleted.
    case deleted
    /// The context or its container is closed.
    case closed
    /// A value could not be read.
    case unreadable
    /// Another context or program changed the same value.
    case conflict
    /// Another model has this value already.
    case notUnique
    /// A delete rule forbids the deletion.
    case denied
    /// Two threads used one context at the same time.
    case twoThreads
    /// A loop read its models one by one in a strict context.
    case readOneByOne
    /// A value is missing, of another type, or too large.
    case badValue
    /// A relationship references fewer or more models than it may.
    case count
    /// Unsaved changes of the context prevent a bulk write.
    case pendingChanges
    /// A condition has no answer for one of the rows, such as a division by zero.
    case badCondition
    /// The input of an import is wrong; ``RoostError/importFault`` says where.
    case badInput
    /// The call needs the history, and the history is off.
    case historyOff
    /// The store's file, or the device, reported an error.
    case store
    /// A value breaks a rule of its model, or the model's own validation refused it.
    case invalid
    /// A selection, a join or an aggregate needs more memory than ``ModelConfiguration/queryBytes`` allows.
    case tooLarge
  }

  /// The kind of error, for programs to match on.
  public let code: Code
  /// A sentence for a person: which model and property it is about, and what to do. Its words may change between
  /// versions.
  public let detail: String
  /// The error that caused this one.
  public let underlyingError: (any Error)?
  /// Everything that is wrong in a refused save, at most 1,000 faults. ``code`` is the code of the
  /// first.
  public let faults: [SaveFault]
  /// How many faults there are; ``faults`` may have fewer.
  public let faultCount: Int

  package init(
    _ code: Code, _ detail: String, underlyingError: (any Error)? = nil, faults: [SaveFault] = [], faultCount: Int = 0
  ) {
    self.faultCount = max(faultCount, faults.count)
    self.code = code
    self.detail = detail
    self.underlyingError = underlyingError
    self.faults = faults
  }

  public var description: String { "\(code.rawValue): \(detail)" }

  /// The number of this kind of error, as in `E0507`: `roost help E0507` explains it. It never
  /// changes. If the store's file caused the error, it is the number of the file's error.
  public var reference: String {
    if code == .store, let error = underlyingError as? StoreError { return error.reference }
    return code.reference
  }
}

extension RoostError.Code {
  /// The number of this kind of error, as in `E0507`.
  public var reference: String { ErrorCatalogue.number(.door, rawValue) }
}

extension RoostError: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(written: reference) }
}

/// Converts errors of lower modules into errors that your program can match on.
enum Doorway {
  static func pass<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw translated(error) }
  }

  static func translated(_ error: any Error) -> any Error {
    switch error {
    case let fault as GraphFault:
      RoostError(code(fault.code), text(fault.description, fault.code.rawValue), underlyingError: fault)
    case let refusal as SaveRefusal:
      RoostError(refusal.faults.first.map { code($0.code) } ?? .conflict, refusal.description, underlyingError: refusal)
    case let fault as MigrationFault where fault.isBackward:
      SwiftDataError.backwardMigration.about(fault.description, fault)
    case let fault as MigrationFault:
      SwiftDataError.loadIssueModelContainer.about(fault.description, fault)
    case let fault as RecordFault where fault.code == .expired:
      SwiftDataError.historyTokenExpired.about(
        "\(fault.detail). Fetch the models again, and continue from latestHistoryToken", fault)
    case let fault as RecordFault:
      RoostError(code(fault.code), text(fault.description, fault.code.rawValue), underlyingError: fault)
    case let fault as ConditionFault: condition(fault)
    case let error as StoreError where error.code == .closed:
      RoostError(
        .closed, "the container's store is closed: make the container again. \(error.description)",
        underlyingError: error)
    case let error as StoreError where error.code == .nestedWrite:
      RoostError(
        .store,
        "this thread runs the code of a write already, such as the closure of update(model:) or insert(batch:), or "
          + "validate(_:) in a save or a deleteAll(model:): make this call after it", underlyingError: error)
    case let error as StoreError: RoostError(.store, error.description, underlyingError: error)
    default: error
    }
  }

  private static func condition(_ fault: ConditionFault) -> any Error {
    switch fault.code {
    case .wrongType, .unknown, .tooDeep, .badPattern:
      return SwiftDataError.unsupportedPredicate.about("\(fault.detail), in \(fault.part)", fault)
    case .tooLarge: return RoostError(.tooLarge, "\(fault.part): \(fault.detail)", underlyingError: fault)
    case .nilUnwrapped, .overflow, .dividedByZero, .outOfBounds, .missingRow, .tooLong:
      let advice = fault.entry?.advice.dropLast() ?? "handle such rows first"
      return RoostError(
        .badCondition, "\(fault.detail), in \(fault.part): \(advice.prefix(1).lowercased())\(advice.dropFirst())",
        underlyingError: fault)
    }
  }

  /// The description without the error's code at its beginning.
  static func text(_ description: String, _ code: String) -> String {
    description.hasPrefix(code + ": ") ? String(description.dropFirst(code.count + 2)) : description
  }

  static func code(_ code: GraphFault.Code) -> RoostError.Code {
    switch code {
    case .unknownModel: .unknownModel
    case .foreign: .foreign
    case .deleted: .deleted
    case .closed: .closed
    case .unreadable: .unreadable
    case .conflict: .conflict
    case .wrongModel, .badValue: .badValue
    case .notUnique: .notUnique
    case .denied: .denied
    case .count: .count
    case .invalid: .invalid
    case .pendingChanges: .pendingChanges
    case .twoThreads: .twoThreads
    case .readOneByOne: .readOneByOne
    }
  }

  private static func code(_ code: RecordFault.Code) -> RoostError.Code {
    switch code {
    case .notUnique: .notUnique
    case .denied: .denied
    case .conflict: .conflict
    case .wrongType, .outOfRange, .missing, .tooLarge: .badValue
    case .unknown: .unknownModel
    case .invalid: .invalid
    case .expired: .conflict
    }
  }
}
