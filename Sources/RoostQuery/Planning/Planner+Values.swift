package import RoostRecords

extension Planner {
  /// The values of a query's rows, in its order, row after row.
  package func values(
    _ query: Query, _ values: [Expression], memory: QueryMemory? = nil
  ) throws -> [Value] {
    let plan = try plan(query)
    let reading = try RowValues(values, plan.ground, entity: plan.entity.id)
    defer { reading.rest() }
    var found: [Value] = []
    try plan.forEach { row in
      try reading.append(row, to: &found, memory)
      return true
    }
    return found
  }

  /// The values of some rows, given by their numbers, row after row.
  package func values(
    _ rows: [RowID], of entity: String, _ values: [Expression], memory: QueryMemory? = nil
  ) throws -> [Value] {
    let table = try ground.table(entity)
    let reading = try RowValues(values, ground, entity: table.id)
    defer { reading.rest() }
    var found: [Value] = []
    for row in rows {
      try table.lend(row) { lent in
        guard let lent else { throw ConditionFault(.missingRow, "row \(row.number) does not exist", in: entity) }
        try reading.append(lent, to: &found, memory)
      }
    }
    return found
  }
}
