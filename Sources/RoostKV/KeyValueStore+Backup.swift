import RoostFile
import RoostPages
import RoostTrees

/// How far a backup has come.
public struct BackupProgress: Sendable {
  /// Entries that are done.
  public var entries: Int
  /// Entries in all.
  public var total: Int
}

/// Copying a store while it is used.
extension KeyValueStore {
  /// Writes the newest snapshot into a store of its own at `path`, compact and complete, while readers and a writer go on.
  ///
  /// The file appears under its name when it is whole and on the device. A file that is there already is an error unless
  /// `replacing` is set.
  ///
  /// A store that is open for reading can be backed up too. Beside a process that writes it, the backup begins again, on a
  /// newer snapshot, where that process used the older one's pages again: ten times at the most, then it throws `busy`.
  ///
  /// - Parameter progress: called from time to time, and at the end. If it throws, the backup ends with that error.
  public func backup(
    to path: String, replacing: Bool = false, progress: ((BackupProgress) throws -> Void)? = nil
  ) throws {
    try read { reader in try copy(reader, to: path, replacing, progress) }
  }

  private func copy(
    _ reader: Reader, to path: String, _ replacing: Bool, _ progress: ((BackupProgress) throws -> Void)?
  ) throws {
    let store = reader.scope.store
    var options = StoreOptions()
    options.fanoutLimit = store.options.fanoutLimit
    options.random = store.options.random
    options.cacheBytes = min(store.options.cacheBytes ?? .max, Self.backupCacheBytes)
    let target = try Workpiece(
      path, of: store.path, replacing: replacing, options: options, fileSystem: store.fileSystem,
      transaction: reader.commit)
    do {
      let trees = try reader.catalog.all()
      var backup = Backup(target: target, view: reader.view, report: progress)
      backup.progress.total = trees.reduce(0) { $0.addingCapped($1.descriptor.root.count) }
      // Numbers are given in rising order.
      for (name, descriptor) in trees.sorted(by: { $0.descriptor.id < $1.descriptor.id }) {
        try backup.copy(name, descriptor)
      }
      try backup.tell()
    } catch {
      target.discard()
      throw error
    }
    try target.publish()
  }

  private static var backupCacheBytes: Int { 128 << 20 }
}

/// The copying of one snapshot's trees.
private struct Backup {
  let target: Workpiece
  let view: PageView
  let report: ((BackupProgress) throws -> Void)?
  var progress = BackupProgress(entries: 0, total: 0)

  /// Entries between two calls of `report`.
  private static var stride: Int { 4096 }

  init(target: Workpiece, view: PageView, report: ((BackupProgress) throws -> Void)?) {
    self.target = target
    self.view = view
    self.report = report
  }

  func tell() throws { try report?(progress) }

  mutating func copy(_ name: [UInt8], _ descriptor: TreeDescriptor) throws {
    do { try build(name, descriptor) } catch let error as StoreError where error.code == .unsortedKeys {
      throw StoreError(.damaged, "the keys of \"\(String(decoding: name, as: UTF8.self))\" do not ascend")
    }
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
    _ = BuiltTree((root, built.extents)).give(to: made.trunk)
  }

  private mutating func count() throws {
    try target.transaction.continueThrough()
    progress.entries += 1
    if progress.entries % Self.stride == 0 { try tell() }
  }
}
