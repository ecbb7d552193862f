package import RoostRecords

/// How far an import came.
public struct ImportProgress: Hashable, Sendable {
  /// Records that are dealt with, bad ones too, and those of an earlier run.
  public package(set) var records = 0
  /// Models that were inserted.
  public package(set) var inserted = 0
  /// Stored models that were changed.
  public package(set) var updated = 0
  /// Records whose models were there already and stayed as they are.
  public package(set) var kept = 0
  /// Records that were left out.
  public package(set) var bad = 0
  /// Records that an earlier run of the same name had dealt with.
  public package(set) var resumed = 0
  /// Bytes of the input that are dealt with, after decompression; 0 where it has none.
  public package(set) var bytes = 0
  /// How much of the input is dealt with, between 0 and 1; nil where nobody knows how long it is, as of a pipe.
  public package(set) var fraction: Double?
  /// For how long the import has been running.
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

  /// Records of this run in a second.
  public var recordsPerSecond: Double { seconds > 0 ? Double(records - resumed) / seconds : 0 }
  /// Bytes of the input in a second, after decompression.
  public var bytesPerSecond: Double { seconds > 0 ? Double(bytes) / seconds : 0 }

  /// How long the rest takes if it goes on like that; nil where nobody knows how much it is.
  public var remaining: Duration? {
    guard let fraction, fraction > 0, seconds > 0 else { return nil }
    return .seconds(seconds * max(0, 1 - fraction) / fraction)
  }
}

/// A record that is wrong, and where it stands.
public struct ImportFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of faults that a record can have.
  public enum Reason: String, Sendable, CaseIterable {
    /// The bytes are no text in UTF-8, or not the compressed file they seem to be.
    case encoding
    /// The text is not what the format demands.
    case syntax
    /// A record has another number of columns than the first line.
    case columns
    /// A name or a value stands twice where it may stand once; a unique value is there already.
    case duplicate
    /// A name, or a model that it leads to, of which nothing is known.
    case unknown
    /// There is no value where one must stand.
    case missing
    /// The value is of another type than the property.
    case wrongType
    /// The number is too large for the property.
    case outOfRange
    /// A record, a field, the number of columns or the depth passes a bound.
    case tooLarge
    /// The input ends in the middle of something.
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
  /// In bytes, from 1.
  public package(set) var column: Int?
  /// The property, by its name or as a path.
  public package(set) var field: String?
  /// The record as it stands in the input, cut where it is longer than 64 KiB.
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

/// What an import did.
public struct ImportReport: Sendable, CustomStringConvertible {
  /// A reference that does not lead where it should, also at the end, or a list that has too few members.
  public struct Unresolved: Hashable, Sendable {
    /// Why a reference leads nowhere.
    public enum Reason: Hashable, Sendable {
      /// There is no such model.
      case missing
      /// The model may not be led to, or the list has too few members; and what forbids it, in words.
      case refused(String)
      /// A user or a later record let it lead elsewhere while it waited for its model, or gave that one another partner.
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
    /// What it should lead to, as it stood in the input.
    public let key: String
    /// Why it leads nowhere.
    public let reason: Reason

    package init(model: PersistentIdentifier, property: String, key: String, reason: Reason) {
      (self.model, self.property, self.key, self.reason) = (model, property, key, reason)
    }
  }

  /// The counts of records and models at the end of the import.
  public package(set) var progress = ImportProgress()
  /// The first bad records that were left out.
  public package(set) var faults: [ImportFault] = []
  /// The first references that lead nowhere, and how many there are.
  public package(set) var unresolved: [Unresolved] = []
  /// How many references lead nowhere; ``unresolved`` has the first ones.
  public package(set) var unresolvedCount = 0
  /// Whether somebody asked for the end before the input did. What is stored is whole chunks.
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
  /// Of a ``Code/badInput``, which record is wrong, and where.
  public var importFault: ImportFault? { underlyingError as? ImportFault }
}
