internal import RoostFile
package import RoostRecords

/// The parts of a merge join: two streams with the same keys.
extension GroupStream {
  /// Whether rows with equal keys are read in the order of their numbers.
  package var keepsRowOrder: Bool { !isBackward && use.fixedParts + parts.count == use.index.index.parts.count }

  /// Makes a function that returns values of the rows with a key, row after row.
  ///
  /// Nil and NaN match no row. If the index cuts the key, or if it has only one key, the function
  /// may return other rows too: the caller tests each row.
  package func lookup(_ values: [Expression]) throws -> (Value) throws -> [Value] {
    let reading = try RowValues(values, plan.ground, entity: plan.entity.id)
    return { [self] key in
      var found: [Value] = []
      guard !key.isNull, !ValueOrder.isUnordered(key), let prefix = try? prefix([key], parts[...]) else { return found }
      defer {
        reading.rest()
        plan.program?.rest()
      }
      for range in use.ranges {
        guard let stretch = KeyRange(prefix: prefix).clipped(range.low, range.high) else { continue }
        try stretch.forEach(in: use.index) { (id, _, _) in
          try plan.noteEntry()
          return try plan.withRow(id) { row in
            guard try plan.passes(row) else { return true }
            plan.tally.matches += 1
            plan.tally.results += 1
            try reading.append(row, to: &found)
            return true
          }
        }
      }
      return found
    }
  }
}

extension Planner {
  /// Whether a merge join, which reads both sides in the order of the key, costs less than a table
  /// of one side.
  ///
  /// - Parameter limit: the number of pairs that the caller takes; nil for all.
  package func prefersMerge(
    _ own: GroupStream, with other: GroupStream, of queries: (own: Query, other: Query), limit: Int?
  ) throws -> Bool {
    let (one, two) = (try plan(queries.own), try plan(queries.other))
    let groups = try own.groupCount()
    let matched = min(other.plan.visited, groups * other.plan.visited / max(1, try other.groupCount()))
    let reading = groups * Cost.seek + matched * (Cost.entry + Cost.row + Cost.test)
    let pairs = max(1, own.plan.expected * matched / max(1, groups))
    let share = limit.map { min(1, Double($0) / pairs) } ?? 1
    let merge = share * (own.plan.cost + groups * (Cost.row + Cost.group) + reading)
    return merge < one.cost + min(two.cost, reading) + (one.expected + two.expected) * Cost.group
  }
}
