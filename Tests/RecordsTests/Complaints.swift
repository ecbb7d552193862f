@testable import RoostRecords

extension RecordStore {
  /// What ``RecordStore/verify()`` finds, in sentences. It makes a checkpoint, after which a crash has little to replay.
  ///
  /// A superblock that a crash tore is told by `verify()` as it should be, and is no loss here: the other one counts.
  func complaints() throws -> [String] {
    try verify().findings.map(\.description).filter { !$0.hasPrefix("page: this superblock is damaged;") }
  }
}
