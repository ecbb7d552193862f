package import RoostFile

/// A file system that runs a closure after each read. So concurrent changes beside a reader happen
/// in a reproducible order.
package final class MeddlingFileSystem: FileSystem, @unchecked Sendable {
  // Unchecked because one thread uses it.
  private let base: any FileSystem
  /// Called after each read, except reads of the closure itself.
  package var meddle: ((_ path: String) -> Void)?
  private var isMeddling = false
  /// The number of reads.
  package private(set) var reads = 0

  package init(_ base: any FileSystem) { self.base = base }

  package func open(_ path: String, _ mode: FileMode) throws(StoreError) -> any StorageFile {
    MeddlingFile(try base.open(path, mode), self)
  }

  package func rename(_ from: String, to: String) throws(StoreError) { try base.rename(from, to: to) }
  package func link(_ from: String, to: String) throws(StoreError) { try base.link(from, to: to) }
  package func remove(_ path: String) throws(StoreError) { try base.remove(path) }
  package func exists(_ path: String) throws(StoreError) -> Bool { try base.exists(path) }
  package func syncDirectory(of path: String) throws(StoreError) { try base.syncDirectory(of: path) }
  package func canonicalPath(_ path: String) throws(StoreError) -> String { try base.canonicalPath(path) }
  package func identity(of path: String) -> FileIdentity? { base.identity(of: path) }

  fileprivate func didRead(_ path: String) {
    reads += 1
    guard !isMeddling else { return }
    isMeddling = true
    meddle?(path)
    isMeddling = false
  }
}

private final class MeddlingFile: StorageFile {
  private let base: any StorageFile
  private let fileSystem: MeddlingFileSystem

  init(_ base: any StorageFile, _ fileSystem: MeddlingFileSystem) {
    self.base = base
    self.fileSystem = fileSystem
  }

  var path: String { base.path }

  func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    let count = try base.readOnce(into: buffer, at: offset)
    fileSystem.didRead(path)
    return count
  }

  func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try base.writeOnce(bytes, at: offset)
  }

  func truncateOnce(to size: UInt64) throws(Fault) { try base.truncateOnce(to: size) }
  func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
    try base.allocateOnce(offset: offset, length: length)
  }
  func syncOnce() throws(Fault) { try base.syncOnce() }
  func sizeOnce() throws(Fault) -> UInt64 { try base.sizeOnce() }
  func identityOnce() throws(Fault) -> FileIdentity { try base.identityOnce() }
  func lockOnce() throws(Fault) -> Bool { try base.lockOnce() }
  func isHeldOnce() throws(Fault) -> Bool { try base.isHeldOnce() }
  func close() { base.close() }
}
