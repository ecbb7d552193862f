internal import RoostRecords

/// What a row held in properties that were changed here, before others changed the row too.
///
/// A context takes a newer snapshot at each fetch, and keeps its own changes. The save finds out whether another context changed the
/// same property. By then the snapshot no longer has the value that the change began with.
struct RowBase {
  /// The commit of the snapshot.
  var commit: UInt64
  /// By the number of the property.
  var values: [Int: [Value]] = [:]
}
