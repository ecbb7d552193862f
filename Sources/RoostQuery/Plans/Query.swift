internal import RoostRecords

/// A query for the rows of one entity.
package struct Query: Sendable {
  package var entity: String
  /// The condition that the rows must fulfil; nil for all rows.
  package var condition: Expression?
  /// The sort keys. Rows with equal keys sort by their numbers, in the direction of the first key.
  /// Without a key the order is undefined.
  package var order: [Order]
  /// The number of rows to skip at the beginning.
  package var offset: Int
  package var limit: Int?
  /// The query skips rows up to this position in the order. It needs an order and no offset.
  package var after: SeekPoint?

  package init(
    _ entity: String, where condition: Expression? = nil, by order: [Order] = [], offset: Int = 0, limit: Int? = nil
  ) {
    self.entity = entity
    self.condition = condition
    self.order = order
    self.offset = offset
    self.limit = limit
  }
}

/// A sort key: nil comes first, NaN last, false before true.
package struct Order: Hashable, Sendable {
  package var key: Expression
  package var isDescending: Bool
  package var collation: Collation

  package init(_ key: Expression, isDescending: Bool = false, collation: Collation = .plain) {
    self.key = key
    self.isDescending = isDescending
    self.collation = collation
  }
}
