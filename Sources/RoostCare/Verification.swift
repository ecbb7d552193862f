/// How far a verification has come.
public struct VerificationProgress: Sendable {
  /// The pages that are verified. A page counts half when its structure is read, and half when its content is compared.
  public package(set) var pages: Int
  /// The pages of the file that are in use.
  public package(set) var total: Int

  package init(pages: Int, total: Int) {
    self.pages = pages
    self.total = total
  }
}

/// The result of a verification: every page, tree and entry of a store, read again from its file.
public struct Verification: Sendable {
  /// Something that is not as it should be.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The page concerned, counted from the start of the data file, where one is.
    public var page: UInt64?
    /// The tree concerned, where one is.
    public var tree: String?
    /// What is wrong, as a clause without a full stop.
    public var sentence: String
    /// The invariant of Docs/DURABILITY.md that does not hold; nil where the medium failed, and no rule of ours.
    public var invariant: Int?

    public var description: String {
      var text = sentence
      if let tree { text += ", in \"\(tree)\"" }
      if let page { text = "page \(page): " + text }
      if let invariant { text += " (invariant \(invariant))" }
      return text
    }
  }

  /// Everything that is wrong, as far as it can be told; empty for a sound store.
  public package(set) var findings: [Finding] = []
  /// What is no damage: a crash leaves it, and the next checkpoint writes it anew.
  public package(set) var notes: [Finding] = []
  /// There are more than could be told.
  public package(set) var hasMore = false
  /// Pages in the file, superblocks among them.
  public package(set) var pages = 0
  /// Pages that were read: those of trees, of large values and of the map of free places.
  public package(set) var pagesRead = 0
  /// Pages in the file that are free.
  public package(set) var freePages = 0
  /// Trees and tables.
  public package(set) var trees = 0
  /// Entries of all trees and tables.
  public package(set) var entries = 0
  /// Entries whose value lies outside their leaf.
  public package(set) var largeValues = 0
  /// How long the verification took, in seconds.
  public package(set) var seconds = 0.0

  /// Whether nothing is wrong.
  public var isSound: Bool { findings.isEmpty }

  /// Adds what a module above found in the entries.
  package mutating func add(_ sentence: String, page: UInt64?, tree: String?) {
    findings.append(Finding(page: page, tree: tree, sentence: sentence))
  }

  package init() {}
}
