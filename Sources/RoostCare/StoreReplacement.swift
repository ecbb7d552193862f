package import RoostFile
package import RoostPages

/// A copy of a store that is changed and then replaces the store.
///
/// A migration works on it. The store at its path stays as it was, and may be read, until
/// ``publish()``, which is one rename. After a crash at any moment the path has the old store or
/// the new one.
///
/// ## Invariants
/// 1. The original is closed cleanly, and this object holds its lock until the end. So no process
///    writes it meanwhile, and it has no log.
/// 2. The copy has the original's bytes, so it is the same store: identifiers and places in the history stay valid.
package final class StoreReplacement {
  private let original: Store
  /// The path of the store.
  package let path: String
  package let fileSystem: any FileSystem
  /// The name for a copy of the original; nil if it is not kept.
  private let keptPath: String?
  /// The path of the copy until it is published.
  package let copyPath: String
  /// The path at which ``freeze(isChanged:)`` makes a copy of the copy.
  private var earlierPath: String { Self.earlierPath(copyPath) }
  private var isOver = false

  /// The path of the copy of a store.
  package static func copyPath(of path: String) -> String { path + "-migrating" }
  private static func earlierPath(_ copy: String) -> String { copy + "-from" }

  /// Removes copies that a crash left. The caller has the store open for writing.
  package static func removeRests(of path: String, _ fileSystem: any FileSystem) throws(StoreError) {
    let copy = copyPath(of: path)
    for rest in [copy, earlierPath(copy)] {
      try fileSystem.remove(rest)
      try fileSystem.remove(Store.logPath(rest))
    }
  }

  /// Closes a store but keeps its lock, and copies it.
  ///
  /// - Parameters:
  ///   - store: open for writing, and otherwise unused. It must not be used afterwards, whether this
  /// throws or not.
  ///   - kept: the name under which the original stays when the copy replaces it; an existing file
  /// with that name is then replaced. The space for it is allocated now.
  package init(_ store: Store, keepingOriginalAt kept: String? = nil) throws(StoreError) {
    original = store
    path = store.path
    fileSystem = store.fileSystem
    keptPath = kept
    copyPath = Self.copyPath(of: store.path)
    do throws(StoreError) { try store.close(keepsFile: true) } catch {
      // A store that is in use stays open; after any other error it is closed.
      if error.code != .busy { store.releaseFile() }
      throw error
    }
    do throws(StoreError) {
      if let kept { try copy(path, to: Workpiece.pathWhileMade(kept)) }
      try copy(path, to: copyPath)
    } catch {
      abandon()
      throw error
    }
  }

  /// The path of the store in its present state, to be read while the copy changes. The copy must
  /// be closed.
  package func freeze(isChanged: Bool) throws(StoreError) -> String {
    guard isChanged else { return path }
    try copy(copyPath, to: earlierPath)
    return earlierPath
  }

  /// Gives the copy, which must be closed, the name of the store. Then it releases the lock.
  package func publish() throws(StoreError) {
    do throws(StoreError) {
      try fileSystem.remove(earlierPath)
      if let keptPath {
        // A log with that name would belong to the replaced file.
        try fileSystem.remove(Store.logPath(keptPath))
        try fileSystem.rename(Workpiece.pathWhileMade(keptPath), to: keptPath)
      }
      try fileSystem.rename(copyPath, to: path)
      isOver = true
      try fileSystem.syncDirectory(of: path)
    } catch {
      abandon()
      throw error
    }
    original.releaseFile()
  }

  /// Removes the copy, unless it was published, and releases the lock. The store is unchanged.
  package func abandon() {
    if !isOver {
      try? Self.removeRests(of: path, fileSystem)
      if let keptPath { try? fileSystem.remove(Workpiece.pathWhileMade(keptPath)) }
    }
    isOver = true
    original.releaseFile()
  }

  private func copy(_ path: String, to target: String) throws(StoreError) {
    let source = try fileSystem.open(path, .read)
    defer { source.close() }
    try fileSystem.remove(Store.logPath(target))
    let file = try fileSystem.open(target, .replace)
    defer { file.close() }
    do throws(StoreError) {
      let size = try source.size()
      // A full device throws before anything is copied.
      try file.allocate(offset: 0, length: size)
      try file.truncate(to: size)
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceBytes, alignment: 4096)
      defer { buffer.deallocate() }
      var offset: UInt64 = 0
      while offset < size {
        let piece = UnsafeMutableRawBufferPointer(
          rebasing: buffer[..<Int(min(UInt64(Self.pieceBytes), size - offset))])
        try source.readFully(into: piece, at: offset)
        try file.write(UnsafeRawBufferPointer(piece), at: offset)
        offset += UInt64(piece.count)
      }
      try file.sync()
    } catch {
      try? fileSystem.remove(target)
      throw error
    }
  }

  private static var pieceBytes: Int { 1 << 20 }
}
