internal import RoostFile
internal import RoostRecords

extension Planner {
  /// Returns the cheapest plan that makes the groups of a query along an index; nil if no index has
  /// the order of the keys.
  ///
  /// An index has that order if its first parts are the keys, all ascending or all descending. Keys
  /// for which the condition allows only one value may be at any position.
  package func groupStream(_ query: Query, by keys: [Expression]) throws -> GroupStream? {
    var query = query
    (query.order, query.offset, query.limit, query.after) = ([], 0, nil, nil)
    let fields = keys.compactMap { key in
      if case .field(.variable(0), let id) = key { id } else { FieldID?.none }
    }
    guard fields.count == keys.count, !keys.isEmpty,
      try ground.table(query.entity).indexes.contains(where: { index in
        index.index.parts.contains { fields.contains($0.field) }
      })
    else { return nil }
    var best: (plan: Plan, use: IndexAccess, order: StreamedKeys)?
    let plans = try plans(query) { table, conjunction in
      try table.indexes.flatMap { index -> [Candidate] in
        guard index.isWhole, !index.hasElements, index.index.parts.contains(where: { fields.contains($0.field) }) else {
          return []
        }
        if let match = IndexMatch(index, table, conjunction: conjunction) { return [try match.candidate()] }
        if index.isPartial || index.firstField != fields[0] { return [] }
        let access = IndexAccess(index: index, ranges: [KeyRange()], fixedParts: 0)
        return [
          Candidate(
            access: .index(access), count: index.count, isCountExact: true, cost: Double(index.count) * Cost.entry,
            covered: PartSet())
        ]
      }
    }
    for plan in plans {
      guard case .index(let use) = plan.access, let order = StreamedKeys(fields, use, entity: plan.entity) else {
        continue
      }
      if best.map({ plan.cost < $0.plan.cost }) ?? true { best = (plan, use, order) }
    }
    guard let best else { return nil }
    return try GroupStream(
      best.plan, best.use, parts: best.order.parts, isBackward: best.order.isBackward, keys: keys.map { Order($0) })
  }

  /// Whether a stream costs less than a table of all groups.
  ///
  /// - Parameter limit: the number of groups that the caller takes; nil if it is not known.
  package func prefers(_ stream: GroupStream, to query: Query, measures: [Measure]?, limit: Int?) throws -> Bool {
    // The costs of so few rows do not matter.
    if stream.plan.visited < Double(Self.fewRows), limit == nil { return false }
    let table = try plan(query)
    let most = table.cost + table.expected * Cost.group
    // Without a limit each row is read, however many groups there are.
    if limit == nil, !stream.countsOnly(measures), stream.plan.cost >= most { return false }
    return try stream.cost(measures, limit: limit) < most
  }

  private static var fewRows: Int { 256 }

  /// The parts of an index that are keys of the groups, without the parts that have one value.
  private struct StreamedKeys {
    var parts: [GroupStream.Part] = []
    var isBackward = false

    init?(_ fields: [FieldID], _ use: IndexAccess, entity: Entity) {
      let all = use.index.index.parts
      let fixed = Set(all.prefix(use.fixedParts).filter { $0.form == .value }.map(\.field))
      var free = all.dropFirst(use.fixedParts)
      for (number, field) in fields.enumerated() where !fixed.contains(field) {
        // A repeated key does not change the order.
        if parts.contains(where: { $0.field.id == field }) { continue }
        guard let part = free.popFirst(), part.field == field, part.form == .value, let known = entity.field(field)
        else {
          return nil
        }
        parts.append(GroupStream.Part(key: number, field: known, isDescending: part.isDescending))
      }
      isBackward = parts.first?.isDescending ?? false
      guard parts.allSatisfy({ $0.isDescending == isBackward }), !parts.isEmpty || use.fixedParts > 0 else {
        return nil
      }
      // The index cuts long texts. With several ranges, the rows of one text could be in several
      // ranges, which are sorted separately.
      if use.ranges.count > 1, parts.contains(where: { KeyField($0.field).isText }) { return nil }
    }
  }
}

extension GroupStream {
  /// Whether the index answers without a read of each row.
  func countsOnly(_ measures: [Measure]?) -> Bool {
    plan.residual == nil && measures?.allSatisfy { $0.kind == .count && $0.value == nil } ?? false
  }

  /// The cost in the units of ``Choice``. It uses the estimate of ``groupCount()``.
  func cost(_ measures: [Measure]?, limit: Int?) throws -> Double {
    let groups = try groupCount()
    let share = limit.map { min(1, Double($0) / max(groups, 1)) } ?? 1
    if countsOnly(measures) {
      let each = min(plan.visited / max(groups, 1), 3 * Cost.seek)
      return groups * share * (each + Cost.seek + Cost.row)
    }
    return share * (plan.cost + groups * (Cost.row + Cost.group))
  }

  /// Estimates the number of groups from the sizes of the groups at a few places of the index.
  func groupCount() throws -> Double {
    let entries = plan.visited
    guard let range = use.ranges.first, use.ranges.count == 1, entries > 64 else { return entries }
    let count = try range.count(in: use.index)
    let start = try range.low.withBytes { (low) throws(StoreError) in try use.index.rank(of: low) }
    var cursor = try use.index.cursor()
    var shares = 0.0
    // These rows are read to plan, and do not count as rows of the query.
    defer { plan.tally = Plan.Tally() }
    for sample in 0..<Self.samples {
      guard try cursor.move(to: start + count * (2 * sample + 1) / (2 * Self.samples)) else { return entries }
      let stretch = KeyRange(prefix: try prefix(values(cursor.row()), parts[...])).clipped(range.low, range.high)
      shares += 1 / Double(max(1, try stretch?.count(in: use.index) ?? 1))
    }
    return max(1, entries * shares / Double(Self.samples))
  }

  private static var samples: Int { 8 }
}
