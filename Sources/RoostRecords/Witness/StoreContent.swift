package import RoostFile
package import RoostPages
internal import RoostTrees

/// The kind of content of a file, for code that gets only a path.
package enum StoreContent: String, Sendable {
  /// Rows of entities, written by ``RecordStore``.
  case rows
  /// Trees of keys and values.
  case keys
  /// Nothing was ever committed.
  case nothing

  /// Reads a store without a lock, also while another process writes it.
  package static func of(
    _ path: String, fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws(StoreError) -> StoreContent {
    for _ in 0..<Store.mostAttempts {
      let examination = try Store.examine(path, fileSystem: fileSystem, floor: Tables.floor)
      do throws(StoreError) { return try of(examination, fileSystem) } catch {
        // An unreadable page is an error only if the store was not written meanwhile.
        let now = try Store.examine(path, fileSystem: fileSystem, floor: Tables.floor).sequence
        guard error.isAboutContent, now != examination.sequence else { throw error }
      }
    }
    throw Store.ownerIsFaster(path)
  }

  private static func of(
    _ examination: Examination, _ fileSystem: any FileSystem
  ) throws(StoreError) -> StoreContent {
    let trees = RoostTrees.TreeCatalog(examination.snapshot, view: examination.view)
    if let meta = try trees.descriptor(Tables.meta), meta.kind == .bytes {
      let tree = ByteTree(meta.root, id: meta.id, view: examination.view)
      let catalog = try ByteKey.borrowing(Tables.catalogKey) { (key) throws(StoreError) in try tree.value(of: key) }
      if catalog != nil { return .rows }
    }
    if examination.snapshot.transaction > 0 || !examination.snapshot.catalog.isEmpty { return .keys }
    // Everything may still be in the log. The first piece of a record tells which module wrote it.
    var first: UInt8?
    _ = try examination.readLog(fileSystem) { (kind, _) throws(StoreError) in
      if first == nil, kind >= Store.PieceKind.firstOfFloorAbove { first = kind }
    }
    guard let first else { return .nothing }
    return Tables.Kind(rawValue: first) == nil ? .keys : .rows
  }
}

extension RecordStore {
  /// How pages of rows are examined and log records replayed, for callers that verify or copy a
  /// whole store.
  package static var floor: Store.Floor { Tables.floor }
}
