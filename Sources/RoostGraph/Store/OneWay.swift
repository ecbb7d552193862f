internal import RoostRecords

/// A list that leads one way: its members do not say in whose it is.
struct OneWay: Sendable {
  /// The map that stands for the classes of its owners.
  var owner: Int
  var property: Int
  var id: RelationshipID
}
