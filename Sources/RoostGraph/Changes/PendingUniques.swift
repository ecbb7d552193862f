internal import RoostRecords

/// The unique values of new objects, as they were when they were noted.
struct PendingUniques {
  struct Key: Hashable {
    var index: IndexID
    var values: [Value]
  }

  /// How many of the new objects were looked at.
  var count = 0
  var rows: [Key: UInt64] = [:]
  /// By map, the bits of properties that are part of something unique.
  var bits: [Int: UInt64] = [:]
}
