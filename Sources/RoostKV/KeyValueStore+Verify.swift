public import RoostCare
public import RoostFile
package import RoostPages
import RoostTrees

/// Verifies and repairs a store.
extension KeyValueStore {
  /// Reads everything again from the file, and reports all errors.
  ///
  /// It first makes a checkpoint and examines that state. Readers and a writer can work meanwhile.
  /// Damage is a finding; an error is thrown only if nothing could be examined.
  ///
  /// - Throws: `StoreError` with the code `nestedWrite` if this thread has a write transaction
  ///   open, `closed` if the store is closed, and `ioError` if the file cannot be read at all. For
  ///   a read-only store it throws what ``verify(path:)`` throws.
  public func verify() throws(StoreError) -> Verification {
    if renewal != nil { return try Self.verify(path, fileSystem: store.fileSystem) }
    var inspection = Inspection(try store.examine())
    inspection.run()
    for sentence in try store.checkInvariants() { inspection.add(nil, nil, sentence: sentence, invariant: 4) }
    return inspection.report
  }

  /// Examines the store at `path` without changing anything, and without opening it for writing.
  ///
  /// The store may be open in another process; its newest commits are read from its log.
  ///
  /// - Throws: `StoreError` with the code `notFound`, `notAStore`, `futureVersion`,
  ///   `wrongPageSize`, `permissionDenied` or `ioError` if the file is not there, is not a store,
  ///   or cannot be read, and `busy` if another process wrote the store during each of ten
  ///   attempts.
  public static func verify(path: String) throws(StoreError) -> Verification {
    try verify(path, fileSystem: DiskFileSystem.shared)
  }

  /// Repairs in the file each used page in which one bit has flipped, and returns a sentence about
  /// each.
  ///
  /// The store must not be open in any process.
  ///
  /// - Throws: `StoreError` with the code `locked` if a process has the store open, `notFound`,
  ///   `notAStore`, `futureVersion`, `wrongPageSize` or `hardLinked` if the file is not such a
  ///   store, `damaged` or `truncated` if both superblocks or the end of the file are lost, `busy`
  ///   if the file was replaced meanwhile, and `permissionDenied` or `ioError` if it cannot be read
  ///   or written.
  public static func repair(path: String) throws(StoreError) -> [String] {
    try repair(path, fileSystem: DiskFileSystem.shared).map(\.description)
  }

  package static func repair(
    _ path: String, fileSystem: any FileSystem
  ) throws(StoreError) -> [PageRepairs.Repair] {
    try Store.repair(path, fileSystem: fileSystem, floor: Replay.floor) { examination in
      var inspection = Inspection(examination)
      inspection.run()
      return inspection.contestedCopies
    }
  }

  package static func verify(_ path: String, fileSystem: any FileSystem) throws(StoreError) -> Verification {
    try Inspection.report(of: path, fileSystem: fileSystem, floor: Replay.floor)
  }
}
