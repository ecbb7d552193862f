internal import RoostFile
package import RoostQuery
package import RoostRecords

/// Compares all that answers a condition with the plain interpreter.
package struct ConditionJudge {
  let ground: Ground
  let entity: EntityID
  /// What the answers were, for the report.
  package var notes: [String: Int] = [:]

  package init(_ ground: Ground, _ entity: EntityID) {
    self.ground = ground
    self.entity = entity
  }

  /// What something says of one row.
  enum Answer: Equatable {
    case holds(Bool)
    case fault(ConditionFault.Code)

    init(_ body: () throws -> Bool) throws {
      do { self = .holds(try body()) } catch let fault as ConditionFault { self = .fault(fault.code) }
    }
  }

  /// What is wrong; nil where everything agrees. A condition that is refused is at fault before anything is compared.
  package mutating func complaint(_ expression: Expression) throws -> String? {
    let term = try Checker.condition(expression, ground.catalog, entity)
    var answers: [(row: RowID, answer: Answer)] = []
    do {
      if let complaint = try rows(term, &answers) { return complaint }
    } catch let error as StoreError {
      return "\(error) where no file is damaged"
    } catch let fault as ConditionFault {
      return "the compiler refuses what the checker lets pass: \(fault)"
    }
    let faults = answers.count { if case .fault = $0.answer { true } else { false } }
    let hits = answers.count { $0.answer == .holds(true) }
    notes[faults > 0 ? "with faults" : hits == 0 ? "true of none" : hits == answers.count ? "true of all" : "true of some", default: 0] += 1
    return nil
  }

  /// Row by row: the program beside the interpreter.
  private mutating func rows(_ term: Term, _ answers: inout [(row: RowID, answer: Answer)]) throws -> String? {
    let program = try Program(condition: term, ground, entity)
    if program.escapes == 0 { notes["compiled whole", default: 0] += 1 }
    var interpreter = Interpreter(ground, entity)
    let table = try ground.table(entity)
    var cursor = try table.cursor()
    while try cursor.next() {
      let row = try cursor.row()
      let plain = try Answer { try interpreter.test(term, row.id) }
      let quick = try Answer { try program.test(row) }
      answers.append((row.id, plain))
      if plain != quick { return "of row \(row.id.number) the interpreter says \(plain), the program \(quick)" }
    }
    return nil
  }
}
