internal import RoostFile
package import RoostRecords

/// Changing all rows that a query finds. Which they are is settled before the first one changes, and a fault at any of them
/// undoes what was done to the others.
extension RecordWriter {
  /// Changes fields of each row; returns how many there were.
  @discardableResult
  package func update(_ query: Query, _ body: (inout RowBuilder) throws -> Void) throws -> Int {
    let rows = try Planner(Ground(self)).plan(query).rows()
    if rows.isEmpty { return 0 }
    return try savepoint {
      let table = try table(query.entity)
      for (number, row) in rows.enumerated() {
        if number & 255 == 0 { try CallInterrupt.look() }
        try table.update(row, body)
      }
      return rows.count
    }
  }

  /// Gives fields of each row what expressions say of the row as it was before; returns how many rows there were.
  @discardableResult
  package func update(_ query: Query, set changes: KeyValuePairs<String, Expression>) throws -> Int {
    let entity = try Ground(self).entity(query.entity)
    return try update(
      query,
      set: changes.map { name, value in
        guard let field = entity.field(name) else {
          throw RecordFault(.unknown, "there is no such field", entity: entity.name, field: name)
        }
        return (field, value)
      })
  }

  @discardableResult
  package func update(_ query: Query, set changes: [(field: Field, value: Expression)]) throws -> Int {
    let ground = Ground(self)
    let entity = try ground.entity(query.entity)
    let plan = try Planner(ground).plan(query)
    var terms: [(field: Field, term: Term)] = []
    for (field, expression) in changes {
      var checker = Checker(catalog, entity.id)
      let term = try checker.term(expression)
      guard term.kind == Kind(field) || .optional(term.kind) == Kind(field) else {
        throw checker.wrong(expression, "\(field.name) holds \(Kind(field)), this is \(term.kind)")
      }
      terms.append((field, term))
    }
    // Everything is computed from the rows as they are before any of them changes.
    var interpreter = Interpreter(ground, entity.id)
    let changed = try plan.rows().map { row in (row, try terms.map { try interpreter.value($0.term, row) }) }
    if changed.isEmpty { return 0 }
    return try savepoint {
      let table = try table(entity.id)
      let slots = try terms.map { (term) throws(RecordFault) in try table.slot(term.field.name) }
      for (number, (row, values)) in changed.enumerated() {
        if number & 255 == 0 { try CallInterrupt.look() }
        try table.update(row) { builder in
          for (index, value) in values.enumerated() {
            do throws(RecordFault) { try builder.set(slots[index], value) } catch {
              throw error.at(entity.name, terms[index].field.name)
            }
          }
        }
      }
      return changed.count
    }
  }

  /// Removes each row, and what the rules of its relationships say; returns what that was.
  @discardableResult
  package func delete(_ query: Query) throws -> Deleted {
    let rows = try Planner(Ground(self)).plan(query).rows()
    return try table(query.entity).deleteFollowingRules(many: rows)
  }
}
