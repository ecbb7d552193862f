internal import RoostRecords

/// A one-way list: its members do not reference its owner.
struct OneWay: Sendable {
  /// The home map of its owners.
  var owner: Int
  var property: Int
  var id: RelationshipID
}
