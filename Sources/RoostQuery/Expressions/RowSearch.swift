package import RoostRecords

/// The full text index that a condition or a sort key uses.
package struct RowSearch: Hashable, Sendable {
  package var index: IndexID
  /// The weights of the index's fields in a rank, in the index's order. Missing ones are 1.
  package var weights: [Double]

  package init(_ index: IndexID, weights: [Double] = []) {
    self.index = index
    self.weights = weights
  }
}
