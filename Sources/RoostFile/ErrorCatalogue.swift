/// One kind of error, under a number that never changes, for documents and for people who ask.
package struct ErrorEntry: Hashable, Sendable {
  /// Whose errors these are. Its number begins the error's.
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
    /// What `SwiftDataError` calls its kinds.
    case swiftData
    /// `TransferFault.Code`
    case transfer
    /// The tool's own.
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
  /// As in `E0103`.
  package let number: String
  /// What the code is called in Swift.
  package let name: String
  /// What happened, as a sentence.
  package let meaning: String
  /// What to do, as a sentence.
  package let advice: String

  init(_ family: Family, _ place: Int, _ name: String, _ meaning: String, _ advice: String) {
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

/// The one table of all kinds of errors: errors have their numbers from it, and so have the tool and the documents.
///
/// New kinds go to the end of their family. A number is never given twice, also where its kind is gone.
package enum ErrorCatalogue {
  package static let all: [ErrorEntry] = store + others

  private static let byName: [String: ErrorEntry] = Dictionary(
    all.map { ("\($0.family.rawValue) \($0.name)", $0) }, uniquingKeysWith: { first, _ in first })

  package static func entry(_ family: ErrorEntry.Family, _ name: String) -> ErrorEntry? {
    byName["\(family.rawValue) \(name)"]
  }

  /// The number of a kind; a test sees to it that each has one.
  package static func number(_ family: ErrorEntry.Family, _ name: String) -> String {
    entry(family, name)?.number ?? "E\(family.rawValue)00"
  }

  /// What a person means by `E0103`, `e103` or `103`.
  package static func entry(written text: String) -> ErrorEntry? {
    let digits = text.first == "E" || text.first == "e" ? text.dropFirst() : text[...]
    guard (1...4).contains(digits.utf8.count), let number = Int(digits), number > 0 else { return nil }
    return all.first { $0.number.dropFirst() == String(repeating: "0", count: 4 - digits.count) + digits }
  }

  /// What to do is what the error itself says.
  private static func of(_ place: Int, _ code: StoreError.Code, _ meaning: String) -> ErrorEntry {
    ErrorEntry(.store, place, code.rawValue, meaning, code.advice)
  }

  private static let store: [ErrorEntry] = [
    of(1, .notAStore, "The file, or what stands under this name, was not written by Roost."),
    of(2, .truncated, "The file is shorter than it says that it is."),
    of(3, .damaged, "A page, or a superblock, does not hold what was written there."),
    of(4, .futureVersion, "A newer version of Roost wrote the file, in a form that this one does not know."),
    of(5, .wrongPageSize, "The file has pages of another size."),
    of(6, .storeMissing, "The store's log is there, and the store's file is not."),
    of(7, .logMissing, "The store was not closed, and the log that it names is not there, or is another store's."),
    of(8, .logDamaged, "The log does not hold what was acknowledged."),
    of(9, .hardLinked, "The file has two names, and so would have two logs."),
    of(10, .notFound, "There is no such file, or no such thing in the store."),
    of(11, .locked, "Another process has the store open for writing."),
    of(12, .timedOut, "Another writer did not end in the time that was given."),
    of(13, .diskFull, "There is no room on the device, or the store may not grow any further."),
    of(14, .ioError, "The operating system could not carry out a call on the file."),
    of(15, .permissionDenied, "The file, its folder, or the file system does not allow it."),
    of(16, .outOfMemory, "The operating system gave no memory."),
    of(17, .commitUncertain, "The device failed while a commit was being saved, so nobody knows whether it is there."),
    of(18, .poisoned, "The device failed earlier, and nothing is written any more until the store is opened again."),
    of(19, .closed, "The store, its transaction, or what came from it has ended."),
    of(20, .readOnly, "The store was opened for reading."),
    of(21, .nestedWrite, "The thread has a write transaction open already, and would wait for itself."),
    of(22, .keyTooLong, "The key has more bytes than a key may have."),
    of(23, .valueTooLarge, "The value has more bytes than a value may have."),
    of(24, .unsortedKeys, "Keys that must ascend do not."),
    of(25, .treeKindMismatch, "The tree has keys of the other kind."),
    of(26, .invalidName, "The name is empty, too long, or reserved."),
    of(27, .busy, "Another transaction or process uses the store, or writes faster than this one can read."),
    of(28, .alreadyExists, "There is something under this name already, and it was left as it is."),
    of(29, .fileReplaced, "The store's file was removed or replaced while the store was open."),
    of(30, .tooManyFiles, "The program, or the machine, has as many files open as it may."),
  ]
}
