/// What went wrong in a store, where, and what to do next.
///
/// Every floor throws this one type. It is one word wide, so that a `throws(StoreError)` function
/// costs its caller one register test. Match on ``code``; print the whole error for a person.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure, each with its own advice.
  public enum Code: String, Sendable, CaseIterable {
    // The file is not what was expected.
    case notAStore, truncated, damaged, futureVersion, wrongPageSize, storeMissing, logMissing, logDamaged,
      hardLinked, fileReplaced
    // The world refused.
    case notFound, locked, timedOut, diskFull, ioError, permissionDenied, outOfMemory, tooManyFiles
    // A commit's fate is open, or writing has stopped because of that.
    case commitUncertain, poisoned
    // The call does not fit.
    case closed, readOnly, nestedWrite, keyTooLong, valueTooLarge, unsortedKeys, treeKindMismatch, invalidName, busy,
      alreadyExists
  }

  private final class Storage: Sendable {
    let code: Code
    let detail: String
    let path: String?
    let page: UInt64?
    let offset: UInt64?
    let errorNumber: Int32

    init(code: Code, detail: String, path: String?, page: UInt64?, offset: UInt64?, errorNumber: Int32) {
      self.code = code
      self.detail = detail
      self.path = path
      self.page = page
      self.offset = offset
      self.errorNumber = errorNumber
    }
  }

  private let storage: Storage

  public init(
    _ code: Code, _ detail: String, path: String? = nil, page: UInt64? = nil, offset: UInt64? = nil,
    errorNumber: Int32 = 0
  ) {
    storage = Storage(
      code: code, detail: detail, path: path, page: page, offset: offset, errorNumber: errorNumber)
  }

  public var code: Code { storage.code }
  /// What happened, as a clause without a full stop.
  public var detail: String { storage.detail }
  /// The file concerned, where one is.
  public var path: String? { storage.path }
  /// The page concerned, counted from the start of the data file.
  public var page: UInt64? { storage.page }
  /// The byte offset concerned.
  public var offset: UInt64? { storage.offset }
  /// The operating system's error number, or 0.
  public var errorNumber: Int32 { storage.errorNumber }

  /// The same error with the file named, if it names none yet.
  package func at(path: String) -> StoreError {
    if storage.path != nil { return self }
    return StoreError(
      code, detail, path: path, page: page, offset: offset, errorNumber: errorNumber)
  }

  public var description: String {
    var text = "\(code.rawValue): \(detail)"
    if let path {
      text += " [\(path)" + (placeText.map { ", " + $0 } ?? "") + "]"
    } else if let placeText {
      text += " [\(placeText)]"
    }
    return text + ". " + advice
  }

  private var placeText: String? {
    switch (page, offset) {
    case (let page?, let offset?): "page \(page), byte \(offset)"
    case (let page?, nil): "page \(page)"
    case (nil, let offset?): "byte \(offset)"
    case (nil, nil): nil
    }
  }

  /// One sentence: what the reader of this error can do.
  public var advice: String { code.advice }

  /// The number of this kind of error, as in `E0103`: `roost help E0103` explains it. It never changes.
  public var reference: String { code.reference }
}

extension StoreError.Code {
  /// The number of this kind of error, as in `E0103`: `roost help E0103` explains it. It never changes.
  public var reference: String { ErrorCatalogue.number(.store, rawValue) }

  /// One sentence: what the reader of such an error can do.
  public var advice: String {
    switch self {
    case .notAStore: "Check the path; this file was not written by Roost and was left untouched."
    case .truncated: "Restore the file from a backup, or save what is left with `salvage`."
    case .damaged, .logDamaged:
      "Restore from a backup, or save what is left with `salvage`; `verify` lists every damaged place, "
        + "and `verify --repair` repairs single flipped bits, and pages that have a sound copy."
    case .futureVersion: "Open it with a newer version of Roost."
    case .wrongPageSize: "This build reads 4096-byte pages only."
    case .storeMissing:
      "Put the store's file back beside its log; if nothing of it is needed any more, remove the log file."
    case .logMissing: "Put the log file back beside the store; without it acknowledged commits would be lost."
    case .hardLinked: "Remove the other hard link: two names would get two logs."
    case .fileReplaced:
      "Nothing was written. Close this store and open the path again; what is still needed of it can be read until then."
    case .notFound: "Check the path, or make the store first."
    case .locked: "Close the store in the process named, or open it read-only."
    case .timedOut: "Another writer is still at work: try again, or wait longer."
    case .diskFull: "Free some space and go on with the same store: it is as its last commit left it."
    case .ioError: "Check the device; the operation was not carried out."
    case .permissionDenied: "Check the permissions of the file and of its folder."
    case .outOfMemory: "Lower the cache size or raise the memory limit."
    case .tooManyFiles: "Close files that the program has open, or raise its limit (`ulimit -n`), and try again."
    case .commitUncertain: "Close and reopen the store: reopening tells whether the commit is there."
    case .poisoned: "The device failed earlier, so writing has stopped: close and reopen the store."
    case .closed: "Open the store again before using it."
    case .readOnly: "Open the store for writing."
    case .nestedWrite: "Use the transaction that is already open instead of beginning another."
    case .keyTooLong: "Shorten the key; Docs/LIMITS.md gives the bound."
    case .valueTooLarge: "Split the value; Docs/LIMITS.md gives the bound."
    case .unsortedKeys: "Sort the entries by their keys and leave out repeated ones, or use `put`."
    case .treeKindMismatch: "Open the tree with the kind of key it was made with."
    case .invalidName: "Choose a name within the bounds in Docs/LIMITS.md."
    case .busy: "Try again."
    case .alreadyExists: "Choose another path, or remove the file first."
    }
  }
}

extension StoreError {
  /// Whether the error tells what a file holds, and not what the system refused.
  package var isAboutContent: Bool {
    switch code {
    case .damaged, .truncated, .logDamaged, .logMissing: true
    default: false
    }
  }
}
