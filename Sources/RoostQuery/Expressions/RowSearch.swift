package import RoostRecords

/// Names the full text index that a condition or a sort key asks.
package struct RowSearch: Hashable, Sendable {
  package var index: IndexID
  /// The weights of the index's fields in a rank, in the index's order. Missing ones are 1.
  package var weights: [Double]

  package init(_ index: IndexID, weights: [Double] = []) {
    self.index = index
    self.weights = weights
  }
}
