internal import RoostFile
internal import RoostRecords

/// Reads the rows that an access finds.
extension Plan {
  /// Calls `body` with the number of each row that may fulfil the condition, in the plan's
  /// direction, until it returns false.
  ///
  /// It leaves out the first `skipped` rows, without reading them where possible. Returns whether
  /// it reached the end.
  func forEachNumber(_ skipped: Int, _ body: (RowID) throws -> Bool) throws -> Bool {
    switch access {
    case .nothing: return true
    case .all: return try forEachOfAll(skipped, body)
    case .index(let use): return try IndexScan(use, direction ?? .forward, plan: self).run(skipped, body)
    case .searched(let answer): return try forEach(answer, skipped, body: body)
    case .ranked(let answer): return try forEachBest(answer, skipped, body: body)
    case .filtered(let base, let filter):
      guard case .index(let order) = base.access else { return true }
      let members = try filter.rows(self)
      var left = skipped
      return try IndexScan(order, direction ?? .forward, plan: self).run(0) { row in
        guard members.contains(row) else { return true }
        if left > 0 {
          left -= 1
          return true
        }
        return try body(row)
      }
    case .single(let row, _):
      guard let row, skipped == 0 else { return true }
      try noteEntry()
      return try body(row)
    case .rows, .either, .both:
      let found = try numbers(access)
      let ordered = direction == .backward ? found.reversed() : found
      for row in ordered.dropFirst(skipped) where try !body(row) { return false }
      return true
    case .through(let passing): return try forEach(passing, skipped, body: body)
    case .following(let following): return try forEach(following, skipped, body: body)
    }
  }

  private func forEachOfAll(_ skipped: Int, _ body: (RowID) throws -> Bool) throws -> Bool {
    var cursor = try table.cursor()
    let count = table.count
    if skipped >= count { return true }
    var isThere = try cursor.move(to: direction == .backward ? count - 1 - skipped : skipped)
    var counter = InterruptCounter()
    while isThere {
      try counter.step()
      if try !body(cursor.id) { return false }
      isThere = direction == .backward ? try cursor.previous() : try cursor.next()
    }
    return true
  }

  private func forEach(_ passing: Passing, _ skipped: Int, body: (RowID) throws -> Bool) throws -> Bool {
    var left = skipped
    let isDescending = passing.index.index.parts[0].isDescending
    var isWhole = true
    try passing.inner.forEach { row in
      guard let bound = PartBound(.equal, .reference(row.id), field: KeyField(passing.field)),
        let range = bound.range(behind: KeyBytes(), isDescending: isDescending)
      else { return true }
      try range.forEach(in: passing.index) { (id, _, _) in
        try noteEntry()
        if left > 0 {
          left -= 1
          return true
        }
        isWhole = try body(id)
        return isWhole
      }
      return isWhole
    }
    return isWhole
  }

  // MARK: Sets of rows

  /// The rows of an access, in order of their numbers and each only once.
  private func numbers(_ access: Access) throws -> [RowID] {
    switch access {
    case .rows(let rows): return try rows.filter { try table.contains($0) }
    case .single(let row, _): return row.map { [$0] } ?? []
    case .either(let branches):
      var all: [RowID] = []
      for branch in branches { all += try numbers(branch.access) }
      return Self.sorted(all)
    case .both(let branches):
      var common: [RowID]?
      for branch in branches {
        let found = try numbers(branch.access)
        common = common.map { Self.intersection($0, found) } ?? found
      }
      return common ?? []
    case .searched(let answer), .ranked(let answer): return try numbers(of: answer)
    case .nothing, .all, .index, .through, .following, .filtered:
      var all: [RowID] = []
      let part = Part(self, access)
      _ = try part.forEach {
        all.append($0)
        return true
      }
      return Self.sorted(all)
    }
  }

  /// One access of a plan that has several.
  private struct Part {
    let plan: Plan
    let access: Access

    init(_ plan: Plan, _ access: Access) {
      self.plan = plan
      self.access = access
    }

    func forEach(_ body: (RowID) throws -> Bool) throws -> Bool {
      switch access {
      case .index(let use): return try IndexScan(use, .forward, plan: plan).run(0, body)
      case .through(let passing): return try plan.forEach(passing, 0, body: body)
      case .all: return try plan.forEachOfAll(0, body)
      case .nothing, .rows, .single, .either, .both, .following, .filtered, .searched, .ranked: return true
      }
    }
  }

  private static func sorted(_ rows: [RowID]) -> [RowID] {
    let sorted = rows.sorted()
    var unique: [RowID] = []
    unique.reserveCapacity(sorted.count)
    for row in sorted where unique.last != row { unique.append(row) }
    return unique
  }

  private static func intersection(_ one: [RowID], _ other: [RowID]) -> [RowID] {
    var common: [RowID] = []
    var (first, second) = (0, 0)
    while first < one.count, second < other.count {
      if one[first] == other[second] {
        common.append(one[first])
        first += 1
        second += 1
      } else if one[first] < other[second] {
        first += 1
      } else {
        second += 1
      }
    }
    return common
  }
}
