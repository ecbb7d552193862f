internal import RoostFile
package import RoostPages
internal import RoostTrees

/// The progress of a backup.
public struct BackupProgress: Sendable {
  /// The number of copied entries of trees.
  public package(set) var entries: Int
  /// The number of entries in the snapshot.
  public package(set) var total: Int
}

/// Copies one snapshot into a new store.
package struct Backup {
  private let target: Workpiece
  private let view: PageView
  private let report: ((BackupProgress) throws -> Void)?
  private var progress = BackupProgress(entries: 0, total: 0)

  /// The number of entries between two calls of `report`.
  private static var stride: Int { 4096 }
  private static var cacheBytes: Int { 128 << 20 }

  /// Copies the newest commit of `store` into a store at `path`. The file appears there when it is
  /// complete and synced.
  ///
  /// If another process writes the store, a store that is open for reading may lose pages of its
  /// snapshot, because that process does not know of it. Then the backup begins again on a newer
  /// commit, at most ten times.
  package static func copy(
    _ store: Store, floor: Store.Floor, to path: String, replacing: Bool,
    report: ((BackupProgress) throws -> Void)?
  ) throws {
    try withNewest(of: store) { source, read in
      try copy(read.snapshot, read.view, of: source, floor: floor, to: path, replacing: replacing, report: report)
    }
  }

  /// Copies the newest commit of `store` into a store in memory with the same identity. The copy
  /// ends with its object.
  package static func copyInMemory(_ store: Store) throws -> Store {
    try withNewest(of: store) { source, read in
      let target = try Workpiece(copying: source, transaction: read.snapshot.transaction)
      do {
        var backup = Backup(target: target, view: read.view, report: nil)
        try backup.copy(TreeCatalog(read.snapshot, view: read.view).all())
      } catch {
        target.transaction.abandon()
        throw error
      }
      return try target.finish()
    }
  }

  private static func withNewest<Result>(
    of store: Store, _ body: (Store, ReadTransaction) throws -> Result
  ) throws -> Result {
    var source = store
    defer { if source !== store { try? source.close() } }
    return try Store.retrying(
      { source },
      renew: {
        let newer = try source.reopened()
        if source !== store { try? source.close() }
        source = newer
      },
      busy: StoreError(
        .busy,
        "another process changed the store during each of \(Store.mostAttempts) attempts to copy it; "
          + "make the backup in that process, or while it writes less", path: store.path)
    ) {
      let read = try source.beginRead()
      defer { source.endRead(read) }
      return try body(source, read)
    }
  }

  /// Copies a snapshot of `store` into a store at `path`. The file appears there when it is
  /// complete and synced.
  ///
  /// - Parameter report: called from time to time, and at the end. If it throws, the backup ends
  ///   with that error, and leaves nothing.
  package static func copy(
    _ snapshot: Snapshot, _ view: PageView, of store: Store, floor: Store.Floor, to path: String, replacing: Bool,
    report: ((BackupProgress) throws -> Void)?
  ) throws {
    var options = StoreOptions()
    options.fanoutLimit = store.options.fanoutLimit
    options.random = store.options.random
    options.cacheBytes = min(store.options.cacheBytes ?? .max, cacheBytes)
    let target = try Workpiece(
      path, of: store.path, replacing: replacing, options: options, fileSystem: store.fileSystem, floor: floor,
      transaction: snapshot.transaction)
    do {
      var backup = Backup(target: target, view: view, report: report)
      try backup.copy(TreeCatalog(snapshot, view: view).all())
    } catch {
      target.discard()
      throw error
    }
    try target.publish()
  }

  private init(target: Workpiece, view: PageView, report: ((BackupProgress) throws -> Void)?) {
    self.target = target
    self.view = view
    self.report = report
  }

  private mutating func copy(_ trees: [(name: [UInt8], descriptor: TreeDescriptor)]) throws {
    progress.total = trees.reduce(0) { $0.addingCapped($1.descriptor.root.count) }
    // Trees get ascending numbers.
    for (name, descriptor) in trees.sorted(by: { $0.descriptor.id < $1.descriptor.id }) {
      do { try build(name, descriptor) } catch let error as StoreError where error.code == .unsortedKeys {
        throw StoreError(.damaged, "the keys of \"\(String(decoding: name, as: UTF8.self))\" do not ascend")
      }
    }
    try report?(progress)
  }

  private mutating func build(_ name: [UInt8], _ descriptor: TreeDescriptor) throws {
    let made = try target.forest.create(name, descriptor.kind, id: descriptor.id)
    let through = try target.transaction.beginThrough()
    let built: (root: Root, extents: UInt64)
    switch descriptor.kind {
    case .bytes:
      let builder = ByteTreeBuilder(id: descriptor.id, in: target.transaction)
      var cursor = ByteCursor(ByteTree(descriptor.root, id: descriptor.id, view: view))
      var isThere = try cursor.first()
      while isThere {
        let value = cursor.value
        if value.isExtents {
          try builder.append(cursor.key, extents: target.copy(value, view))
        } else {
          try builder.append(cursor.key, value.bytes)
        }
        try count()
        isThere = try cursor.next()
      }
      built = try builder.finish()
    case .integers:
      let builder = IntegerTreeBuilder(id: descriptor.id, in: target.transaction)
      var cursor = IntegerCursor(IntegerTree(descriptor.root, id: descriptor.id, view: view))
      var isThere = try cursor.first()
      while isThere {
        let value = cursor.value
        if value.isExtents {
          try builder.append(cursor.key, extents: target.copy(value, view))
        } else {
          try builder.append(cursor.key, value.bytes)
        }
        try count()
        isThere = try cursor.next()
      }
      built = try builder.finish()
    }
    let root = try target.transaction.endThrough(through, built.root)
    _ = made.trunk.adopt(root, extents: built.extents)
  }

  private mutating func count() throws {
    try target.transaction.continueThrough()
    progress.entries += 1
    if progress.entries % Self.stride == 0 { try report?(progress) }
  }
}
