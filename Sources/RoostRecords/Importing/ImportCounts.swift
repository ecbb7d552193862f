/// How far an import came.
package struct ImportCounts: Hashable, Sendable {
  package var records = 0
  package var inserted = 0
  package var updated = 0
  package var kept = 0
  package var bad = 0
  /// Bytes of the input, after decompression, that are dealt with.
  package var bytes: UInt64 = 0
  /// Records that an earlier run had stored.
  package var resumed = 0

  package init() {}
}

/// A reference whose target is not there.
package struct UnresolvedReference: Hashable, Sendable {
  package let row: UInt64
  package let property: String
  /// As it stood in the input.
  package let key: String
  package let reason: Reason

  /// Why it leads nowhere.
  package enum Reason: Hashable, Sendable {
    /// There is no such row.
    case missing
    /// The row may not be led to, or the list has too few members.
    case refused(String)
    /// Somebody let it lead elsewhere while it waited, or gave its target another partner.
    case changed
  }
}
