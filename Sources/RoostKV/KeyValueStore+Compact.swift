public import RoostCare
public import RoostFile
internal import RoostPages

/// Giving free room back to the file system.
extension KeyValueStore {
  /// Moves pages from the end of the file to free places, and cuts the file; one step of it, beside normal work.
  ///
  /// ```swift
  /// while try !store.compact().isDone {}
  /// ```
  /// A step is a short write transaction and a checkpoint. It never makes the file longer.
  ///
  /// - Parameter budget: about how many pages to move.
  @discardableResult
  public func compact(pages budget: Int = 1024) throws(StoreError) -> Compaction {
    try store.compact(pages: budget)
  }
}
