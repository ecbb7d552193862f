internal import RoostCare
package import RoostFile
package import RoostPages
internal import RoostTrees

/// Verifies a store of rows.
extension RecordStore {
  /// Reads everything again from the file and reports all errors: pages and trees, rows and their
  /// indexes, links from both sides, large values, counters and the history.
  ///
  /// It first makes a checkpoint, and verifies that state. Readers and a writer can work meanwhile.
  /// Damage is a finding; an error is thrown only if nothing could be read. It keeps one row in
  /// memory at a time, and remembers which pages it has seen.
  ///
  /// - Parameter pace: gets the progress, and can end the verification, which then throws.
  package func verify(_ pace: Pace? = nil) throws(StoreError) -> RecordVerification {
    // Another process may write the store, and reuse pages that this one is about to read.
    if store.options.readOnly { return try Self.verify(store.path, fileSystem: store.fileSystem, pace) }
    let examination = try store.examine(pace)
    var inspection = Inspection(examination)
    inspection.run()
    try pace?.check()
    for sentence in try store.checkInvariants() { inspection.add(nil, nil, sentence: sentence, invariant: 4) }
    let found = RecordInspector(examination, inspection.report).run()
    try pace?.end()
    return found
  }

  /// Verifies the store at `path` at its last checkpoint, without a lock and without changing
  /// anything. It checks whether the log can be replayed.
  package static func verify(
    _ path: String, fileSystem: any FileSystem = DiskFileSystem.shared, _ pace: Pace? = nil
  ) throws(StoreError) -> RecordVerification {
    var found: RecordVerification?
    let report = try Inspection.report(of: path, fileSystem: fileSystem, floor: Tables.floor, pace: pace) {
      (examination, report) throws(StoreError) in
      let verification = RecordInspector(examination, report).run()
      found = verification
      return verification.isSound
    }
    try pace?.end()
    if let found { return found }
    var verification = RecordVerification()
    verification.take(report)
    return verification
  }

  /// Whether the store at `path` holds rows. The log is not read.
  package static func holdsRows(
    _ path: String, fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws(StoreError) -> Bool {
    let examination = try Store.examine(path, fileSystem: fileSystem, floor: Tables.floor)
    let trees = RoostTrees.TreeCatalog(examination.snapshot, view: examination.view)
    guard let meta = try trees.descriptor(Tables.meta), meta.kind == .bytes else { return false }
    let tree = ByteTree(meta.root, id: meta.id, view: examination.view)
    return try ByteKey.borrowing(Tables.catalogKey) { (key) throws(StoreError) in try tree.value(of: key) } != nil
  }
}
