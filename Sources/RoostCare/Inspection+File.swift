package import RoostFile
package import RoostPages

/// Examines a file that this process has not opened.
extension Inspection {
  /// The number of attempts if the file is written meanwhile.
  private static var mostAttempts: Int { 10 }

  /// Examines the store at `path` without changing anything, and without a lock.
  ///
  /// The replay of `floor` tells whether the log can be read. `more` examines the meaning of the
  /// pages, and returns whether it is sound. The caller reports the end to `pace`.
  package static func report(
    of path: String, fileSystem: any FileSystem, floor: Store.Floor, pace: Pace? = nil,
    more: (Examination, Verification) throws(StoreError) -> Bool = { (_, _) throws(StoreError) in true }
  ) throws(StoreError) -> Verification {
    for _ in 0..<mostAttempts {
      do throws(StoreError) {
        let examination = try Store.examine(path, fileSystem: fileSystem, floor: floor, pace: pace)
        var inspection = Inspection(examination)
        inspection.run()
        try pace?.check()
        if let failure = try replayFailure(path, fileSystem, floor: floor) { inspection.add(failure) }
        let isSound = try more(examination, inspection.report)
        try pace?.check()
        if isSound, inspection.report.isSound { return inspection.report }
        // Another process that writes the store may have reused a place: then the findings are
        // meaningless.
        let now = try Store.examine(path, fileSystem: fileSystem, floor: floor).sequence
        if now == examination.sequence { return inspection.report }
      } catch {
        guard error.isAboutContent else { throw error }
        var report = Verification()
        report.findings = [
          Verification.Finding(page: error.page, tree: nil, sentence: error.detail, invariant: nil)
        ]
        return report
      }
    }
    throw StoreError(.busy, "another process wrote the store during each attempt to verify it", path: path)
  }

  /// The error that prevents a replay of the log, if any.
  private static func replayFailure(
    _ path: String, _ fileSystem: any FileSystem, floor: Store.Floor
  ) throws(StoreError) -> StoreError? {
    var options = StoreOptions()
    options.readOnly = true
    do throws(StoreError) {
      let store = try Store.open(path, options: options, fileSystem: fileSystem, floor: floor)
      try store.close()
      return nil
    } catch {
      guard error.isAboutContent else { throw error }
      return error
    }
  }
}
