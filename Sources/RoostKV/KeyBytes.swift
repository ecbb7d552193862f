/// Keys and values, given as text or as bytes.
///
/// Keys are ordered by their bytes. A key comes after its own prefixes. Text is ordered by its
/// UTF-8 bytes.
public protocol Bytes {
  /// Calls `body` with the bytes, which are only valid during the call.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
}

extension String: Bytes {
  /// Calls `body` with the UTF-8 form of the text.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    if let result = try utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return try Array(utf8).withUnsafeBytes(body)
  }
}

extension Substring: Bytes {
  /// Calls `body` with the UTF-8 form of the text.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    if let result = try utf8.withContiguousStorageIfAvailable({ try body(UnsafeRawBufferPointer($0)) }) {
      return result
    }
    return try Array(utf8).withUnsafeBytes(body)
  }
}

extension Array: Bytes where Element == UInt8 {
  /// Calls `body` with the elements.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(body)
  }
}

extension ArraySlice: Bytes where Element == UInt8 {
  /// Calls `body` with the elements of the slice.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try withUnsafeBytes(body)
  }
}

extension UnsafeRawBufferPointer: Bytes {
  /// Calls `body` with the buffer itself, which must stay valid during the call.
  @inlinable
  public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
    try body(self)
  }
}
