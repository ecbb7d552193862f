/// The progress of a verification.
public struct VerificationProgress: Sendable {
  /// The number of verified pages. A page counts half when its structure is read, and half when its
  /// content is compared.
  public package(set) var pages: Int
  /// The number of pages of the file that are in use.
  public package(set) var total: Int

  package init(pages: Int, total: Int) {
    self.pages = pages
    self.total = total
  }
}

/// The result of a verification: every page, tree and entry of a store, read again from its file.
public struct Verification: Sendable {
  /// An error that was found.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The number of the page, counted from the start of the data file; nil if the error is not in
    /// a page.
    public var page: UInt64?
    /// The name of the tree; nil if the error is not in a tree.
    public var tree: String?
    /// The error, as a clause without a full stop.
    public var sentence: String
    /// The violated invariant of Docs/DURABILITY.md; nil if the medium failed.
    public var invariant: Int?

    public var description: String {
      var text = sentence
      if let tree { text += ", in \"\(tree)\"" }
      if let page { text = "page \(page): " + text }
      if let invariant { text += " (invariant \(invariant))" }
      return text
    }
  }

  /// All errors that were found; empty for a sound store.
  public package(set) var findings: [Finding] = []
  /// Expected results of a crash, which the next checkpoint repairs. They are not damage.
  public package(set) var notes: [Finding] = []
  /// Whether there are more findings than the list holds.
  public package(set) var hasMore = false
  /// Pages in the file, including superblocks.
  public package(set) var pages = 0
  /// Pages that were read: those of trees, of large values and of the map of free places.
  public package(set) var pagesRead = 0
  /// Pages in the file that are free.
  public package(set) var freePages = 0
  /// Trees and tables.
  public package(set) var trees = 0
  /// Entries of all trees and tables.
  public package(set) var entries = 0
  /// Entries whose value is stored outside their leaf.
  public package(set) var largeValues = 0
  /// The duration of the verification in seconds.
  public package(set) var seconds = 0.0

  /// Whether no error was found.
  public var isSound: Bool { findings.isEmpty }

  /// Adds a finding of a module above.
  package mutating func add(_ sentence: String, page: UInt64?, tree: String?) {
    findings.append(Finding(page: page, tree: tree, sentence: sentence))
  }

  package init() {}
}
