internal import RoostRecords

extension Plan {
  /// Calls `body` with the rows that refer to those of another plan, in the order of that one, until it says false.
  ///
  /// Those that refer to equal ones are one group, in the query's order (``FollowedGroup``). Rows without a reference stand with those that refer to what is nil in
  /// every key: at the beginning, or at the end where the order is a descending one.
  func forEach(_ following: Following, _ skipped: Int, body: (RowID) throws -> Bool) throws -> Bool {
    let inner = following.passing.inner
    let isDescending = order[0].isDescending
    let keys = try SortKeys(inner.order, ground, entity: inner.entity.id, numbersRows: false)
    var left = skipped
    let group = try FollowedGroup(self, following, isDescending: isDescending)
    var groupKey: [UInt8]?
    var isNil = true
    var isWhole = true
    func give(_ row: RowID) throws -> Bool {
      if left > 0 {
        left -= 1
        return true
      }
      return try body(row)
    }
    func giveGroup() throws -> Bool {
      for row in try group.take() where try !give(row) { return false }
      return true
    }
    if !isDescending {
      // Where something is never nil in what they lead to, they are alone, and stand in order.
      let areAlone = following.isWholeOrder && inner.order.contains { !$0.key.kind.isOptional }
      try forEachReferring(nil, following.passing) { row in
        if areAlone { isWhole = try give(row) } else { try group.add(row) }
        return isWhole
      }
      if !isWhole { return false }
    }
    try inner.forEach { row in
      try keys.make(row)
      if groupKey.map({ !keys.key.bytes.elementsEqual($0) }) ?? true {
        let isNext = try keys.values(row).allSatisfy(\.isNull)
        if groupKey != nil || !isNext { isWhole = try giveGroup() }
        if !isWhole { return false }
        isNil = isNext
        groupKey = [UInt8](keys.key.bytes)
      }
      try forEachReferring(row.id, following.passing) { row in
        try group.add(row)
        return true
      }
      return true
    }
    if !isWhole { return false }
    if isDescending {
      if groupKey != nil, !isNil, try !giveGroup() { return false }
      try forEachReferring(nil, following.passing) { row in
        try group.add(row)
        return true
      }
    }
    return try giveGroup()
  }

  /// The rows that refer to one, or to none, by their numbers.
  private func forEachReferring(_ target: RowID?, _ passing: Passing, body: (RowID) throws -> Bool) throws {
    let field = KeyField(passing.field)
    if target == nil, !field.isOptional { return }
    let bound = target.map { PartBound(.equal, .reference($0), field: field) } ?? PartBound(null: field)
    guard
      let range = bound?.range(behind: KeyBytes(), isDescending: passing.index.index.parts[0].isDescending)
    else { return }
    try range.forEach(in: passing.index) { (row, _, _) in
      try noteEntry()
      return try body(row)
    }
  }
}
