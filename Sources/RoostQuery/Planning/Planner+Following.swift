internal import RoostRecords

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
    let passing = Passing(index: index, field: field, inner: inner)
    let count = Double(index.count)
    let each = Cost.entry + (isWhole ? 0 : Cost.row + Cost.sort)
    let cost = inner.cost + inner.expected * (Cost.seek + Cost.row) + count * each
    // A group is there as a whole before its first row comes, however few are wanted.
    let group = try groupSize(passing, followed, isDescending: order[0].isDescending, isWhole: isWhole)
    return Candidate(
      access: .following(Following(passing: passing, isWholeOrder: isWhole)),
      count: index.count, isCountExact: true, cost: cost, covered: PartSet(),
      fixedCost: min(cost, (inner.direction == nil ? inner.cost : 0) + group * each))
  }

  /// How many rows stand in the groups that come first: those without a reference, where these do, and those that refer to what has
  /// the first value.
  private func groupSize(
    _ passing: Passing, _ followed: FollowedOrder, isDescending: Bool, isWhole: Bool
  ) throws -> Double {
    let (index, inner) = (passing.index, passing.inner)
    let field = KeyField(passing.field)
    let isIndexDescending = index.index.parts[0].isDescending
    var without = 0
    if field.isOptional {
      without =
        try PartBound(null: field).range(behind: KeyBytes(), isDescending: isIndexDescending)?.count(in: index) ?? 0
    }
    let targets = Double(max(inner.table.count, 1))
    let group = Double(index.count - without) / targets * (try equalTargets(inner))
    // Alone and in the order of their numbers, they come one by one.
    let areAlone = isWhole && inner.order.contains { !$0.key.kind.isOptional }
    return group + (isDescending || areAlone ? 0 : Double(without))
  }

  /// How many of the rows that are referred to have the first value of the order. Where an index begins with it, it is counted.
  private func equalTargets(_ inner: Plan) throws -> Double {
    guard inner.order.count == 1, inner.direction != nil, case .index(let use) = inner.access, use.fixedParts == 0,
      let first = use.index.index.parts.first, let field = inner.entity.field(first.field)
    else { return 1 }
    let keys = try SortKeys(inner.order, ground, entity: inner.entity.id, numbersRows: false)
    var value: Value?
    try inner.forEach { row in
      value = try keys.values(row).first
      return false
    }
    guard let value else { return 1 }
    let key = KeyField(field)
    let bound = value.isNull ? PartBound(null: key) : PartBound(.equal, value, field: key)
    let range = bound?.range(behind: KeyBytes(), isDescending: first.isDescending)
    return Double(max(1, try range?.count(in: use.index) ?? 1))
  }

  /// Whether no reference leads to a row that is not there. Such a row would not be come to.
  private func leadsToRows(_ reference: FieldID, _ table: TableReader) -> Bool {
    ground.catalog.relationships(of: table.id).contains { one in
      guard one.shape == .one(reference), one.traits.isDisjoint(with: [.unchecked, .torn]) else { return false }
      return ground.catalog.inverse(of: one).map { $0.deleteRule != .noAction } ?? false
    }
  }

  /// Whether rows are lost that a reference leads to. What is asked of these is a fault, which a way that starts at those that are
  /// there would not come to.
  func isTorn(_ reference: FieldID, _ table: TableReader) -> Bool {
    ground.catalog.relationships(of: table.id).contains { $0.shape == .one(reference) && $0.traits.contains(.torn) }
  }
}
