import RoostBytes
import RoostFile

/// Reads numbers and bytes one after another, and refuses to read past the end.
struct ByteSource {
  let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var rest: Int { bytes.count - offset }
  var isAtEnd: Bool { offset == bytes.count }

  static var damage: StoreError { StoreError(.damaged, "an entry of the text index is unreadable") }

  @inline(__always)
  mutating func byte() throws(StoreError) -> UInt8 {
    guard offset < bytes.count else { throw Self.damage }
    offset &+= 1
    return bytes[offset &- 1]
  }

  @inline(__always)
  mutating func number() throws(StoreError) -> UInt64 {
    if offset < bytes.count, bytes[offset] < 128 {
      offset &+= 1
      return UInt64(bytes[offset &- 1])
    }
    return try longNumber()
  }

  @inline(never)
  private mutating func longNumber() throws(StoreError) -> UInt64 {
    guard let found = Varint.decode(UnsafeRawBufferPointer(rebasing: bytes[offset...])) else { throw Self.damage }
    offset += found.byteCount
    return found.value
  }

  /// A number that is at most `most`.
  @inline(__always)
  mutating func count(_ most: Int) throws(StoreError) -> Int {
    let value = try number()
    guard value <= UInt64(most) else { throw Self.damage }
    return Int(truncatingIfNeeded: value)
  }

  mutating func signed() throws(StoreError) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  @inline(__always)
  mutating func take(_ count: Int) throws(StoreError) -> UnsafeRawBufferPointer {
    guard count <= rest, count >= 0 else { throw Self.damage }
    offset &+= count
    return UnsafeRawBufferPointer(rebasing: bytes[offset &- count..<offset])
  }
}
