package import RoostFile
internal import RoostPages
internal import RoostTrees

/// Rows that stay in place for more than one call.
extension TableReader {
  /// From this call to ``release()``, rows from ``borrow(_:)`` stay in place. Calls may be nested.
  /// Borrowed pages cannot be evicted, so hold them for short times only.
  package func hold() throws(StoreError) {
    try bond.check()
    rows.view.slot.enter()
  }

  package func release() { rows.view.slot.leave() }

  /// The row in place, valid between ``hold()`` and ``release()``; nil if it does not exist.
  ///
  /// `spare` copies the bytes of a row that is too large for a leaf. Its memory must live as long.
  package func borrow(
    _ id: RowID, _ spare: ([UInt8]) -> UnsafeRawBufferPointer
  ) throws(StoreError) -> Row? {
    guard let value = try rows.find(id.number) else { return nil }
    if !value.isExtents { return try examine(id, value.start, count: value.count) }
    guard let bytes = try rows.value(of: id.number) else { return nil }
    let kept = spare(bytes)
    guard let start = kept.baseAddress else { throw unreadable(id) }
    return try examine(id, start, count: kept.count)
  }
}
