internal import RoostBytes
package import RoostFile
internal import RoostPages

/// The depth and fill of a tree.
package struct Shape: Sendable {
  /// Levels, leaves included; 0 for an empty tree.
  package var depth: Int
  /// The number of leaves, estimated from the sampled ones.
  package var leaves: Int
  /// The used fraction of the leaves' room, 0 to 1.
  package var fill: Double

  static let empty = Shape(depth: 0, leaves: 0, fill: 0)
}

extension ByteTree {
  /// Estimates the shape from at most `samples` leaves, spread evenly over the entries.
  package func shape(samples: Int) throws(StoreError) -> Shape {
    try view.shape(of: root, tree: id, samples: samples, as: ByteForm.self)
  }
}

extension IntegerTree {
  /// Estimates the shape from at most `samples` leaves, spread evenly over the entries.
  package func shape(samples: Int) throws(StoreError) -> Shape {
    try view.shape(of: root, tree: id, samples: samples, as: IntegerForm.self)
  }
}

extension PageView {
  fileprivate func shape<F: Form>(
    of root: Root, tree: UInt32, samples: Int, as form: F.Type
  ) throws(StoreError) -> Shape {
    guard !root.isEmpty else { return .empty }
    var walk = Walk(root, tree: tree, isInteger: F.leafKind == Node.integerLeaf, view: self)
    let count = min(UInt64(max(samples, 0)), root.count)
    // The probability of a leaf is proportional to its entries, so its weight is the inverse.
    var weight = 0.0
    var fill = 0.0
    for sample in 0..<count {
      guard try walk.move(to: sample * (root.count / count) + root.count % count * sample / count) else { break }
      weight += 1 / Double(max(walk.count, 1))
      fill += Double(F.used(walk.leaf)) / Double(F.room(walk.leaf)) / Double(max(walk.count, 1))
    }
    let leaves = count > 0 ? Double(root.count) * weight / Double(count) : 0
    return Shape(
      depth: Int(root.level) + 1, leaves: Int(max(1, leaves.rounded())), fill: weight > 0 ? fill / weight : 0)
  }
}
