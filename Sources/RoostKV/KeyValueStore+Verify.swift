public import RoostFile
import RoostPages

/// Examining a store.
extension KeyValueStore {
  /// Reads everything again from the file, and tells all that is wrong with it.
  ///
  /// It makes a checkpoint first and examines what that left; readers and a writer go on meanwhile. Damage is no
  /// error here but a finding; an error means that nothing could be examined.
  public func verify() throws(StoreError) -> Verification {
    if renewal != nil { return try Self.verify(path, fileSystem: store.fileSystem) }
    var inspection = Inspection(try store.examine())
    inspection.run()
    for sentence in try store.checkInvariants() { inspection.add(nil, nil, sentence, 4) }
    return inspection.verification
  }

  /// Examines the store at `path` without changing anything, and without opening it for writing.
  ///
  /// A store that another process has open may be examined too; its newest commits are read from its log.
  public static func verify(path: String) throws(StoreError) -> Verification {
    try verify(path, fileSystem: DiskFileSystem.shared)
  }

  /// How often a file is examined again that was written meanwhile.
  private static var mostAttempts: Int { 10 }

  package static func verify(_ path: String, fileSystem: any FileSystem) throws(StoreError) -> Verification {
    for _ in 0..<mostAttempts {
      do throws(StoreError) {
        let examination = try Store.examine(path, fileSystem: fileSystem, floor: Replay.floor)
        var inspection = Inspection(examination)
        inspection.run()
        if let failure = try replayFailure(path, fileSystem) { inspection.add(failure) }
        if inspection.verification.isSound { return inspection.verification }
        // Somebody who writes the store may have used a place again: then the findings say nothing.
        let now = try Store.examine(path, fileSystem: fileSystem, floor: Replay.floor).sequence
        if now == examination.sequence { return inspection.verification }
      } catch {
        guard error.isAboutContent else { throw error }
        var verification = Verification()
        verification.findings = [
          Verification.Finding(page: error.page, tree: nil, sentence: error.detail, invariant: nil)
        ]
        return verification
      }
    }
    throw StoreError(.busy, "the store was written each time it was examined", path: path)
  }

  /// Why the log cannot be replayed, if it cannot.
  private static func replayFailure(
    _ path: String, _ fileSystem: any FileSystem
  ) throws(StoreError) -> StoreError? {
    var options = StoreOptions()
    options.readOnly = true
    do throws(StoreError) {
      let store = try Store.open(path, options: options, fileSystem: fileSystem, floor: Replay.floor)
      try store.close()
      return nil
    } catch {
      guard error.isAboutContent else { throw error }
      return error
    }
  }
}

extension StoreError {
  /// Whether the error tells what a file holds, and not what the system refused.
  var isAboutContent: Bool {
    switch code {
    case .damaged, .truncated, .logDamaged, .logMissing: true
    default: false
    }
  }
}
