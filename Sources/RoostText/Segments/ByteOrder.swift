#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Comparisons of keys and terms by the C library.
extension UnsafeRawBufferPointer {
  @inline(__always)
  func isEqual(_ other: [UInt8]) -> Bool { count == other.count && hasPrefix(other) }

  @inline(__always)
  func hasPrefix(_ prefix: [UInt8]) -> Bool {
    if prefix.isEmpty { return true }
    guard count >= prefix.count, let start = baseAddress else { return false }
    return prefix.withUnsafeBytes { memcmp(start, $0.baseAddress!, prefix.count) == 0 }
  }

  /// Whether these bytes sort before others.
  @inline(__always)
  func isBelow(_ other: UnsafeRawBufferPointer) -> Bool {
    guard let start = baseAddress, let end = other.baseAddress else { return count < other.count }
    let order = memcmp(start, end, Swift.min(count, other.count))
    return order != 0 ? order < 0 : count < other.count
  }
}
