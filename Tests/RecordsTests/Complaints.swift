@testable import RoostRecords

extension RecordStore {
  /// The findings of ``RecordStore/verify()``, as sentences. It makes a checkpoint, after which a
  /// crash has little to replay.
  ///
  /// `verify()` reports a superblock that a crash tore. That is not a loss here: the other one
  /// counts.
  func complaints() throws -> [String] {
    try verify().findings.map(\.description).filter { !$0.hasPrefix("page: this superblock is damaged;") }
  }
}
