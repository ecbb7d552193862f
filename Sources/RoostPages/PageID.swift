/// A page's number in the data file, which never changes.
///
/// Place p begins at byte p × 4096. Places 0 and 1 hold the superblocks, so 0 also means "none".
@usableFromInline package struct PageID: Hashable, Comparable, Sendable {
  @usableFromInline package var place: UInt32

  @inlinable package init(_ place: UInt32) { self.place = place }

  @inlinable package static var none: PageID { PageID(0) }

  @inlinable package static func < (left: PageID, right: PageID) -> Bool { left.place < right.place }

  package var byteOffset: UInt64 { UInt64(place) * UInt64(Page.size) }
}

/// A page's place and the checksum of its bytes.
///
/// A checksum of 0 means that the page had not been written when the reference was made. The frame
/// map knows the checksum by the time it is needed.
@usableFromInline package struct PageReference: Hashable, Sendable {
  @usableFromInline package var page: PageID
  @usableFromInline package var check: UInt64

  @inlinable package init(_ page: PageID, check: UInt64 = 0) {
    self.page = page
    self.check = check
  }

  @inlinable package static var none: PageReference { PageReference(.none) }
}

/// The root of a tree: its page, its level and the number of entries below it.
///
/// An empty tree has no page.
@usableFromInline package struct Root: Hashable, Sendable {
  @usableFromInline package var reference: PageReference
  /// 0 if the root is a leaf.
  @usableFromInline package var level: UInt8
  @usableFromInline package var count: UInt64

  @inlinable package init(reference: PageReference, level: UInt8, count: UInt64) {
    self.reference = reference
    self.level = level
    self.count = count
  }

  @inlinable package static var empty: Root { Root(reference: .none, level: 0, count: 0) }
  @inlinable package var isEmpty: Bool { reference.page.place == 0 }
}
