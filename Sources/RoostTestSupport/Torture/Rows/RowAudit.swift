package import RoostRecords

/// Verifies a whole store of rows for tests of crashes.
package enum RowAudit {
  /// The errors. A superblock that a crash tore is not an error: the other one counts, and the next
  /// checkpoint writes it again.
  package static func findings(_ store: RecordStore) throws -> [RecordVerification.Finding] {
    try store.verify().findings.filter { $0.kind != .page || $0.page.map { $0 > 1 } ?? true }
  }
}
