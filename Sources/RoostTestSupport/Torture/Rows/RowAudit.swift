package import RoostRecords

/// An examination of a whole store of rows, as tests of crashes need it.
package enum RowAudit {
  /// What is wrong. A superblock that a crash tore is not: the other one counts, and the next checkpoint
  /// writes it anew.
  package static func findings(_ store: RecordStore) throws -> [RecordVerification.Finding] {
    try store.verify().findings.filter { $0.kind != .page || $0.page.map { $0 > 1 } ?? true }
  }
}
