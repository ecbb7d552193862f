internal import RoostRecords

/// A reference whose target was not there when its row was made. It is sought again when the row is stored.
struct SoughtReference {
  /// By its number among the entity's fields.
  var field: Int
  var way: KeyWay
  var key: Value
}

/// The same of a list, as a whole.
struct SoughtList {
  var relationship: Relationship
  var way: KeyWay
  var keys: [Value]
}
