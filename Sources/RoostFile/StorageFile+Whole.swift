#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whole reads and writes, made of the single calls of `StorageFile`.
extension StorageFile {
  /// Reads until the buffer is full or the file ends. Returns the number of bytes read.
  ///
  /// The file's size decides where it ends. A read that returns nothing before that end is
  /// repeated, and is an error if that continues. So a file never seems shorter than it is.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StoreError) -> Int {
    var done = 0
    var interruptions = 0
    while done < buffer.count {
      do throws(Fault) {
        let count = try readOnce(
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: offset + UInt64(done))
        if count == 0 {
          if try sizeOnce() <= offset + UInt64(done) { break }
          interruptions += 1
          if interruptions > Self.mostInterruptions { throw Fault(EIO) }
        }
        done += count
      } catch {
        try retry(error, "read", at: offset + UInt64(done), interruptions: &interruptions)
      }
    }
    return done
  }

  /// Reads the whole buffer, or throws `truncated`.
  package func readFully(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StoreError) {
    let count = try read(into: buffer, at: offset)
    guard count == buffer.count else {
      throw StoreError(
        .truncated, "the file ends \(buffer.count - count) bytes early", path: path, offset: offset)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
    var done = 0
    var interruptions = 0
    while done < bytes.count {
      do throws(Fault) {
        let count = try writeOnce(UnsafeRawBufferPointer(rebasing: bytes[done...]), at: offset + UInt64(done))
        if count == 0 {
          interruptions += 1
          if interruptions > Self.mostInterruptions { throw Fault(EIO) }
        }
        done += count
      } catch {
        try retry(error, "write", at: offset + UInt64(done), interruptions: &interruptions)
      }
    }
  }

  package func truncate(to size: UInt64) throws(StoreError) {
    try repeating("truncate", at: size) { () throws(Fault) in try truncateOnce(to: size) }
  }

  package func allocate(offset: UInt64, length: UInt64) throws(StoreError) {
    try repeating("allocate", at: offset) { () throws(Fault) in try allocateOnce(offset: offset, length: length) }
  }

  /// Makes written bytes durable. A failed sync is never tried again: the affected pages may be
  /// lost.
  package func sync() throws(StoreError) {
    do throws(Fault) { try syncOnce() } catch {
      throw StoreError.system("sync", error.errorNumber, path: path)
    }
  }

  package func size() throws(StoreError) -> UInt64 {
    try repeating("size", at: nil) { () throws(Fault) in try sizeOnce() }
  }

  package func identity() throws(StoreError) -> FileIdentity {
    try repeating("stat", at: nil) { () throws(Fault) in try identityOnce() }
  }

  package func lock() throws(StoreError) -> Bool {
    try repeating("lock", at: nil) { () throws(Fault) in try lockOnce() }
  }

  private static var mostInterruptions: Int { 100 }

  private func retry(
    _ fault: Fault, _ verb: String, at offset: UInt64?, interruptions: inout Int
  ) throws(StoreError) {
    interruptions += 1
    if fault.errorNumber == EINTR && interruptions <= Self.mostInterruptions { return }
    throw StoreError.system(verb, fault.errorNumber, path: path, offset: offset)
  }

  private func repeating<Value>(
    _ verb: String, at offset: UInt64?, _ body: () throws(Fault) -> Value
  ) throws(StoreError) -> Value {
    var interruptions = 0
    while true {
      do throws(Fault) { return try body() } catch { try retry(error, verb, at: offset, interruptions: &interruptions) }
    }
  }
}

extension StoreError {
  /// The typed error for an operating system's error number.
  package static func system(
    _ verb: String, _ number: Int32, path: String, offset: UInt64? = nil
  ) -> StoreError {
    let code: Code =
      switch number {
      case ENOSPC, EDQUOT, EFBIG: .diskFull
      case ENOENT, ENOTDIR: .notFound
      case EACCES, EPERM, EROFS: .permissionDenied
      case EEXIST: .alreadyExists
      case ENOMEM: .outOfMemory
      case EMFILE, ENFILE: .tooManyFiles
      case EBADF: .closed
      default: .ioError
      }
    let reason = String(cString: strerror(number))
    return StoreError(code, "\(verb) failed: \(reason)", path: path, offset: offset, errorNumber: number)
  }

  /// Whether a folder could not be opened for its sync. Then no sync was made, so none has failed.
  /// A sync itself never returns these error numbers.
  package var isBeforeSync: Bool {
    [EMFILE, ENFILE, ENOMEM, EACCES, EPERM, ENOENT, ENOTDIR, ELOOP].contains(errorNumber)
  }
}
