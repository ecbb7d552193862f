internal import RoostFile
package import RoostRecords

/// Changes all rows that a query finds. The rows are found before the first one changes. An error
/// at any row undoes the changes of the others.
extension RecordWriter {
  /// Changes fields of each row; returns the number of rows.
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

  /// Sets fields of each row to values of expressions, computed from the row before the change;
  /// returns the number of rows.
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
    // All values are computed before any row changes.
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

  /// Deletes each row and follows the rules of its relationships; returns what was deleted and
  /// changed.
  @discardableResult
  package func delete(_ query: Query) throws -> Deleted {
    let rows = try Planner(Ground(self)).plan(query).rows()
    return try table(query.entity).deleteFollowingRules(many: rows)
  }
}
