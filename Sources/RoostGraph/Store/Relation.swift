internal import RoostRecords

/// A relationship from one model's side, as a store holds it.
struct Relation: Sendable {
  /// What holds it.
  enum Way: Sendable {
    /// A reference in the row of this side.
    case reference(RelationshipID)
    /// The reference in the one row that leads here.
    case found(RelationshipID)
    /// The rows whose references lead here, or links.
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
  /// That of the map which stands for all classes of that entity.
  var home: Int
  /// The other model's property; nil where it has none.
  var inverse: Int?
  /// Whether the other side is a list.
  var isInverseList: Bool
  /// Whether the other side is this one, as that between friends.
  var isOwnInverse: Bool
  var isByLinks: Bool
  var deleteRule: Relationship.DeleteRule
  var minimum: Int
  /// 0 for any number.
  var maximum: Int

  /// Whether each side is a reference, and neither is a list.
  var isOneToOne: Bool { inverse != nil && !isInverseList && !isList }
  var isList: Bool { if case .list = way { true } else { false } }
}
