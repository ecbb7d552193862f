internal import RoostRecords

/// The values of a row's properties before they were changed here, kept if others changed the row
/// too.
///
/// A context takes a newer snapshot at each fetch and keeps its own changes. The save detects
/// whether another context changed the same property. By then the snapshot no longer has the value
/// with which the change began.
struct RowBase {
  /// The commit of the snapshot.
  var commit: UInt64
  /// By the number of the property.
  var values: [Int: [Value]] = [:]
}
