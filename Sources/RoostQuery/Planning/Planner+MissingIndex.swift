package import RoostRecords

extension Planner {
  /// An index that does not exist, and the number of rows that a query would read with it.
  package struct MissingIndex: Sendable {
    package var entity: EntityID
    package var fields: [FieldID]
    package var reads: Int

    /// The line to add to the model.
    package static func line(_ model: String, _ paths: [String]) -> String {
      "#Index<\(model)>([\(paths.map { "\\." + $0 }.joined(separator: ", "))])"
    }

    /// The advice in an explanation.
    package static func advice(_ line: String) -> String { "it would read less with \(line)" }
  }

  /// The index to propose for a query that reads many rows; nil if no index avoids nine of ten rows.
  package func missingIndex(_ query: Query, read: Int) throws -> MissingIndex? {
    guard read >= 100, let found = try missingIndex(query), found.reads <= read / 10 else { return nil }
    return found
  }

  /// The index with which a query would read the fewest rows; nil if none would help. It counts
  /// rows, which takes time.
  ///
  /// Its first fields are those that must equal one value. The field with a range, or the sort
  /// keys, follow.
  private func missingIndex(_ query: Query) throws -> MissingIndex? {
    let table = try ground.table(query.entity)
    let condition = try query.condition.map { (condition) throws(ConditionFault) in
      var checker = Checker(ground, table.id)
      return try checker.condition(condition)
    }
    let conjunction = Conjunction(condition)
    if conjunction.isImpossible { return nil }
    let own = conjunction.constraints.filter { constraint in
      guard constraint.path.isOwn, constraint.path.form == .value, let field = table.entity.field(constraint.path.first)
      else { return false }
      return Kind(field).isSortable && !field.name.hasPrefix("@")
    }
    let points = own.filter { $0.bounds.allSatisfy(\.isPoint) }
    var best: MissingIndex?
    func offer(_ constraints: [Constraint], _ sorting: [FieldID]) throws {
      let fields =
        constraints.map(\.path.first)
        + sorting.filter { field in
          !constraints.contains { $0.path.first == field }
        }
      guard !fields.isEmpty else { return }
      let isThere = table.indexes.contains { index in
        index.isWhole && !index.isPartial && !index.hasElements && index.index.parts.count >= fields.count
          && zip(index.index.parts, fields).allSatisfy { $0.field == $1 && $0.form == .value }
      }
      if isThere { return }
      let parts = conjunction.parts.indices.filter { number in constraints.contains { $0.conjuncts.contains(number) } }
      let asked = parts.map { conjunction.parts[$0].expression }
      var reads: Int
      do { reads = try count(Query(query.entity, where: asked.isEmpty ? nil : .and(asked))) } catch is ConditionFault {
        // A part may throw without the other parts of the condition. Then no index is suggested.
        return
      }
      let isWhole = Set(parts).count == conjunction.parts.count
      if !sorting.isEmpty, isWhole, let limit = query.limit {
        let wanted = limit.addingReportingOverflow(query.offset)
        reads = min(reads, wanted.overflow ? .max : wanted.partialValue)
      }
      if best.map({ reads < $0.reads }) ?? true { best = MissingIndex(entity: table.id, fields: fields, reads: reads) }
    }
    try offer(points, [])
    for range in own where !range.bounds.allSatisfy(\.isPoint) { try offer(points + [range], []) }
    if let sorting = try Self.fields(query.order, table, ground: ground), points.allSatisfy({ $0.bounds.count == 1 }) {
      try offer(points, sorting)
    }
    if conjunction.parts.isEmpty, let missing = try missingBehindReference(query, table),
      best.map({ missing.reads < $0.reads }) ?? true
    {
      return missing
    }
    return best
  }

  /// The index on the referenced entity with which an order over that reference would read few
  /// rows.
  private func missingBehindReference(_ query: Query, _ table: TableReader) throws -> MissingIndex? {
    guard let limit = query.limit else { return nil }
    let order = try query.order.map { (order) throws(ConditionFault) in
      var checker = Checker(ground, table.id)
      return try checker.key(order)
    }
    guard let followed = FollowedOrder(order), case .following(let way)? = try following(order, table)?.access,
      way.passing.inner.direction == nil, let fields = try Self.fields(followed.orders, table, ground: ground)
    else { return nil }
    let wanted = limit.addingReportingOverflow(query.offset)
    return MissingIndex(
      entity: way.passing.inner.table.id, fields: fields, reads: wanted.overflow ? .max : wanted.partialValue)
  }

  /// The fields of an index that gives an order; nil if no index can.
  private static func fields(_ order: [Order], _ table: TableReader, ground: Ground) throws -> [FieldID]? {
    guard let first = order.first, order.allSatisfy({ $0.isDescending == first.isDescending }) else { return nil }
    var fields: [FieldID] = []
    for key in order {
      guard case .field(.variable(0), let field) = key.key, key.collation == .plain else { return nil }
      fields.append(field)
    }
    return fields
  }
}
