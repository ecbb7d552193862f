package import RoostFile
internal import RoostPages
internal import RoostTrees

/// Rows that stay where they lie for more than one call.
extension TableReader {
  /// From here to ``release()`` what ``borrow(_:)`` gives stays where it is. Both may be nested; a page that is borrowed
  /// cannot leave memory, so this is for moments.
  package func hold() throws(StoreError) {
    try bond.check()
    rows.view.slot.enter()
  }

  package func release() { rows.view.slot.leave() }

  /// The row where it lies, between ``hold()`` and ``release()``; nil if there is none of that number.
  ///
  /// `spare` gets the bytes of a row that is too large for a leaf, and gives memory for them that lives as long.
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
