#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif
package import Synchronization

/// Memory whose size a file decides: where there is none that is an error, and not the end of the process.
///
/// An array that cannot be allocated ends the process. So whatever is as large as a file says is asked for here, after
/// the number was compared with what the file can hold.
package enum Room {
  /// The most bytes that were asked for at once; tests look at it.
  package static let largest = Atomic<Int>(0)

  /// Memory for `byteCount` bytes, not cleared, to be given back.
  package static func take(_ byteCount: Int) throws(StoreError) -> UnsafeMutableRawBufferPointer {
    largest.max(byteCount, ordering: .relaxed)
    guard byteCount >= 0, let memory = malloc(max(byteCount, 1)) else { throw none(byteCount) }
    return UnsafeMutableRawBufferPointer(start: memory, count: byteCount)
  }

  package static func give(_ buffer: UnsafeMutableRawBufferPointer) { free(buffer.baseAddress) }

  /// Throws where an array of so many bytes would end the process.
  package static func check(_ byteCount: Int) throws(StoreError) { give(try take(byteCount)) }

  private static func none(_ byteCount: Int) -> StoreError {
    StoreError(.outOfMemory, "there is no memory for \(byteCount) bytes")
  }
}
