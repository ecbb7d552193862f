/// One kind of error with a number that never changes, for documentation and for support.
package struct ErrorEntry: Hashable, Sendable {
  /// The module of the error. The error's number begins with its number.
  package enum Family: Int, CaseIterable, Sendable {
    /// `StoreError.Code`
    case store = 1
    /// `RecordFault.Code`
    case rows
    /// `ConditionFault.Code`
    case conditions
    /// `GraphFault.Code`
    case objects
    /// `RoostError.Code`
    case door
    /// The kinds of `SwiftDataError`.
    case swiftData
    /// `TransferFault.Code`
    case transfer
    /// The errors of the tool.
    case tool

    package var name: String {
      switch self {
      case .store: "StoreError"
      case .rows: "rows"
      case .conditions: "conditions"
      case .objects: "objects"
      case .door: "RoostError"
      case .swiftData: "SwiftDataError"
      case .transfer: "import and export"
      case .tool: "the tool"
      }
    }
  }

  package let family: Family
  /// The number, such as `E0103`.
  package let number: String
  /// The name of the code in Swift.
  package let name: String
  /// What happened, as a sentence.
  package let meaning: String
  /// What to do, as a sentence.
  package let advice: String

  init(_ family: Family, _ place: Int, name: String, meaning: String, advice: String) {
    self.family = family
    let digits = String(family.rawValue * 100 + place)
    number = "E" + String(repeating: "0", count: 4 - digits.count) + digits
    self.name = name
    self.meaning = meaning
    self.advice = advice
  }
}

/// An error whose kind has a number.
package protocol CataloguedError: Error {
  var entry: ErrorEntry? { get }
}

extension StoreError: CataloguedError {
  package var entry: ErrorEntry? { ErrorCatalogue.entry(.store, code.rawValue) }
}

/// The table of all kinds of errors. Errors, the tool and the documentation get the numbers from
/// it.
///
/// New kinds are appended to their family. A number is never reused, even if its kind is removed.
package enum ErrorCatalogue {
  package static let all: [ErrorEntry] = store + others

  private static let byName: [String: ErrorEntry] = Dictionary(
    all.map { ("\($0.family.rawValue) \($0.name)", $0) }, uniquingKeysWith: { first, _ in first })

  package static func entry(_ family: ErrorEntry.Family, _ name: String) -> ErrorEntry? {
    byName["\(family.rawValue) \(name)"]
  }

  /// The number of a kind. A test checks that each kind has one.
  package static func number(_ family: ErrorEntry.Family, _ name: String) -> String {
    entry(family, name)?.number ?? "E\(family.rawValue)00"
  }

  /// The entry for a number that a user wrote as `E0103`, `e103` or `103`.
  package static func entry(written text: String) -> ErrorEntry? {
    let digits = text.first == "E" || text.first == "e" ? text.dropFirst() : text[...]
    guard (1...4).contains(digits.utf8.count), let number = Int(digits), number > 0 else { return nil }
    return all.first { $0.number.dropFirst() == String(repeating: "0", count: 4 - digits.count) + digits }
  }

  /// Makes an entry whose advice is that of the error code.
  private static func of(_ place: Int, _ code: StoreError.Code, meaning: String) -> ErrorEntry {
    ErrorEntry(.store, place, name: code.rawValue, meaning: meaning, advice: code.advice)
  }

  private static let store: [ErrorEntry] = [
    of(1, .notAStore, meaning: "Roost did not write the file at this path."),
    of(2, .truncated, meaning: "The file is shorter than its superblock says."),
    of(3, .damaged, meaning: "A page or superblock has a wrong checksum or impossible contents."),
    of(
      4, .futureVersion, meaning: "A newer version of Roost wrote the file, in a format that this version cannot read."),
    of(5, .wrongPageSize, meaning: "The file has pages of another size."),
    of(6, .storeMissing, meaning: "The log of the store exists, but the file of the store does not."),
    of(7, .logMissing, meaning: "The store was not closed, and its log is missing or belongs to another store."),
    of(8, .logDamaged, meaning: "The log is damaged: acknowledged commits cannot be read."),
    of(9, .hardLinked, meaning: "The file has a second hard link. Each name would get a log of its own."),
    of(10, .notFound, meaning: "There is no such file, or the store has no tree or entry of this name."),
    of(11, .locked, meaning: "Another process has the store open for writing."),
    of(12, .timedOut, meaning: "Another writer had the writer lock until the timeout."),
    of(13, .diskFull, meaning: "The device is full, or the store has reached its largest size."),
    of(14, .ioError, meaning: "A call of the operating system on the file failed."),
    of(15, .permissionDenied, meaning: "The permissions of the file, its folder or the file system forbid it."),
    of(16, .outOfMemory, meaning: "The operating system has no memory left for this process."),
    of(17, .commitUncertain, meaning: "The device failed during a commit. The commit may be stored or not."),
    of(18, .poisoned, meaning: "The device failed earlier. Writing has stopped until the store is opened again."),
    of(19, .closed, meaning: "The store or its transaction is closed."),
    of(20, .readOnly, meaning: "The store was opened read-only."),
    of(21, .nestedWrite, meaning: "This thread already has a write transaction open and would wait for itself."),
    of(22, .keyTooLong, meaning: "The key is too long."),
    of(23, .valueTooLarge, meaning: "The value is too large."),
    of(24, .unsortedKeys, meaning: "The keys are not in ascending order."),
    of(25, .treeKindMismatch, meaning: "The tree has integer keys and bytes were given, or the other way round."),
    of(26, .invalidName, meaning: "The name is empty, too long, or reserved."),
    of(
      27, .busy, meaning: "Another transaction or process uses the store, or writes faster than this process can read."),
    of(28, .alreadyExists, meaning: "A file of this name exists. It was not changed."),
    of(29, .fileReplaced, meaning: "The store's file was removed or replaced while the store was open."),
    of(30, .tooManyFiles, meaning: "The program or the machine has reached its limit of open files."),
    of(
      31, .overtaken,
      meaning: "Another process wrote the store after it was opened read-only, and overwrote a page that is needed."),
  ]
}
