internal import RoostRecords

/// The part of an order that concerns the rows of one reference.
struct FollowedOrder {
  var reference: FieldID
  /// The leading keys that concern these rows, as expressions on them.
  var orders: [Order]

  /// nil if the first key does not concern a referenced row.
  init?(_ order: [SortTerm]) {
    guard let first = order.first, let reference = Self.reference(first.key.expression) else { return nil }
    self.reference = reference
    orders = []
    for term in order {
      // Rows without a reference sort first by an ascending key and last by a descending one; mixed
      // keys would place them in between.
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
  /// The access over the reference with which the order begins; nil if there is none, or if the
  /// access might miss rows.
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
    // A group must be complete before its first row is given, even if few rows are wanted.
    let group = try groupSize(passing, followed, isDescending: order[0].isDescending, isWhole: isWhole)
    return Candidate(
      access: .following(Following(passing: passing, isWholeOrder: isWhole)),
      count: index.count, isCountExact: true, cost: cost, covered: PartSet(),
      fixedCost: min(cost, (inner.direction == nil ? inner.cost : 0) + group * each))
  }

  /// The number of rows in the groups that come first: the rows without a reference, unless they
  /// come last, and the rows that refer to rows with the first value.
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
    // If they form a group of their own in the order of their numbers, they are given one by one.
    let areAlone = isWhole && inner.order.contains { !$0.key.kind.isOptional }
    return group + (isDescending || areAlone ? 0 : Double(without))
  }

  /// The number of referenced rows that have the first value of the order. An index that begins
  /// with it counts them.
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

  /// Whether all references refer to existing rows. The access would miss a row whose reference
  /// does not.
  private func leadsToRows(_ reference: FieldID, _ table: TableReader) -> Bool {
    ground.catalog.relationships(of: table.id).contains { one in
      guard one.shape == .one(reference), one.traits.isDisjoint(with: [.unchecked, .torn]) else { return false }
      return ground.catalog.inverse(of: one).map { $0.deleteRule != .noAction } ?? false
    }
  }

  /// Whether the relationship is marked as torn: referenced rows are lost. A test on a lost row is
  /// an error, which an access that starts at the existing rows would not notice.
  func isTorn(_ reference: FieldID, _ table: TableReader) -> Bool {
    ground.catalog.relationships(of: table.id).contains { $0.shape == .one(reference) && $0.traits.contains(.torn) }
  }
}
