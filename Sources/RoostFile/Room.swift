#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
package import Synchronization

/// Allocates memory whose size comes from a file. If there is not enough, it throws instead of
/// ending the process.
///
/// An array that cannot be allocated ends the process. So everything whose size a file determines
/// is allocated here, after the number was compared with the size of the file.
package enum Room {
  /// The largest single allocation so far; tests read it.
  package static let largest = Atomic<Int>(0)

  /// Allocates `byteCount` bytes, which are not cleared. The caller gives them back.
  package static func take(_ byteCount: Int) throws(StoreError) -> UnsafeMutableRawBufferPointer {
    largest.max(byteCount, ordering: .relaxed)
    guard byteCount >= 0, let memory = malloc(max(byteCount, 1)) else { throw none(byteCount) }
    return UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
  }

  package static func give(_ buffer: UnsafeMutableRawBufferPointer) { free(buffer.baseAddress) }

  /// Throws if an array of this many bytes would end the process.
  package static func check(_ byteCount: Int) throws(StoreError) { give(try take(byteCount)) }

  private static func none(_ byteCount: Int) -> StoreError {
    StoreError(.outOfMemory, "there is no memory for \(byteCount) bytes")
  }
}
