public import Foundation

/// How records are imported, and what happens to wrong records.
public struct ImportOptions: Sendable {
  /// What happens to a record whose unique values belong to a stored model.
  public enum Conflict: String, Sendable, CaseIterable {
    /// The stored model takes the values that the record names, like an inserted model with
    /// ``ModelContext/UniquePolicy/upsert``.
    case update
    /// The stored model takes the values that the record names and that are not nil.
    case merge
    /// The stored model stays as it is.
    case skip
    /// The record counts as a bad record: see ``ImportOptions/badRecords``.
    case insert
    /// The import ends, whatever ``ImportOptions/badRecords`` says.
    case `throw`
  }

  /// What happens to wrong records.
  public enum BadRecords: Hashable, Sendable {
    /// The first one ends the import. The chunks before it stay.
    case stop
    /// They are left out and reported, up to this number. One more ends the import.
    case skip(upTo: Int)
  }

  /// How dates are written in a text. All forms except ``DateForm/format(_:)`` also read ISO 8601,
  /// such as `2024-05-01T12:30:00Z`.
  public enum DateForm: Hashable, Sendable {
    /// ISO 8601. In JSON a number is the number of seconds since the beginning of 2001, which
    /// `JSONEncoder` writes by default.
    case automatic
    /// ISO 8601, without numbers.
    case iso8601
    /// Numbers are `timeIntervalSinceReferenceDate`, also in tables. Core Data stores dates so.
    case secondsSince2001
    /// Numbers are `timeIntervalSince1970`, also in tables.
    case secondsSince1970
    /// Numbers are values of JavaScript's `Date.now()`, also in tables.
    case millisecondsSince1970
    /// A pattern of `DateFormatter`, such as `"dd.MM.yyyy HH:mm"`. A time without an offset (`Z`)
    /// is in UTC.
    case format(String)
  }

  /// What happens to a record whose unique values belong to a stored model. By default the import
  /// updates that model.
  public var conflict = Conflict.update
  /// How dates are written in the text. By default it is ISO 8601, and in JSON also numbers as `JSONEncoder` writes them.
  public var dates = DateForm.automatic
  /// What happens to wrong records. By default the first one ends the import.
  public var badRecords = BadRecords.stop
  /// The number of records in one transaction, which is stored completely or not at all. Nil lets
  /// the import choose: up to 50,000 records of a text, 20,000 snapshots, or 5,000 models. A chunk
  /// of a pipe has fewer records if a second has passed and the pipe is empty.
  public var chunk: Int?
  /// Whether each chunk waits until it is on the disk. When an import returns, everything is on the
  /// disk in any case. With `relaxed`, a crash of the machine before that may lose the newest
  /// chunks.
  public var durability = ModelContext.Durability.relaxed
  /// The author in the history.
  public var author = ""
  /// The name of an import that can be resumed. After an interruption, also by a kill of the
  /// program, an import with the same name and input continues after its last chunk.
  public var name: String?
  /// The properties of columns, or of names in objects, whose names differ from the model's. Nil
  /// leaves a column out.
  ///
  /// Case matters only between names that differ in nothing else: a column with the exact name of a
  /// property stays that property's, even if another spelling is listed here.
  public var columns: [String: String?] = [:]
  /// Whether unknown columns are left out. Otherwise they are an error. If several columns differ
  /// only in case, the one with the exact name of the property counts, and the others are left out.
  public var ignoresUnknown = false
  /// A file for records that are left out, as they were in the input. It can be imported again: it
  /// is a table, or has one JSON object per line.
  public var rejects: URL?
  /// The largest number of faults, and of references without a target, in a report.
  public var mostReported = 1000
  /// The largest size of a record, in bytes.
  public var mostRecordBytes = 16 << 20
  /// The largest size of a field, in bytes.
  public var mostFieldBytes = 16 << 20
  /// The deepest nesting of lists and objects.
  public var mostDepth = 64

  /// Makes options that update stored models and stop at the first bad record.
  public init() {}

  /// Checks everything except ``dates``, which only texts use.
  package func check() throws {
    func refuse(_ isWrong: Bool, _ detail: String) throws {
      if isWrong { throw RoostError(.badValue, detail) }
    }
    if let chunk {
      try refuse(chunk < 1, "chunk is \(chunk): set it to 1 or more, or to nil")
    }
    if case .skip(let most) = badRecords {
      try refuse(most < 0, "\(most) bad records cannot be skipped: write .stop, or give 0 or more")
    }
    try refuse(mostReported < 0, "mostReported is \(mostReported): set it to 0 or more")
    try refuse(
      mostRecordBytes < 1 || mostFieldBytes < 1 || mostDepth < 1,
      "mostRecordBytes, mostFieldBytes and mostDepth must be 1 at least")
    try refuse(mostDepth > 1000, "mostDepth may be 1000 at most")
    try refuse(name?.isEmpty == true, "the name of an import is empty: give it one, or nil")
    try refuse(name?.hasPrefix("@") == true, "the name of an import may not begin with \"@\": give it another one")
    try refuse(rejects?.isFileURL == false, "rejects must be a file's URL: make it with URL(filePath:)")
  }

  /// Returns the number of models or snapshots in one transaction. Models stay in memory until
  /// then.
  func chunk(of kind: ImportChunks.Kind) -> Int { chunk ?? (kind == .models ? 5000 : 20_000) }
}
