internal import RoostRecords

/// Rows that refer to rows with equal keys, collected to be given in the query's order.
///
/// It keeps at most as many as the query's limit leaves room for. So a group of millions, such as
/// the rows without a reference, takes no more memory than sorting all rows takes.
final class FollowedGroup {
  private let plan: Plan
  private let isWholeOrder: Bool
  private let isDescending: Bool
  private let keys: SortKeys
  /// All row numbers of the group, if the query orders equal rows by number. Otherwise only the
  /// first row, which needs no key while it is alone.
  private var numbers: [RowID] = []
  private var top: TopRows?
  /// The number of rows that will still be given, at most.
  private var wanted: Int

  init(_ plan: Plan, _ following: Following, isDescending: Bool) throws {
    self.plan = plan
    isWholeOrder = following.isWholeOrder
    self.isDescending = isDescending
    keys = try SortKeys(plan.order, plan.ground, entity: plan.entity.id)
    let offset = plan.behind == nil ? max(0, plan.query.offset) : 0
    let sum = (plan.query.limit ?? .max).addingReportingOverflow(offset)
    wanted = sum.overflow ? .max : sum.partialValue
  }

  /// Whether every row of the group is given: none is tested, and none is skipped by a position.
  private var allCount: Bool { plan.residual == nil && plan.behind == nil }

  func add(_ row: RowID) throws {
    if isWholeOrder {
      numbers.append(row)
      if allCount, numbers.count >= 1024, numbers.count / 2 >= wanted { cutNumbers() }
      return
    }
    if top == nil {
      if numbers.isEmpty { return numbers.append(row) }
      top = TopRows(wanted: wanted)
      for row in numbers { try insert(row) }
      numbers.removeAll(keepingCapacity: true)
    }
    try insert(row)
  }

  /// Returns the rows in order and begins the next group.
  func take() throws -> [RowID] {
    if var sorted = top {
      top = nil
      let rows = try sorted.finish()
      wanted -= min(wanted, rows.count)
      return rows
    }
    cutNumbers()
    defer { numbers.removeAll(keepingCapacity: true) }
    if allCount { wanted -= min(wanted, numbers.count) }
    return numbers
  }

  private func cutNumbers() {
    numbers.sort()
    if isDescending { numbers.reverse() }
    if allCount, numbers.count > wanted { numbers.removeLast(numbers.count - wanted) }
  }

  /// Rows that the query does not ask for must not use the room of others.
  private func insert(_ row: RowID) throws {
    _ = try plan.withRow(row) { row in
      guard try plan.passes(row) else { return true }
      try keys.make(row)
      let isBehind = plan.behind?.withUnsafeBytes { TextBytes.bytesAreLess($0, keys.key.bytes) } ?? true
      if isBehind { try top?.insert(keys.key.bytes, row.id) }
      return true
    }
  }
}
