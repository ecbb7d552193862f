#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file of the operating system, read and written at positions.
///
/// The descriptor never changes and is used by positional calls only, so calls may run at the same
/// time. The owner closes it after its last use: `close` is the only call that must not run
/// concurrently with others.
package final class DiskFile: StorageFile, @unchecked Sendable {
  // Unchecked because `descriptor` changes once, in `close`, which its owner calls last.
  package let path: String
  private var descriptor: Int32
  /// The process that holds the lock; 0 if this file does not hold it.
  private var lockHolder: Int32 = 0

  init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close() }

  package func readOnce(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try count(pread(descriptor, buffer.baseAddress, buffer.count, position(offset)))
  }

  package func writeOnce(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(Fault) -> Int {
    try count(pwrite(descriptor, bytes.baseAddress, bytes.count, position(offset)))
  }

  package func truncateOnce(to size: UInt64) throws(Fault) {
    _ = try count(Int(ftruncate(descriptor, position(size))))
  }

  package func allocateOnce(offset: UInt64, length: UInt64) throws(Fault) {
    #if canImport(Darwin)
      // Darwin has no posix_fallocate. It suffices for the callers that the file grows.
      let (end, overflows) = offset.addingReportingOverflow(length)
      if overflows { throw Fault(EINVAL) }
      if try sizeOnce() < end { try truncateOnce(to: end) }
    #else
      let number = try posix_fallocate(descriptor, position(offset), position(length))
      if number != 0 { throw Fault(number) }
    #endif
  }

  package func syncOnce() throws(Fault) {
    #if canImport(Darwin)
      _ = try count(Int(fcntl(descriptor, F_FULLFSYNC)))
    #else
      _ = try count(Int(fdatasync(descriptor)))
    #endif
  }

  package func sizeOnce() throws(Fault) -> UInt64 {
    var facts = stat()
    _ = try count(Int(fstat(descriptor, &facts)))
    return UInt64(facts.st_size)
  }

  package func identityOnce() throws(Fault) -> FileIdentity {
    var facts = stat()
    _ = try count(Int(fstat(descriptor, &facts)))
    return FileIdentity(facts)
  }

  package func lockOnce() throws(Fault) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    #if os(Linux)
      let setOpenFileLock: Int32 = 37  // F_OFD_SETLK, which Glibc's module leaves out
      let result = fcntl(descriptor, setOpenFileLock, &lock)
    #else
      let result = flock(descriptor, LOCK_EX | LOCK_NB)
    #endif
    if result == 0 {
      lockHolder = currentProcessID
      return true
    }
    if errno == EAGAIN || errno == EACCES { return false }
    throw Fault(errno)
  }

  package func isHeldOnce() throws(Fault) -> Bool {
    #if os(Linux)
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      let getOpenFileLock: Int32 = 36  // F_OFD_GETLK, which Glibc's module leaves out
      if fcntl(descriptor, getOpenFileLock, &lock) != 0 { throw Fault(errno) }
      return lock.l_type != Int16(F_UNLCK)
    #else
      return false
    #endif
  }

  package func willRead(offset: UInt64, length: UInt64) {
    #if !canImport(Darwin)
      guard let start = off_t(exactly: offset), let count = off_t(exactly: length) else { return }
      _ = posix_fadvise(descriptor, start, count, POSIX_FADV_WILLNEED)
    #endif
  }

  package func willSync(offset: UInt64, length: UInt64) {
    #if os(Linux)
      guard let start = Int64(exactly: offset), let count = Int64(exactly: length) else { return }
      _ = Self.startWriting?(descriptor, start, count, 2)  // SYNC_FILE_RANGE_WRITE
    #endif
  }

  #if os(Linux)
    /// Looked up by name, because the imported headers lack it; nil if the system has none.
    private static let startWriting: (@convention(c) (Int32, Int64, Int64, UInt32) -> Int32)? =
      dlsym(nil, "sync_file_range").map {
        unsafeBitCast($0, to: (@convention(c) (Int32, Int64, Int64, UInt32) -> Int32).self)
      }
  #endif

  package func close() {
    guard descriptor >= 0 else { return }
    unlock()
    #if canImport(Glibc)
      _ = Glibc.close(descriptor)
    #elseif canImport(Musl)
      _ = Musl.close(descriptor)
    #else
      _ = Darwin.close(descriptor)
    #endif
    descriptor = -1
  }

  /// Releases the lock before the descriptor is closed. A child that was just forked holds the
  /// descriptor too until it runs its own program, and would keep the lock that long. A child
  /// without a program of its own shares the lock with its parent, and leaves it to the parent.
  private func unlock() {
    guard lockHolder == currentProcessID else { return }
    lockHolder = 0
    #if os(Linux)
      var lock = flock()
      lock.l_type = Int16(F_UNLCK)
      lock.l_whence = Int16(SEEK_SET)
      let setOpenFileLock: Int32 = 37
      _ = fcntl(descriptor, setOpenFileLock, &lock)
    #else
      _ = flock(descriptor, LOCK_UN)
    #endif
  }

  /// The offset as the operating system's type. Damaged bytes may contain one that the type cannot
  /// hold.
  private func position(_ offset: UInt64) throws(Fault) -> off_t {
    guard let position = off_t(exactly: offset) else { throw Fault(EINVAL) }
    return position
  }

  private func count(_ result: Int) throws(Fault) -> Int {
    if result < 0 { throw Fault(errno) }
    return result
  }
}

extension FileIdentity {
  init(_ facts: stat) {
    self.init(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino), links: UInt64(facts.st_nlink))
  }
}
