internal import RoostRecords

/// One side of a relationship, as a store has it.
struct Relation: Sendable {
  /// How the relationship is stored.
  enum Way: Sendable {
    /// As a reference in the row of this side.
    case reference(RelationshipID)
    /// As the reference in the one row that names this one.
    case found(RelationshipID)
    /// As references in the other rows, or as links.
    case list(RelationshipID)

    var id: RelationshipID {
      switch self {
      case .reference(let id), .found(let id), .list(let id): id
      }
    }
  }

  var property: Int
  var way: Way
  /// The number that both sides share.
  var pair: UInt32
  /// The number of the other model's map.
  var target: Int
  /// The number of that entity's home map.
  var home: Int
  /// The other model's property; nil if there is none.
  var inverse: Int?
  /// Whether the inverse is a list.
  var isInverseList: Bool
  /// Whether it is its own inverse, such as a relationship between friends.
  var isOwnInverse: Bool
  var isByLinks: Bool
  var deleteRule: Relationship.DeleteRule
  var minimum: Int
  /// 0 for no maximum.
  var maximum: Int

  /// Whether both sides are references, and neither is a list.
  var isOneToOne: Bool { inverse != nil && !isInverseList && !isList }
  var isList: Bool { if case .list = way { true } else { false } }
}
