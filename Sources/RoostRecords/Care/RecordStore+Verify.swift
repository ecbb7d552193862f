internal import RoostCare
package import RoostFile
package import RoostPages
internal import RoostTrees

/// Examining a store of rows.
extension RecordStore {
  /// Reads everything again from the file, and tells all that is wrong with it: pages and trees, rows and their
  /// indexes, links from both sides, large values, counters and the history.
  ///
  /// It makes a checkpoint first and examines what that left; readers and a writer go on meanwhile. Damage is no
  /// error here but a finding; an error means that nothing could be examined. Of the rows it holds one
  /// at a time; of the pages it remembers which it has seen.
  ///
  /// - Parameter pace: gets the progress, and can end the verification, which then throws.
  package func verify(_ pace: Pace? = nil) throws(StoreError) -> RecordVerification {
    // Another process may write the store, and use pages again that this one is about to read.
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

  /// Examines the store at `path` as the last checkpoint left it, without changing anything and without a lock. Of the
  /// log it is told whether it can be replayed.
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

  /// Whether the store at `path` holds rows; its log is not looked at.
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
