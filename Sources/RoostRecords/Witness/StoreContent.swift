package import RoostFile
package import RoostPages
internal import RoostTrees

/// What a file holds, for whoever is given a path alone.
package enum StoreContent: String, Sendable {
  /// Rows of entities, as ``RecordStore`` keeps them.
  case rows
  /// Trees of keys and values.
  case keys
  /// Nothing was ever committed.
  case nothing

  /// Looks at a store without a lock, also beside a process that writes it.
  package static func of(
    _ path: String, fileSystem: any FileSystem = DiskFileSystem.shared
  ) throws(StoreError) -> StoreContent {
    for _ in 0..<Store.mostAttempts {
      let examination = try Store.examine(path, fileSystem: fileSystem, floor: Tables.floor)
      do throws(StoreError) { return try of(examination, fileSystem) } catch {
        // A page that cannot be read counts only if nobody has written the store anew meanwhile.
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
    // Everything may stand in the log yet. The first piece of a record tells who wrote it.
    var first: UInt8?
    _ = try examination.readLog(fileSystem) { (kind, _) throws(StoreError) in
      if first == nil, kind >= Store.PieceKind.firstOfFloorAbove { first = kind }
    }
    guard let first else { return .nothing }
    return Tables.Kind(rawValue: first) == nil ? .keys : .rows
  }
}

extension RecordStore {
  /// How this floor's pages are examined and its records replayed, for those who care for a store as a whole.
  package static var floor: Store.Floor { Tables.floor }
}
