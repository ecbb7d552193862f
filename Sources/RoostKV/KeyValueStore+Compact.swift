public import RoostCare
public import RoostFile
internal import RoostPages

/// Gives free space back to the file system.
extension KeyValueStore {
  /// Moves pages from the end of the file to free places, and cuts the file. This is one step,
  /// which runs while the store is used.
  ///
  /// ```swift
  /// while try !store.compact().isDone {}
  /// ```
  /// A step is a short write transaction and a checkpoint. It never makes the file longer.
  ///
  /// - Parameter budget: the approximate number of pages to move.
  /// - Throws: `StoreError` with the code `readOnly` if the store was opened read-only,
  ///   `nestedWrite` if this thread has a write transaction open, `closed` if the store is closed,
  ///   `fileReplaced` if its file was removed or replaced, `damaged` if a page to move cannot be
  ///   read, `diskFull` or `ioError` if a page cannot be written, and `poisoned` or
  ///   `commitUncertain` if a sync has failed.
  @discardableResult
  public func compact(pages budget: Int = 1024) throws(StoreError) -> Compaction {
    try store.compact(pages: budget)
  }
}
