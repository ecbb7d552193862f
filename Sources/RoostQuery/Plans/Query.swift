internal import RoostRecords

/// What is asked of an entity's rows.
package struct Query: Sendable {
  package var entity: String
  /// Which rows; nil for all of them.
  package var condition: Expression?
  /// By what they are sorted. Rows that are equal in all of this follow their numbers, in the direction of the first key.
  /// Without any key they come in whatever order is found first.
  package var order: [Order]
  /// How many rows are left out at the beginning.
  package var offset: Int
  package var limit: Int?
  /// Rows up to this place in the order are left out. It needs an order, and no offset.
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

/// One key to sort by: nil comes first, what is no number last, false before true.
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
