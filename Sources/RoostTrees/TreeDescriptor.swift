internal import RoostBytes
package import RoostPages

/// A named tree's entry in the catalog.
///
/// ## Layout
/// ```
///  0  u32  tree id            4  u8  kind: 1 integer keys, 2 byte keys    5  u8  level of the root
///  6  u16  zero               8  u32 the root's place                    12  u64 its check
/// 20  u64  entries           28  u64 entries whose value is in extents
/// ```
package struct TreeDescriptor: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    case integers = 1
    case bytes = 2
  }

  package static let byteCount = 36
  /// No file has room for so many entries: 2^32 pages with at most 505 each.
  static let mostEntries: UInt64 = 1 << 41
  static let checkOffset = 12

  package var id: UInt32
  package var kind: Kind
  package var root: Root
  package var extents: UInt64

  package init(id: UInt32, kind: Kind, root: Root = .empty, extents: UInt64 = 0) {
    self.id = id
    self.kind = kind
    self.root = root
    self.extents = extents
  }

  /// Decodes an entry of the catalog; nil if the bytes are invalid.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount, let memory = bytes.baseAddress, let kind = Kind(rawValue: memory.u8(4)),
      memory.u8(5) <= Node.maximumLevel, memory.u64(20) < Self.mostEntries,
      memory.u64(28) < Self.mostEntries
    else { return nil }
    id = memory.u32(0)
    self.kind = kind
    root = Root(
      reference: PageReference(PageID(memory.u32(8)), check: memory.u64(12)), level: memory.u8(5),
      count: memory.u64(20))
    extents = memory.u64(28)
  }

  /// Calls `body` with the encoded form.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { buffer throws(Failure) -> Result in
      let memory = buffer.baseAddress!
      memory.set32(0, id)
      memory.set8(4, kind.rawValue)
      memory.set8(5, root.level)
      memory.set16(6, 0)
      memory.set32(8, root.reference.page.place)
      memory.set64(12, root.reference.check)
      memory.set64(20, root.count)
      memory.set64(28, extents)
      return try body(UnsafeRawBufferPointer(start: memory, count: Self.byteCount))
    }
  }
}
