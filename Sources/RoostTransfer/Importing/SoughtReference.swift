internal import RoostRecords

/// A reference whose target did not exist when its row was made. It is looked up again when the row
/// is stored.
struct SoughtReference {
  /// The index of the field in the entity.
  var field: Int
  var way: KeyWay
  var key: Value
}

/// A list with members that did not exist when its row was made.
struct SoughtList {
  var relationship: Relationship
  var way: KeyWay
  var keys: [Value]
}
