import RoostFile
import RoostPages
import RoostTrees

/// The value of an entry: borrowed from its leaf, or a copy if it is stored outside the leaf.
@usableFromInline struct FoundValue {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline let outside: [UInt8]?

  /// Loads the value from `view` if it is stored outside the leaf.
  @inline(__always)
  init(_ value: StoredValue, _ view: @autoclosure () -> PageView) throws(StoreError) {
    bytes = value.bytes
    outside = value.isExtents ? try value.load(view()) : nil
  }

  /// Calls `body` with the value.
  @inlinable
  func read<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
    if let outside { return try body(outside.span.bytes) }
    return try body(RawSpan(_unsafeBytes: bytes))
  }
}

extension Scope {
  /// Finds a value with `search`. The slot of `view` stays entered if the result borrows from its
  /// page.
  @inline(__always)
  func find(
    in view: PageView, _ search: () throws(StoreError) -> StoredValue?
  ) throws(StoreError) -> FoundValue? {
    try check()
    let slot = view.slot
    slot.enter()
    var isBorrowed = false
    defer { if !isBorrowed { slot.leave() } }
    guard let value = try search() else { return nil }
    let found = try FoundValue(value, view)
    isBorrowed = found.outside == nil
    return found
  }
}
