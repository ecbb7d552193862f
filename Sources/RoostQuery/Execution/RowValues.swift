package import RoostRecords

/// Reads values of rows: their own fields, and fields of the rows that they reference.
package final class RowValues {
  package let terms: [Term]
  /// Nil if the interpreter reads the value.
  let programs: [Program?]
  // Unchecked exclusivity: one query has the object for itself, and computing a value calls no code
  // of users.
  @exclusivity(unchecked) private var interpreter: Interpreter

  init(_ terms: [Term], _ ground: Ground, entity: EntityID) throws {
    self.terms = terms
    programs = try terms.map { try Program(value: $0, ground, entity) }
    interpreter = Interpreter(ground, entity)
  }

  package convenience init(_ values: [Expression], _ ground: Ground, entity: EntityID) throws {
    let terms = try values.map { (value) throws(ConditionFault) in
      var checker = Checker(ground, entity)
      return try checker.term(value)
    }
    try self.init(terms, ground, entity: entity)
  }

  /// The value of the expression with this number, in the row that a query currently reads.
  package func value(_ number: Int, _ row: Row) throws -> Value {
    guard let program = programs[number] else { return try interpreter.value(terms[number], row.id) }
    return try program.cell(row).value(terms[number].kind)
  }

  func append(_ row: Row, to values: inout [Value], _ memory: QueryMemory? = nil) throws {
    for number in terms.indices {
      let value = try value(number, row)
      try memory?.take(QueryMemory.value + value.heapBytes, for: .rows)
      values.append(value)
    }
  }

  /// Returns what the programs borrowed.
  package func rest() { for program in programs { program?.rest() } }
}
