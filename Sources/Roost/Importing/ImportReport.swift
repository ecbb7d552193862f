package import RoostRecords

/// The progress of an import.
public struct ImportProgress: Hashable, Sendable {
  /// The number of handled records, including bad ones and those of an earlier run.
  public package(set) var records = 0
  /// The number of inserted models.
  public package(set) var inserted = 0
  /// The number of changed models.
  public package(set) var updated = 0
  /// The number of records whose models were stored already and did not change.
  public package(set) var kept = 0
  /// The number of records that were left out.
  public package(set) var bad = 0
  /// The number of records that an earlier run of the same name had handled.
  public package(set) var resumed = 0
  /// The number of handled bytes of the input, after decompression; 0 if the input has no bytes.
  public package(set) var bytes = 0
  /// The handled part of the input, between 0 and 1; nil if its length is unknown, as for a pipe.
  public package(set) var fraction: Double?
  /// The time since the import began.
  public package(set) var elapsed = Duration.zero

  init() {}

  init(_ plain: RoostRecords.ImportCounts) {
    records = plain.records
    inserted = plain.inserted
    updated = plain.updated
    kept = plain.kept
    bad = plain.bad
    resumed = plain.resumed
    bytes = Int(clamping: plain.bytes)
  }

  private var seconds: Double { elapsed / .seconds(1) }

  /// The number of records of this run per second.
  public var recordsPerSecond: Double { seconds > 0 ? Double(records - resumed) / seconds : 0 }
  /// The number of bytes of the input per second, after decompression.
  public var bytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds : 0 }

  /// The estimated rest of the time, at the present speed; nil if the length of the input is
  /// unknown.
  public var remaining: Duration? {
    guard let fraction, fraction > 0, seconds > 0 else { return nil }
    return .seconds(seconds * max(0, 1 - fraction) / fraction)
  }
}

/// A wrong record, and its position.
public struct ImportFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of faults that a record can have.
  public enum Reason: String, Sendable, CaseIterable {
    /// The bytes are not UTF-8 text, or not the compressed file that they seem to be.
    case encoding
    /// The text does not follow the format.
    case syntax
    /// A record has another number of columns than the first line.
    case columns
    /// A name or a value is repeated, or a unique value exists already.
    case duplicate
    /// A name is unknown, or a referenced model does not exist.
    case unknown
    /// A required value is missing.
    case missing
    /// The value is of another type than the property.
    case wrongType
    /// The number is too large for the property.
    case outOfRange
    /// A record, a field, the number of columns or the depth exceeds a limit.
    case tooLarge
    /// The input ends in the middle of a record.
    case truncated
    /// The value breaks a rule of the model.
    case invalid
  }

  /// The kind of fault, for programs to match on.
  public package(set) var reason: Reason
  /// What is wrong, as a clause without a full stop.
  public package(set) var detail: String
  /// The record's line, or the number of a model in a sequence, from 1.
  public package(set) var line: Int?
  /// The column in bytes, from 1.
  public package(set) var column: Int?
  /// The property, by its name or as a path.
  public package(set) var field: String?
  /// The record as it is in the input, cut after 64 KiB.
  public package(set) var record = ""

  package init(_ reason: Reason, _ detail: String, line: Int? = nil, field: String? = nil) {
    self.reason = reason
    self.detail = detail
    self.line = line
    self.field = field
  }

  package init(_ fault: TransferFault) {
    reason =
      switch fault.code {
      case .encoding: .encoding
      case .syntax: .syntax
      case .columns: .columns
      case .duplicate: .duplicate
      case .unknown: .unknown
      case .missing: .missing
      case .wrongType: .wrongType
      case .outOfRange: .outOfRange
      case .tooLarge: .tooLarge
      case .truncated: .truncated
      case .invalid: .invalid
      }
    detail = fault.detail
    line = fault.line
    column = fault.column
    field = fault.field
    record = String(decoding: fault.record, as: UTF8.self)
  }

  public var description: String {
    TransferFault.sentence(reason.rawValue, detail, line: line, column: column, field: field)
  }
}

/// The result of an import.
public struct ImportReport: Sendable, CustomStringConvertible {
  /// A reference whose target could not be set until the end of the import, or a list that has too
  /// few members.
  public struct Unresolved: Hashable, Sendable {
    /// Why a reference has no target.
    public enum Reason: Hashable, Sendable {
      /// The target does not exist.
      case missing
      /// The target must not be referenced, or the list has too few members. The text says what
      /// forbids it.
      case refused(String)
      /// Another context or a later record changed the reference, or the target's partner, while it
      /// waited for its target.
      case changed

      package init(_ plain: UnresolvedReference.Reason) {
        self =
          switch plain {
          case .missing: .missing
          case .refused(let why): .refused(why)
          case .changed: .changed
          }
      }
    }

    /// The model that has the reference.
    public let model: PersistentIdentifier
    /// The relationship, by the name of its property.
    public let property: String
    /// The target, as the input names it.
    public let key: String
    /// Why it has no target.
    public let reason: Reason

    package init(model: PersistentIdentifier, property: String, key: String, reason: Reason) {
      (self.model, self.property, self.key, self.reason) = (model, property, key, reason)
    }
  }

  /// The counts of records and models at the end of the import.
  public package(set) var progress = ImportProgress()
  /// The first bad records that were left out.
  public package(set) var faults: [ImportFault] = []
  /// The first references without a target.
  public package(set) var unresolved: [Unresolved] = []
  /// The number of references without a target; ``unresolved`` has the first ones.
  public package(set) var unresolvedCount = 0
  /// Whether the import was cancelled. Only whole chunks are stored.
  public package(set) var isCancelled = false

  package init() {}

  public var description: String {
    var parts = ["\(progress.inserted) inserted", "\(progress.updated) updated", "\(progress.kept) kept"]
    if progress.bad > 0 { parts.append("\(progress.bad) left out") }
    if unresolvedCount > 0 { parts.append("\(unresolvedCount) references have no target") }
    return parts.joined(separator: ", ") + (isCancelled ? ", cancelled" : "")
  }
}

extension RoostError {
  /// The wrong record, if the code is ``Code/badInput``.
  public var importFault: ImportFault? { underlyingError as? ImportFault }
}
