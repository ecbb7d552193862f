/// One side of a relationship between two entities. Each side has an inverse, which is hidden if
/// the models name none.
///
/// ## Invariants
/// 1. An inverse names this relationship as its own inverse, and has the opposite direction.
/// 2. A reference in a row (`one`) is the inverse of the rows found by it (`manyByReference`); links are the inverse of links.
/// 3. The field of a reference has an index of its own, which finds the referring rows.
package struct Relationship: Hashable, Sendable {
  package enum Shape: Hashable, Sendable {
    /// A reference in the row.
    case one(FieldID)
    /// The rows that refer to a row.
    case manyByReference(EntityID, FieldID)
    /// Links in a tree of their own, for many-to-many.
    case links
  }

  /// The effect on the related rows when a row is deleted. Links are always deleted with their row.
  /// A reference to it stays only with `noAction`.
  package enum DeleteRule: UInt8, Hashable, Sendable { case nullify, cascade, deny, noAction }

  package struct Traits: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The models do not name this side. It exists so that deletions find the referring rows.
    package static let hidden = Traits(rawValue: 1)
    /// The related rows have an order that is stored.
    package static let ordered = Traits(rawValue: 2)
    /// The same row may be linked more than once.
    package static let repeating = Traits(rawValue: 4)
    /// At most one row refers to the same row.
    package static let single = Traits(rawValue: 8)
    /// A reference may name a missing row.
    package static let unchecked = Traits(rawValue: 16)
    /// The index was made for this relationship and is removed with it.
    package static let ownsIndex = Traits(rawValue: 32)

    /// Rows were lost, and non-optional references to them remain. Reading such a reference gives
    /// an error, and no plan may assume that all references are valid. New references are checked
    /// as usual.
    package static let torn = Traits(rawValue: 64)

    static let known: Traits = [.hidden, .ordered, .repeating, .single, .unchecked, .ownsIndex, .torn]
  }

  package internal(set) var id: RelationshipID
  package internal(set) var entity: EntityID
  package var name: String
  package internal(set) var target: EntityID
  package internal(set) var shape: Shape
  package internal(set) var inverse: RelationshipID
  package var deleteRule: DeleteRule
  package internal(set) var traits: Traits
  /// The index of the reference, on both sides; nil for links.
  package internal(set) var index: IndexID?

  package var isHidden: Bool { traits.contains(.hidden) }
  package var isOrdered: Bool { traits.contains(.ordered) }

  /// Whether it has at most one related row.
  package var isToOne: Bool {
    if case .one = shape { return true }
    return traits.contains(.single)
  }

  /// Whether the rows of this side are the owners in the tree of links that both sides share.
  var isForward: Bool {
    switch shape {
    case .one: false
    case .manyByReference: true
    case .links: id < inverse
    }
  }
}
