internal import Foundation
internal import RoostFile

/// The error numbers of a failing device.
enum ErrorNumbers {
  static let noSpace = Int32(POSIXErrorCode.ENOSPC.rawValue)
  static let inputOutput = Int32(POSIXErrorCode.EIO.rawValue)
}

/// The operating system's files, with some failing calls.
final class FaultyFileSystem: FileSystem {
  private let disk = DiskFileSystem.shared
  private let faults: StoreFaults

  init(_ faults: StoreFaults) { self.faults = faults }

  private func ask(_ path: String, _ kind: StoreFaults.Kind) throws(StoreError) {
    do throws(Fault) { try faults.ask(kind) } catch {
      throw StoreError(
        kind == .diskFull ? .diskFull : .ioError, "a failure that the test requested", path: path,
        errorNumber: error.errorNumber)
    }
  }

  /// Fails like a log without room for a commit. The log allocates room in advance, so a real
  /// failure would need many commits.
  func askRoom(_ path: String) throws(StoreError) { try ask(path, .diskFull) }

  func open(_ path: String, _ mode: FileMode) throws(StoreError) -> any StorageFile {
    switch mode {
    case .read: try ask(path, .reading)
    case .write: break
    case .writeOrCreate, .replace: if try !disk.exists(path) { try ask(path, .diskFull) }
    }
    return FaultyFile(try disk.open(path, mode), faults)
  }

  func rename(_ from: String, to: String) throws(StoreError) {
    try ask(to, .writing)
    try disk.rename(from, to: to)
  }

  func link(_ from: String, to: String) throws(StoreError) { try disk.link(from, to: to) }
  func remove(_ path: String) throws(StoreError) { try disk.remove(path) }
  func exists(_ path: String) throws(StoreError) -> Bool { try disk.exists(path) }

  func syncDirectory(of path: String) throws(StoreError) {
    try ask(path, .syncing)
    try disk.syncDirectory(of: path)
  }

  func canonicalPath(_ path: String) throws(StoreError) -> String { try disk.canonicalPath(path) }
  func identity(of path: String) -> FileIdentity? { disk.identity(of: path) }
}

/// A file with some failing calls.
private final class FaultyFile: StorageFile {
  private let file: any StorageFile
  private let faults: StoreFaults

  init(_ file: any StorageFile, _ faults: StoreFaults) {
    self.file = file
    self.faults = faults
  }

  var path: String { file.path }

  func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try faults.ask(.reading)
    return try file.readOnce(into: buffer, at: offset)
  }

  func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try faults.ask(.writing)
    // Overwriting existing bytes needs no room.
    if offset + UInt64(bytes.count) > (try file.sizeOnce()) { try faults.ask(.diskFull) }
    return try file.writeOnce(bytes, at: offset)
  }

  func truncateOnce(to size: UInt64) throws(Fault) {
    try faults.ask(.writing)
    try file.truncateOnce(to: size)
  }

  func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
    try faults.ask(.writing)
    if offset + length > (try file.sizeOnce()) { try faults.ask(.diskFull) }
    try file.allocateOnce(offset: offset, length: length)
  }

  func syncOnce() throws(Fault) {
    try faults.ask(.syncing)
    try file.syncOnce()
  }

  func sizeOnce() throws(Fault) -> UInt64 { try file.sizeOnce() }
  func identityOnce() throws(Fault) -> FileIdentity { try file.identityOnce() }
  func lockOnce() throws(Fault) -> Bool { try file.lockOnce() }
  func willRead(offset: UInt64, length: UInt64) { file.willRead(offset: offset, length: length) }
  func willSync(offset: UInt64, length: UInt64) { file.willSync(offset: offset, length: length) }
  func close() { file.close() }
}
