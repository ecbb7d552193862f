/// How one entity's rows lead to another's. Each has an inverse; where the user named none it is hidden.
///
/// ## Invariants
/// 1. An inverse names its own inverse, and leads the other way.
/// 2. A reference in a row (`one`) is the inverse of the rows found by it (`manyByReference`); links are the inverse of links.
/// 3. The field of a reference has an index of its own, by which the rows are found.
package struct Relationship: Hashable, Sendable {
  package enum Shape: Hashable, Sendable {
    /// A reference in the row.
    case one(FieldID)
    /// The rows whose reference leads here.
    case manyByReference(EntityID, FieldID)
    /// Links of their own, for many-to-many.
    case links
  }

  /// What becomes of the rows it leads to when a row is deleted. Links always go with their row; a reference stays only
  /// by `noAction`.
  package enum DeleteRule: UInt8, Hashable, Sendable { case nullify, cascade, deny, noAction }

  package struct Traits: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nobody gave it a name; it is there so that the other side can be found.
    package static let hidden = Traits(rawValue: 1)
    /// The rows it leads to stand in an order that is kept.
    package static let ordered = Traits(rawValue: 2)
    /// The same row may be linked more than once.
    package static let repeating = Traits(rawValue: 4)
    /// At most one row's reference leads here.
    package static let single = Traits(rawValue: 8)
    /// A reference may lead to a row that is not there.
    package static let unchecked = Traits(rawValue: 16)
    /// The index was made for this relationship and goes with it.
    package static let ownsIndex = Traits(rawValue: 32)

    /// Rows that references lead to were lost, and the references may not be nil: what leads nowhere is a fault where it is
    /// read, and no plan may count on it. New references are checked as ever.
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

  /// Whether it leads to one row at most.
  package var isToOne: Bool {
    if case .one = shape { return true }
    return traits.contains(.single)
  }

  /// Whether this side's rows are the owners in the tree of links that both sides share.
  var isForward: Bool {
    switch shape {
    case .one: false
    case .manyByReference: true
    case .links: id < inverse
    }
  }
}
