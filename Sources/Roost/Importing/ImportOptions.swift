public import Foundation

/// How records are imported, and what is done where they do not fit.
public struct ImportOptions: Sendable {
  /// What becomes of a record whose unique values a model has already.
  public enum Conflict: String, Sendable, CaseIterable {
    /// The stored model takes what the record names, as an inserted model does by ``ModelContext/UniquePolicy/upsert``.
    case update
    /// The stored model takes what the record names and is not nil.
    case merge
    /// The stored model stays as it is.
    case skip
    /// The record is a bad one: see ``ImportOptions/badRecords``.
    case insert
    /// The import ends, whatever becomes of bad records.
    case `throw`
  }

  /// What becomes of records that are wrong.
  public enum BadRecords: Hashable, Sendable {
    /// The first one ends the import. The chunks before it stay.
    case stop
    /// They are left out and reported, as long as there are no more than so many.
    case skip(upTo: Int)
  }

  /// How dates are written in a text. ISO 8601, as `2024-05-01T12:30:00Z`, is read by all forms but ``DateForm/format(_:)``.
  public enum DateForm: Hashable, Sendable {
    /// ISO 8601. In JSON a number counts seconds since the beginning of 2001, as `JSONEncoder` writes dates unless it is told otherwise.
    case automatic
    /// ISO 8601, and no numbers.
    case iso8601
    /// Numbers are `timeIntervalSinceReferenceDate`, in tables too: what Core Data keeps in its files.
    case secondsSince2001
    /// Numbers are `timeIntervalSince1970`, in tables too.
    case secondsSince1970
    /// Numbers are what JavaScript calls `Date.now()`, in tables too.
    case millisecondsSince1970
    /// Letters as `DateFormatter` knows them, as `"dd.MM.yyyy HH:mm"`. A time without an offset (`Z`) is one of Greenwich.
    case format(String)
  }

  /// How an import treats a record whose unique values a stored model has already. By default it updates that model.
  public var conflict = Conflict.update
  /// How dates are written in the text. By default it is ISO 8601, and in JSON also numbers as `JSONEncoder` writes them.
  public var dates = DateForm.automatic
  /// How an import treats records that are wrong. By default the first one ends the import.
  public var badRecords = BadRecords.stop
  /// How many records are one transaction, which is stored whole, or not at all. Nil for as many as are ready of a text, up to
  /// 50,000, for 20,000 snapshots, and for 5,000 models. A chunk of a pipe has fewer records if a second has passed and the pipe is empty.
  public var chunk: Int?
  /// Whether each chunk waits until it is on the disk. When an import returns, all of it is there in any case; with `relaxed` a crash of the
  /// machine before that may lose the newest chunks.
  public var durability = ModelContext.Durability.relaxed
  /// The author that the history notes.
  public var author = ""
  /// An import with a name that was cut off goes on behind its last chunk when it begins again with the same input, also after the program was killed.
  public var name: String?
  /// What columns, or names in objects, are called in the model, where that is something else; nil leaves one out. The case
  /// of letters counts where names differ in nothing else: a column that is written as a property stays that, if another spelling is given here.
  public var columns: [String: String?] = [:]
  /// Whether a column that the model does not know is left out. Else it is an error. Of columns whose names differ in case alone the one that is
  /// written as the property counts then, and the others are left out.
  public var ignoresUnknown = false
  /// A file for records that are left out, as they stood in the input, which can be imported again: a table, or objects on a line each.
  public var rejects: URL?
  /// How many faults, and how many references that lead nowhere, a report names.
  public var mostReported = 1000
  /// The greatest record.
  public var mostRecordBytes = 16 << 20
  /// The greatest field.
  public var mostFieldBytes = 16 << 20
  /// How deep lists and objects may be nested.
  public var mostDepth = 64

  /// Makes options that update stored models, and stop at the first bad record.
  public init() {}

  /// Checks everything but ``dates``, which only a text needs.
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

  /// How many models, which stay in memory for it, or snapshots are one transaction.
  func chunk(of kind: ImportChunks.Kind) -> Int { chunk ?? (kind == .models ? 5000 : 20_000) }
}
