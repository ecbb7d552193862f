package import RoostFile
package import RoostPages

/// Examining a file that nobody opened.
extension Inspection {
  /// How often a file is examined again that was written meanwhile.
  private static var mostAttempts: Int { 10 }

  /// Examines the store at `path` without changing anything, and without a lock.
  ///
  /// The floor's replay tells whether the log can be read. `more` looks at what the pages mean, and answers whether
  /// that is sound. The caller reports the end to `pace`.
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
        // Somebody who writes the store may have used a place again: then the findings say nothing.
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

  /// Why the log cannot be replayed, if it cannot.
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
