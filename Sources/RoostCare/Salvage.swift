/// The result of a salvage: the saved trees and the losses.
public struct Salvage: Sendable {
  /// A part of the store that is lost.
  public struct Loss: Sendable, CustomStringConvertible {
    /// The tree, if it is known.
    public var tree: String?
    /// The number of the damaged page, counted from the start of the data file.
    public var page: UInt64?
    /// What is damaged, as a clause without a full stop.
    public var sentence: String
    /// The first key of the part, as bytes; a table's keys are eight bytes, highest first. nil if
    /// it is unknown.
    public var low: [UInt8]?
    /// The first key after the part; nil if the part extends to the end, or if it is unknown.
    public var high: [UInt8]?
    /// Whether the tree has a name that describes its content.
    var isTitled = false
    /// The number of entries in the part, if it is known. Some of them may have been found
    /// elsewhere.
    public var entries: Int?

    public var description: String {
      var text = sentence
      if let entries { text += ", with \(entries) entries" }
      if let tree { text += isTitled ? ", in \(tree)" : ", in \"\(tree)\"" }
      if let page { text = "page \(page): " + text }
      return text
    }
  }

  /// A tree in the new store.
  public struct SavedTree: Sendable {
    /// The name of the tree.
    public var name: String
    /// The number of saved entries.
    public var entries: Int
    /// Entries from leaves without a sound reference: they may be older than the lost ones. A
    /// damaged leaf whose keys are still in order is one of them, so a byte of an entry may be
    /// wrong.
    public var unverified: Int
  }

  /// A class of models in the new store.
  public struct SavedEntity: Sendable {
    /// The name of the entity, which is that of the class.
    public package(set) var name: String
    /// The number of saved rows.
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
  /// The lost parts, in the order in which they were found.
  public package(set) var losses: [Loss] = []
  /// The number of commits in the log that were replayed over the saved trees.
  package var records = 0

  /// Damaged pages that were repaired, so nothing in them is lost: one bit had flipped, or the page
  /// has a copy.
  public package(set) var repairedPages = 0

  /// The number of saved entries in all trees.
  public var entries: Int { trees.reduce(0) { $0 + $1.entries } }
  /// The number of saved entries without a sound reference to them, in all trees: see ``SavedTree/unverified``.
  public var unverified: Int { trees.reduce(0) { $0 + $1.unverified } }
  /// Whether nothing was lost.
  public var isComplete: Bool { losses.isEmpty }
}
