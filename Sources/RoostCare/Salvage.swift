/// What could be saved from a damaged store, and what could not.
public struct Salvage: Sendable {
  /// A part of the store that is lost.
  public struct Loss: Sendable, CustomStringConvertible {
    /// The tree concerned, where that is known.
    public var tree: String?
    /// The page that is damaged, counted from the start of the data file.
    public var page: UInt64?
    /// What is damaged, as a clause without a full stop.
    public var sentence: String
    /// The first key of the part, as bytes; a table's keys are eight bytes, highest first. nil where it is not known.
    public var low: [UInt8]?
    /// The first key behind the part; nil where it reaches to the end or is not known.
    public var high: [UInt8]?
    /// Whether the tree has a name that says what it holds.
    var isTitled = false
    /// How many entries stood there, where that is known. Some of them may have been found elsewhere.
    public var entries: Int?

    public var description: String {
      var text = sentence
      if let entries { text += ", with \(entries) entries" }
      if let tree { text += isTitled ? ", in \(tree)" : ", in \"\(tree)\"" }
      if let page { text = "page \(page): " + text }
      return text
    }
  }

  /// What is in the new store of one tree.
  public struct SavedTree: Sendable {
    /// The name of the tree.
    public var name: String
    /// How many entries were saved.
    public var entries: Int
    /// Entries from leaves that no sound reference leads to: they may be older than what was lost. A damaged leaf that
    /// is still in order is among them, so a byte of theirs may be wrong.
    public var unverified: Int
  }

  /// A class of models in the new store.
  public struct SavedEntity: Sendable {
    /// The name of the entity, which is that of the class.
    public package(set) var name: String
    /// How many rows were saved.
    public package(set) var rows: Int

    package init(name: String, rows: Int) {
      self.name = name
      self.rows = rows
    }
  }

  /// The trees of the new store.
  public package(set) var trees: [SavedTree] = []
  /// The classes of models that a store of objects had; empty for a key-value store.
  public package(set) var entities: [SavedEntity] = []
  /// The parts that are lost, in the order in which they were found.
  public package(set) var losses: [Loss] = []
  /// Commits that stood in the log, and were carried out over what the file held.
  package var records = 0

  /// Damaged pages that were read as they had been written, so nothing of them is lost: one bit had flipped, or the page
  /// has a copy.
  public package(set) var repairedPages = 0

  /// How many entries were saved, of all trees.
  public var entries: Int { trees.reduce(0) { $0 + $1.entries } }
  /// The number of saved entries without a sound reference to them, in all trees: see ``SavedTree/unverified``.
  public var unverified: Int { trees.reduce(0) { $0 + $1.unverified } }
  /// Nothing was lost.
  public var isComplete: Bool { losses.isEmpty }
}
