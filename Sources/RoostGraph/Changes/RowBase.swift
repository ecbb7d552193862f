internal import RoostRecords

/// What a row held in properties that were changed here, before others changed the row too.
///
/// A context goes on to newer snapshots at each fetch, and keeps what was changed here. Whether somebody else changed the same
/// is found out at the save; by then the snapshot does not show any more what the change began with.
struct RowBase {
  /// The commit of the snapshot.
  var commit: UInt64
  /// By the number of the property.
  var values: [Int: [Value]] = [:]
}
