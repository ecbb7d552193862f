/// A file's identity on its device, equal for all paths to it.
package struct FileIdentity: Hashable, Sendable {
  package var device: UInt64
  package var inode: UInt64
  /// The number of names the file has.
  package var links: UInt64

  package init(device: UInt64, inode: UInt64, links: UInt64) {
    self.device = device
    self.inode = inode
    self.links = links
  }
}

/// How a file is opened. Files are created with mode 0600, and never through a symbolic link.
package enum FileMode: Sendable {
  /// For reading; `notFound` if it does not exist.
  case read
  /// For reading and writing; `notFound` if it does not exist.
  case write
  /// For reading and writing; created if it is missing.
  case writeOrCreate
  /// For reading and writing; created or emptied.
  case replace
}

/// An error number of the operating system, as `StorageFile` reports it.
package struct Fault: Error, Sendable {
  package var errorNumber: Int32
  package init(_ errorNumber: Int32) { self.errorNumber = errorNumber }
}

/// An open file: all bytes go through this protocol.
///
/// The calls correspond one for one to those of the operating system, so that a simulated file can
/// interrupt, shorten or refuse each of them. Loops and their limits are in
/// `StorageFile+Whole.swift`.
package protocol StorageFile: AnyObject, Sendable {
  var path: String { get }

  /// Reads once; may read less than asked; 0 at the end of the file.
  func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int
  /// Writes once; may write less than asked.
  func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int
  /// Cuts or extends (with zeros) to `size`.
  func truncateOnce(to size: UInt64) throws(Fault)
  /// Allocates space on the device for the range, growing the file if needed, or fails with ENOSPC.
  func allocateOnce(offset: UInt64, length: UInt64) throws(Fault)
  /// Makes written data and the size durable (`fdatasync`).
  func syncOnce() throws(Fault)
  func sizeOnce() throws(Fault) -> UInt64
  func identityOnce() throws(Fault) -> FileIdentity
  /// Tries to take the file's lock without waiting; false if another owner holds it.
  func lockOnce() throws(Fault) -> Bool
  /// Whether another process holds the file's lock, without taking it; false if the system does not
  /// tell.
  func isHeldOnce() throws(Fault) -> Bool
  /// Announces that this range will be read soon, so that the device can begin at once. It may be
  /// ignored, and reports no errors.
  func willRead(offset: UInt64, length: UInt64)
  /// Announces that this range was written and will be synced, so that the device can begin at
  /// once. It may be ignored, reports no errors, and makes nothing durable.
  func willSync(offset: UInt64, length: UInt64)
  /// Releases the file and its lock. Later calls fail with EBADF.
  func close()
}

extension StorageFile {
  package func isHeldOnce() throws(Fault) -> Bool { false }
  package func willRead(offset: UInt64, length: UInt64) {}
  package func willSync(offset: UInt64, length: UInt64) {}
}

/// Operations on names and folders.
package protocol FileSystem: AnyObject, Sendable {
  func open(_ path: String, _ mode: FileMode) throws(StoreError) -> any StorageFile
  /// Renames over an existing file.
  func rename(_ from: String, to: String) throws(StoreError)
  /// Gives the file a second name; `alreadyExists` if the name is taken.
  func link(_ from: String, to: String) throws(StoreError)
  /// Removes the name. Does nothing if there is none.
  func remove(_ path: String) throws(StoreError)
  func exists(_ path: String) throws(StoreError) -> Bool
  /// Makes the names in the folder of `path` durable.
  func syncDirectory(of path: String) throws(StoreError)
  /// The canonical path of a file: absolute, with symbolic links resolved. The file need not exist.
  func canonicalPath(_ path: String) throws(StoreError) -> String
  /// The identity of the file with this name; nil if there is none, or if it is unknown. It never
  /// throws.
  func identity(of path: String) -> FileIdentity?
}
