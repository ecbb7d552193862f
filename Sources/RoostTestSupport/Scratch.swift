#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif
package import RoostFile

/// A new folder on the real disk. It is removed with all its files when its last reference is
/// released.
package final class ScratchFolder: Sendable {
  package let path: String

  package init() throws {
    // The path is canonical, so that tests can compare it.
    let parent = try DiskFileSystem.shared.canonicalPath(FileManager.default.temporaryDirectory.path)
    path = parent + "/roost-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  package func file(_ name: String) -> String { path + "/" + name }
}

/// Whole reads and writes of arrays, for tests.
extension StorageFile {
  package func write(_ bytes: [UInt8], at offset: UInt64) throws(StoreError) {
    // A separate buffer, because the array's closure does not keep the type of the error.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 8)
    defer { buffer.deallocate() }
    buffer.copyBytes(from: bytes)
    try write(UnsafeRawBufferPointer(buffer), at: offset)
  }

  /// At most `count` bytes; fewer at the end of the file.
  package func bytes(_ count: Int, at offset: UInt64 = 0) throws(StoreError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
    defer { buffer.deallocate() }
    let done = try read(into: buffer, at: offset)
    return Array(buffer[..<done])
  }
}

/// The code of the error that `body` throws; nil if it throws none.
package func failure(_ body: () throws(StoreError) -> Void) -> StoreError.Code? {
  do throws(StoreError) {
    try body()
    return nil
  } catch { return error.code }
}

/// The error number of the fault that `body` throws; nil if it throws none.
package func fault(_ body: () throws(Fault) -> Void) -> Int32? {
  do throws(Fault) {
    try body()
    return nil
  } catch { return error.errorNumber }
}
