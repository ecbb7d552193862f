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
    case .notAStore: "Check the path. The file was not changed."
    case .truncated: "Restore a backup, or copy what is left with `salvage`."
    case .damaged, .logDamaged:
      "Restore a backup, or copy what is left with `salvage`; `verify` lists every damaged page, "
        + "and `verify --repair` repairs single flipped bits, and pages that have a sound copy."
    case .futureVersion: "Open it with a newer version of Roost."
    case .wrongPageSize: "This build reads 4096-byte pages only."
    case .storeMissing:
      "Put the file of the store back beside its log. If you no longer need the store, remove the log."
    case .logMissing: "Put the log back beside the store. Without it acknowledged commits are lost."
    case .hardLinked: "Remove the other hard link."
    case .fileReplaced:
      "Nothing was written. Close this store and open the path again; until then you can still read the old file."
    case .notFound: "Check the path, or create the store first."
    case .locked: "Close the store in that process, or open it read-only."
    case .timedOut: "Shorten the other transaction, or set a longer timeout."
    case .diskFull: "Free some space and continue with the same store: it has its last commit."
    case .ioError: "Check the device. The operation had no effect."
    case .permissionDenied: "Check the permissions of the file and of its folder."
    case .outOfMemory: "Lower the cache size or raise the memory limit."
    case .tooManyFiles: "Close other files of the program, or raise its limit (`ulimit -n`), and try again."
    case .commitUncertain: "Close and reopen the store, then check whether the commit is stored."
    case .poisoned: "Close and reopen the store."
    case .closed: "Open the store again before you use it."
    case .readOnly: "Open the store for writing."
    case .nestedWrite: "Use the transaction that is open."
    case .keyTooLong: "Shorten the key; Docs/LIMITS.md has the limit."
    case .valueTooLarge: "Split the value; Docs/LIMITS.md has the limit."
    case .unsortedKeys: "Sort the entries by key and remove duplicates, or use `put`."
    case .treeKindMismatch: "Open the tree with the kind of key that it was created with."
    case .invalidName: "Choose a name within the limits of Docs/LIMITS.md."
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
