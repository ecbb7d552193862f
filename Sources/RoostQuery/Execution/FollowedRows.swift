internal import RoostRecords

extension Plan {
  /// Calls `body` with the rows that refer to the rows of another plan, in that plan's order, until
  /// it returns false.
  ///
  /// Rows that refer to rows with equal keys are one group, which has the query's order
  /// (``FollowedGroup``). Rows without a reference sort like rows whose referenced keys are all
  /// nil: first in an ascending order, last in a descending one.
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
      // If a key of the referenced rows is never nil, the rows without a reference form a group of
      // their own, in order.
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

  /// The rows that refer to `target`, or to nothing if it is nil, in order of their numbers.
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
