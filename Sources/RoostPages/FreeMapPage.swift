import RoostBytes

/// The pages of the map of free places that a checkpoint writes.
///
/// ## Layout
/// A map page covers 32,000 places: after the page header, 4,000 bytes of bits, 1 for free, lowest
/// place in the lowest bit. A directory page lists up to 250 pages of the level below: {u32 place,
/// u32 zero, u64 check} each, place 0 if no place is free. The root is a directory; its level gives
/// the depth.
package enum FreeMapPage {
  package static let places = 32_000
  static let words = places / 64
  static let fanout = 250
  static let start = Page.headerSize

  static func writeHeader(
    _ memory: UnsafeMutableRawPointer, _ kind: Page.Kind, level: UInt8, count: Int, page: PageID, stamp: UInt64
  ) {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: Page.size)
    memory.set8(Page.Field.kind, kind.rawValue)
    memory.set8(Page.Field.level, level)
    memory.set16(Page.Field.count, UInt16(count))
    memory.set32(Page.Field.place, page.place)
    memory.set64(Page.Field.stamp, stamp)
  }

  static func setChild(_ memory: UnsafeMutableRawPointer, _ index: Int, child: PageReference) {
    memory.set32(start + index * 16, child.page.place)
    memory.set64(start + index * 16 + 8, child.check)
  }

  static func child(_ memory: UnsafeRawPointer, _ index: Int) -> PageReference {
    PageReference(PageID(memory.u32(start + index * 16)), check: memory.u64(start + index * 16 + 8))
  }

  /// A map of the largest possible file is not deeper.
  static let mostLevels: UInt8 = 3

  /// The error in a page of the map, or nil. The level of the root is not known in advance.
  static func complaint(_ memory: UnsafeRawPointer, kind: Page.Kind, level: UInt8?) -> String? {
    let found = Page.level(memory)
    let isRight = if let level { found == level } else { found >= 1 && found <= mostLevels }
    guard Page.kind(memory) == kind, isRight else { return "a page of the free map is of another kind" }
    let count = Int(memory.u16(Page.Field.count))
    switch kind {
    case .freeMap: return count == words ? nil : "a page of the free map has the wrong length"
    case .freeDirectory: return count <= fanout ? nil : "a directory of the free map is too long"
    default: return "not a page of the free map"
    }
  }
}
