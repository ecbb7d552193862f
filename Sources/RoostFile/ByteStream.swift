#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file or a pipe that is read, or written, from its beginning to its end.
///
/// Imports and exports use it. The store's own files do not.
package final class ByteStream {
  private let descriptor: Int32
  private let path: String
  private let isOwned: Bool

  private init(_ descriptor: Int32, _ path: String, isOwned: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isOwned = isOwned
  }

  deinit { if isOwned { _ = close(descriptor) } }

  package static var standardInput: ByteStream { ByteStream(0, "standard input", isOwned: false) }
  package static var standardError: ByteStream { ByteStream(2, "standard error", isOwned: false) }
  package static var standardOutput: ByteStream { ByteStream(1, "standard output", isOwned: false) }

  /// Wraps a descriptor of the caller, which stays open.
  package static func descriptor(_ number: Int32, _ path: String) -> ByteStream {
    ByteStream(number, path, isOwned: false)
  }

  package static func reading(_ path: String) throws(StoreError) -> ByteStream {
    try opened(path, O_RDONLY | O_CLOEXEC)
  }

  /// Creates a file. An existing one is emptied, or is an error.
  package static func writing(_ path: String, replaces: Bool) throws(StoreError) -> ByteStream {
    try opened(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replaces ? O_TRUNC : O_EXCL))
  }

  /// Opens a file for appending.
  package static func appending(_ path: String) throws(StoreError) -> ByteStream {
    try opened(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND)
  }

  private static func opened(_ path: String, _ flags: Int32) throws(StoreError) -> ByteStream {
    let descriptor = open(path, flags, 0o600)
    if descriptor < 0 { throw failure("cannot be opened", path) }
    return ByteStream(descriptor, path, isOwned: true)
  }

  private static func failure(_ detail: String, _ path: String) -> StoreError {
    let number = errno
    let code: StoreError.Code =
      switch number {
      case ENOENT: .notFound
      case EACCES, EPERM, EROFS: .permissionDenied
      case EEXIST: .alreadyExists
      case ENOSPC, EDQUOT: .diskFull
      default: .ioError
      }
    return StoreError(code, detail, path: path, errorNumber: number)
  }

  /// Renames a file. An existing file with the new name is replaced.
  package static func rename(_ path: String, to other: String) throws(StoreError) {
    if renameOnce(path, other) != 0 { throw failure("cannot be renamed", path) }
  }

  /// The number of bytes of the file; nil if it is unknown, as for a pipe.
  package var byteCount: UInt64? {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    return UInt64(max(0, facts.st_size))
  }

  /// Fills the buffer, or a part of it; 0 at the end.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
    while true {
      let count = Self.readOnce(descriptor, buffer.baseAddress, count: buffer.count)
      if count >= 0 { return count }
      if errno != EINTR { throw Self.failure("cannot be read", path) }
    }
  }

  /// Reads as `read(into:)` does, but returns 0 after `end` was stopped. Does not wait for a full
  /// buffer.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, until end: StreamStop
  ) throws(StoreError) -> Int {
    end.wait(for: descriptor) ? try read(into: buffer) : 0
  }

  /// Whether a read will not block, now or before the deadline.
  package func isReady(by deadline: ContinuousClock.Instant, until end: StreamStop) -> Bool {
    end.isReady(descriptor, by: deadline)
  }

  /// Writes all bytes.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var done = 0
    while done < bytes.count {
      let count = Self.writeOnce(descriptor, bytes.baseAddress! + done, count: bytes.count - done)
      if count > 0 {
        done += count
      } else if count == 0 || errno != EINTR {
        throw Self.failure("cannot be written", path)
      }
    }
  }

  // The methods of this class hide the system's functions of the same names.
  private static func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.read(descriptor, buffer, count)
    #elseif canImport(Musl)
      Musl.read(descriptor, buffer, count)
    #else
      Darwin.read(descriptor, buffer, count)
    #endif
  }

  private static func renameOnce(_ path: String, _ other: String) -> Int32 {
    #if canImport(Glibc)
      Glibc.rename(path, other)
    #elseif canImport(Musl)
      Musl.rename(path, other)
    #else
      Darwin.rename(path, other)
    #endif
  }

  private static func writeOnce(_ descriptor: Int32, _ buffer: UnsafeRawPointer, count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, buffer, count)
    #elseif canImport(Musl)
      Musl.write(descriptor, buffer, count)
    #else
      Darwin.write(descriptor, buffer, count)
    #endif
  }
}
