package import RoostFile

/// Adds rows to a text index and removes them, in one transaction.
///
/// Additions wait in memory until ``flush()``. Removals are written at once, also of rows that wait. A writer that is
/// dropped without `flush()` leaves what it wrote already; the owner abandons the transaction then, or returns to its
/// savepoint, and makes a new writer. Nothing is shared between two writers.
package final class TextIndexWriter {
  package let index: TextIndex
  let store: any TextStore
  /// The bytes in memory after which waiting rows become a segment.
  package let budget: Int

  package init(_ index: TextIndex, _ store: any TextStore, budget: Int = 64 << 20) throws(StoreError) {
    self.index = index
    self.store = store
    self.budget = budget
  }

  /// Adds a row that is not in the index. `nil` is a field without a text.
  package func add(row: Int64, texts: [String?]) throws(StoreError) {
  }

  /// Adds a row whose texts are given as UTF-8, without copies.
  package func add(row: Int64, utf8 texts: [UnsafeRawBufferPointer?]) throws(StoreError) {
  }

  /// Removes a row. Returns false if the index does not have it. The old texts are not needed.
  @discardableResult
  package func remove(row: Int64) throws(StoreError) -> Bool {
    false
  }

  /// Replaces the texts of a row, or adds the row.
  package func update(row: Int64, texts: [String?]) throws(StoreError) {
  }

  /// Removes all rows.
  package func removeAll() throws(StoreError) {
  }

  /// Writes all waiting rows, then does a part of the merges that are due. Call it before the commit, and before a
  /// reader of the same transaction is made.
  package func flush() throws(StoreError) {
  }

  /// Merges segments, and writes at most about `bound` bytes. Returns whether more merges are due.
  @discardableResult
  package func merge(bound: Int) throws(StoreError) -> Bool {
    false
  }

  /// Merges everything into one segment. For idle times and backups; it takes as long as the index is large.
  package func mergeAll() throws(StoreError) {
  }
}
