package import RoostRecords

/// Counts, sums and bounds over a query's rows. No row is kept in memory.
extension Planner {
  /// Computes measures by groups, in the order of the groups' keys. Without keys there is one
  /// group, even if there is no row.
  ///
  /// - Parameters:
  ///   - query: its order, offset and limit are ignored.
  ///   - keys: the expressions to group by.
  ///   - measures: the values to compute for each group.
  ///   - memory: counts the bytes of the groups.
  ///   - decimal: gets every decimal to add: the number of its measure, the number of its group in
  ///     the order of first rows, and the decimal.
  package func aggregate(
    _ query: Query, by keys: [Expression], _ measures: [Measure], memory: QueryMemory? = nil,
    decimal: (Int, Int, DecimalNumber) throws -> Void
  ) throws -> (groups: [TalliedGroup], order: [Int]) {
    var query = query
    (query.order, query.offset, query.limit, query.after) = ([], 0, nil, nil)
    if keys.isEmpty, let quick = try byIndexes(query, measures) { return ([quick], [0]) }
    let plan = try plan(query)
    let sums = try RowSums(keys, measures, ground: plan.ground, entity: plan.entity.id, memory: memory)
    defer { sums.rest() }
    // Borrowed, to avoid reference counting for each row.
    let borrowed = Unmanaged.passUnretained(sums)
    try plan.forEachOfNoOrder { row in try borrowed._withUnsafeGuaranteedRef { try $0.add(row, decimal) } }
    return withExtendedLifetime(sums) { (sums.groups, sums.order) }
  }

  /// Computes the measures without reading rows: indexes give counts, and their first and last
  /// entries give bounds.
  private func byIndexes(_ query: Query, _ measures: [Measure]) throws -> TalliedGroup? {
    var tallies: [MeasureTally] = []
    for measure in measures {
      var tally = MeasureTally()
      switch (measure.kind, measure.value) {
      case (.count, nil): break
      case (.least, let value?), (.greatest, let value?):
        guard let found = try bound(query, value, isGreatest: measure.kind == .greatest) else { return nil }
        tally.bound = found.value
        tally.count = found.value == nil ? 0 : 1
      default: return nil
      }
      tallies.append(tally)
    }
    guard measures.contains(where: { $0.value == nil }) else { return TalliedGroup(keys: [], tallies: tallies) }
    let count = try count(query)
    for (number, measure) in measures.enumerated() where measure.value == nil { tallies[number].count = count }
    return TalliedGroup(keys: [], tallies: tallies)
  }

  private struct Bound {
    var value: Value?
  }

  /// The first or last value in the order of an index; nil if no index has that order.
  private func bound(_ query: Query, _ value: Expression, isGreatest: Bool) throws -> Bound? {
    guard case .field(.variable(0), _) = value else { return nil }
    let table = try ground.table(query.entity)
    var checker = Checker(ground, table.id)
    let term = try checker.term(value)
    guard term.kind.isSortable else { return nil }
    var query = query
    if let isValue = Self.isNumber(value, term.kind) {
      query.condition = query.condition.map { $0 && isValue } ?? isValue
    }
    query.order = [Order(value, isDescending: isGreatest)]
    query.limit = 1
    let plan = try plan(query)
    guard plan.direction != nil else { return nil }
    var interpreter = Interpreter(ground, table.id)
    var found: Value?
    try plan.forEach { row in
      found = try interpreter.value(term, row.id)
      return false
    }
    // There may be values that are NaN.
    if found == nil, Self.numbers(term.kind.whole) != nil { return nil }
    return Bound(value: found)
  }

  /// The condition that a value is not nil and, for a numeric kind, not NaN.
  private static func isNumber(_ value: Expression, _ kind: Kind) -> Expression? {
    if let (comparison, end) = numbers(kind.whole) {
      let constant = Expression.constant(end, kind.whole)
      if !kind.isOptional { return .compare(comparison, value, constant) }
      return .ifLet(60_000, value, .compare(comparison, .variable(60_000), constant), .constant(.bool(false), .bool))
    }
    return kind.isOptional ? .compare(.notEqual, value, .constant(.null, kind)) : nil
  }

  /// The comparison that excludes NaN for a kind of number; nil if the kind has no NaN.
  private static func numbers(_ kind: Kind) -> (Expression.Comparison, Value)? {
    switch kind {
    case .plain(.double): (.lessOrEqual, .double(.infinity))
    case .plain(.float): (.lessOrEqual, .float(.infinity))
    case .plain(.date): (.lessOrEqual, .date(.infinity))
    case .plain(.decimal): (.greater, .decimal(.nan))
    default: nil
    }
  }
}
