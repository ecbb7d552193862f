package import RoostFile

/// The rows that match a question, read step by step.
package final class TextMatches {
  /// The next row; nil at the end.
  package func next() throws(StoreError) -> Int64? {
    nil
  }
}
