/// An error of a store, with its place and advice.
///
/// Every lower module throws this one type. It is one word wide, so a `throws(StoreError)` function
/// costs its caller one register test. Match on ``code``; print the whole error for people.
public struct StoreError: Error, Sendable, CustomStringConvertible {
  /// The kinds of failure, each with its own advice.
  public enum Code: String, Sendable, CaseIterable {
    // The file is not the expected one.
    /// Roost did not write the file at this path.
    case notAStore
    /// The file is shorter than its superblock says.
    case truncated
    /// A page or superblock has a wrong checksum or impossible contents.
    case damaged
    /// A newer version of Roost wrote the file, in a format that this version cannot read.
    case futureVersion
    /// The file has pages of another size.
    case wrongPageSize
    /// The log of the store exists, but the file of the store does not.
    case storeMissing
    /// The store was not closed, and its log is missing or belongs to another store.
    case logMissing
    /// The log is damaged: acknowledged commits cannot be read.
    case logDamaged
    /// The file has a second hard link. Each name would get a log of its own.
    case hardLinked
    /// The store's file was removed or replaced while the store was open.
    case fileReplaced
    // The system refused.
    /// There is no such file, or the store has no tree or entry of this name.
    case notFound
    /// Another process has the store open for writing.
    case locked
    /// Another writer had the writer lock until the timeout.
    case timedOut
    /// The device is full, or the store has reached its largest size.
    case diskFull
    /// A call of the operating system on the file failed.
    case ioError
    /// The permissions of the file, its folder or the file system forbid it.
    case permissionDenied
    /// The operating system has no memory left for this process.
    case outOfMemory
    /// The program or the machine has reached its limit of open files.
    case tooManyFiles
    // The result of a commit is unknown, or writing has stopped because of that.
    /// The device failed during a commit. The commit may be stored or not.
    case commitUncertain
    /// The device failed earlier. Writing has stopped until the store is opened again.
    case poisoned
    // The call is not allowed.
    /// The store or its transaction is closed.
    case closed
    /// The store was opened read-only.
    case readOnly
    /// This thread already has a write transaction open and would wait for itself.
    case nestedWrite
    /// The key is too long.
    case keyTooLong
    /// The value is too large.
    case valueTooLarge
    /// The keys are not in ascending order.
    case unsortedKeys
    /// The tree has integer keys and bytes were given, or the other way round.
    case treeKindMismatch
    /// The name is empty, too long, or reserved.
    case invalidName
    /// Another transaction or process uses the store, or writes faster than this process can read.
    case busy
    /// A file of this name exists. It was not changed.
    case alreadyExists
    /// Another process wrote the store after it was opened read-only, and overwrote a page of the
    /// state that the reader shows. The file is not damaged.
    case overtaken
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

  /// Makes an error. Programs do so in tests only.
  ///
  /// - Parameters:
  ///   - code: the kind of failure.
  ///   - detail: what happened, as a clause without a full stop.
  ///   - path: the file; nil if there is none.
  ///   - page: the number of the page, counted from the start of the data file.
  ///   - offset: the byte offset in the file.
  ///   - errorNumber: the operating system's error number, or 0.
  public init(
    _ code: Code, _ detail: String, path: String? = nil, page: UInt64? = nil, offset: UInt64? = nil,
    errorNumber: Int32 = 0
  ) {
    storage = Storage(
      code: code, detail: detail, path: path, page: page, offset: offset, errorNumber: errorNumber)
  }

  /// The kind of failure, for programs to match on.
  public var code: Code { storage.code }
  /// What happened, as a clause without a full stop.
  public var detail: String { storage.detail }
  /// The file; nil if there is none.
  public var path: String? { storage.path }
  /// The number of the page, counted from the start of the data file.
  public var page: UInt64? { storage.page }
  /// The byte offset in the file.
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
    case .notFound: "Check the name, or the path of the file."
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
    case .overtaken: "Close the store and open it again: it then shows the newest state."
    }
  }
}

extension StoreError {
  /// Whether the error is about the content of a file, not about a refusal by the system.
  package var isAboutContent: Bool {
    switch code {
    case .damaged, .truncated, .logDamaged, .logMissing, .overtaken: true
    default: false
    }
  }
}
