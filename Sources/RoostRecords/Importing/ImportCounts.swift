/// The progress of an import.
package struct ImportCounts: Hashable, Sendable {
  package var records = 0
  package var inserted = 0
  package var updated = 0
  package var kept = 0
  package var bad = 0
  /// Processed bytes of the input, after decompression.
  package var bytes: UInt64 = 0
  /// Records that an earlier run stored.
  package var resumed = 0

  package init() {}
}

/// A reference whose target does not exist.
package struct UnresolvedReference: Hashable, Sendable {
  package let row: UInt64
  package let property: String
  /// The key of the target in the input.
  package let key: String
  package let reason: Reason

  /// Why the reference could not be set.
  package enum Reason: Hashable, Sendable {
    /// The row does not exist.
    case missing
    /// A rule forbids the reference, or the list has too few members.
    case refused(String)
    /// While it waited, another change set the reference, or gave its target another partner.
    case changed
  }
}
