package import RoostFile

/// An ordered set of entries that a text index reads: keys and values are bytes, and keys are unique.
///
/// The owner connects it to a tree of a snapshot. Keys have at most 160 bytes and sort as unsigned bytes. Most values
/// have at most 8 KiB; a value is larger if one text repeats a word very often.
package protocol TextEntries: AnyObject {
  /// Visits the entries from the first key that is not below `key`, in key order, until `body` returns false.
  ///
  /// Key and value are valid during the call of `body` only. `body` never changes the entries.
  func visit(
    from key: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(StoreError) -> Bool
  ) throws(StoreError)
}

/// An ordered set of entries that a text index changes. The owner connects it to a tree of a write transaction.
package protocol TextStore: TextEntries {
  /// Adds an entry, or replaces the value of the entry with this key.
  func put(_ value: UnsafeRawBufferPointer, at key: UnsafeRawBufferPointer) throws(StoreError)
  /// Removes the entry with this key, if there is one.
  func delete(_ key: UnsafeRawBufferPointer) throws(StoreError)
  /// Removes all entries from `first` up to `last`; `last` is not removed.
  func delete(from first: UnsafeRawBufferPointer, to last: UnsafeRawBufferPointer) throws(StoreError)
}
