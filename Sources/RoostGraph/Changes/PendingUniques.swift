internal import RoostRecords

/// The unique values of new objects when they were recorded.
struct PendingUniques {
  struct Key: Hashable {
    var index: IndexID
    var values: [Value]
  }

  /// The number of new objects that were examined.
  var count = 0
  var rows: [Key: UInt64] = [:]
  /// The bits of properties that are part of a unique constraint, by map.
  var bits: [Int: UInt64] = [:]
}
