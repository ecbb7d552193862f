internal import RoostRecords

/// A way along the rows that references lead to, in their order, and back to those that refer to them.
struct Following {
  var passing: Passing
  /// Whether the query asks for no order among rows that refer to equal ones but that of their numbers.
  var isWholeOrder: Bool
}

/// What an order asks of the rows that a reference leads to.
struct FollowedOrder {
  var reference: FieldID
  /// The keys in front that are about them, as these see it.
  var orders: [Order]

  /// nil where the first key is about the row itself, or about something else than fields.
  init?(_ order: [SortTerm]) {
    guard let first = order.first, let reference = Self.reference(first.key.expression) else { return nil }
    self.reference = reference
    orders = []
    for term in order {
      // Rows without a reference come first among ascending keys, last among descending ones, and between them nowhere.
      guard term.isDescending == first.isDescending, Self.reference(term.key.expression) == reference,
        let moved = term.key.expression.moved(over: reference)
      else { break }
      orders.append(Order(moved, isDescending: term.isDescending, collation: term.collation))
    }
  }

  private static func reference(_ key: Expression) -> FieldID? {
    switch key {
    case .field(.field(.variable(0), let reference), _): reference
    case .field(let base, _): reference(base)
    default: nil
    }
  }
}

extension Planner {
  /// The way over the reference that the order begins with; nil where there is none, or where it may come to fewer rows than there are.
  func following(_ order: [SortTerm], _ table: TableReader) throws -> Candidate? {
    guard let followed = FollowedOrder(order),
      let index = table.indexes.first(where: { Related.serves($0, followed.reference) }),
      let field = table.entity.field(followed.reference), case .reference(let target) = field.type,
      let entity = ground.catalog.entity(target), leadsToRows(followed.reference, table)
    else { return nil }
    let inner = try deeper.plan(Query(entity.name, by: followed.orders))
    let isWhole = followed.orders.count == order.count
    let count = Double(index.count)
    return Candidate(
      access: .following(
        Following(passing: Passing(index: index, field: field, inner: inner), isWholeOrder: isWhole)),
      count: index.count, isCountExact: true,
      cost: inner.cost + inner.expected * (Cost.seek + Cost.row)
        + count * (Cost.entry + (isWhole ? 0 : Cost.row + Cost.sort)),
      covered: PartSet(), fixedCost: inner.direction == nil ? inner.cost : 0)
  }

  /// Whether no reference leads to a row that is not there. Such a row would not be come to.
  private func leadsToRows(_ reference: FieldID, _ table: TableReader) -> Bool {
    ground.catalog.relationships(of: table.id).contains { one in
      guard one.shape == .one(reference), !one.traits.contains(.unchecked) else { return false }
      return ground.catalog.inverse(of: one).map { $0.deleteRule != .noAction } ?? false
    }
  }
}
