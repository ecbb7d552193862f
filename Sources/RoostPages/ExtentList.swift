import RoostBytes

/// The location of a value that is too large for a leaf: runs of pages, each with its own checksum.
///
/// ## Layout
/// ```
/// 0  u8   flags   1: named in the log when written; 2: the one extent holds the list of the others
/// 1  u64  bytes of the value
/// 9  u64  stamp of the step that made it
/// 17 u8   extents in this list, at most 8
/// 18 20 bytes each: u32 first place, u32 stored bytes, u32 bytes before compression, u64 check of the stored bytes
/// ```
/// An extent whose stored and original lengths agree is not compressed.
package struct ExtentList: Hashable, Sendable {
  package struct Extent: Hashable, Sendable {
    package var place: UInt32
    package var storedBytes: UInt32
    package var rawBytes: UInt32
    package var check: UInt64

    package var pages: UInt32 { (storedBytes + UInt32(Page.size) - 1) / UInt32(Page.size) }
    static let encodedBytes = 20
  }

  /// The most bytes of a value that one extent holds.
  package static let chunk = 1 << 20
  /// Values of this size or more are written to their places at once. The log contains only the
  /// places.
  package static let namedFrom = 1 << 20
  package static let largestValue = 1 << 30
  static let mostDirect = 8
  static let headerBytes = 18

  package var isNamed: Bool
  package var isIndirect: Bool
  package var byteCount: UInt64
  package var born: UInt64
  package var extents: [Extent]

  /// The most bytes of an encoded list in a leaf.
  package static let largestEncoding = headerBytes + mostDirect * Extent.encodedBytes

  package var encodedCount: Int { Self.headerBytes + extents.count * Extent.encodedBytes }

  package init(isNamed: Bool, isIndirect: Bool, byteCount: UInt64, born: UInt64, extents: [Extent]) {
    self.isNamed = isNamed
    self.isIndirect = isIndirect
    self.byteCount = byteCount
    self.born = born
    self.extents = extents
  }

  /// Decodes a list from a leaf; nil if the bytes are invalid.
  package init?(decoding bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headerBytes, let memory = bytes.baseAddress else { return nil }
    let count = Int(memory.u8(17))
    let flags = memory.u8(0)
    guard flags & ~3 == 0, count >= 1, count <= Self.mostDirect,
      bytes.count == Self.headerBytes + count * Extent.encodedBytes
    else { return nil }
    isNamed = flags & 1 != 0
    isIndirect = flags & 2 != 0
    byteCount = memory.u64(1)
    born = memory.u64(9)
    extents = Self.decodeExtents(memory + Self.headerBytes, count)
    guard byteCount <= UInt64(Self.largestValue), Self.arePlausible(extents) else { return nil }
    if isIndirect {
      guard count == 1 else { return nil }
    } else {
      guard extents.reduce(0, { $0 + UInt64($1.rawBytes) }) == byteCount else { return nil }
    }
  }

  package func encode(into memory: UnsafeMutableRawPointer) {
    memory.set8(0, (isNamed ? 1 : 0) | (isIndirect ? 2 : 0))
    memory.set64(1, byteCount)
    memory.set64(9, born)
    memory.set8(17, UInt8(extents.count))
    Self.encode(extents, to: memory + Self.headerBytes)
  }

  package var encoded: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: encodedCount) { buffer, count in
      encode(into: UnsafeMutableRawPointer(buffer.baseAddress!))
      count = encodedCount
    }
  }

  // MARK: Runs of extents, as the log and an indirect list hold them

  static func encode(_ extents: [Extent], to memory: UnsafeMutableRawPointer) {
    for (index, extent) in extents.enumerated() {
      let at = index * Extent.encodedBytes
      memory.set32(at, extent.place)
      memory.set32(at + 4, extent.storedBytes)
      memory.set32(at + 8, extent.rawBytes)
      memory.set64(at + 12, extent.check)
    }
  }

  static func encode(_ extents: [Extent]) -> [UInt8] {
    let bytes = extents.count * Extent.encodedBytes
    return [UInt8](unsafeUninitializedCapacity: bytes) { buffer, count in
      if let memory = buffer.baseAddress { encode(extents, to: UnsafeMutableRawPointer(memory)) }
      count = bytes
    }
  }

  private static func decodeExtents(_ memory: UnsafeRawPointer, _ count: Int) -> [Extent] {
    (0..<count).map { index in
      let at = index * Extent.encodedBytes
      return Extent(
        place: memory.u32(at), storedBytes: memory.u32(at + 4), rawBytes: memory.u32(at + 8),
        check: memory.u64(at + 12))
    }
  }

  /// Decodes the result of `encode(_:)`; nil if the bytes are invalid.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> [Extent]? {
    guard bytes.count % Extent.encodedBytes == 0, bytes.count / Extent.encodedBytes <= 1 << 16 else { return nil }
    guard let memory = bytes.baseAddress else { return [] }
    let extents = decodeExtents(memory, bytes.count / Extent.encodedBytes)
    return arePlausible(extents) ? extents : nil
  }

  private static func arePlausible(_ extents: [Extent]) -> Bool {
    extents.allSatisfy { extent in
      extent.place >= 2 && extent.storedBytes > 0 && extent.storedBytes <= extent.rawBytes
        && extent.rawBytes <= UInt32(chunk) && extent.check != 0
        // LZ4 cannot compress further than this.
        && UInt64(extent.rawBytes) <= UInt64(extent.storedBytes) * 255
        && UInt64(extent.place) + UInt64(extent.pages) <= UInt64(UInt32.max)
    }
  }
}
