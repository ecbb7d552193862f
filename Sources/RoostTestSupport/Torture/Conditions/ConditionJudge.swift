internal import RoostFile
internal import RoostQuery
internal import RoostRecords

/// Checks that every way to answer a query has the same result as the plain interpreter.
struct ConditionJudge {
  let ground: Ground
  /// A mistake that the plans make on purpose, to test that this judge finds it.
  private let misreading: Misreading?
  /// The kinds of answers, for the report.
  var notes: [String: Int] = [:]

  init(_ ground: Ground, _ misreading: Misreading? = nil) {
    self.ground = ground
    self.misreading = misreading
  }

  /// The result of a condition for one row.
  enum Answer: Equatable {
    case holds(Bool)
    case fault(ConditionFault.Code)

    init(_ body: () throws -> Bool) throws {
      do { self = .holds(try body()) } catch let fault as ConditionFault { self = .fault(fault.code) }
    }

    var isAnswered: Bool { if case .holds = self { true } else { false } }
  }

  /// Returns the first difference as a sentence; nil if there is none. Throws if the checker
  /// refuses the query.
  mutating func complaint(_ query: Query) throws -> String? {
    let entity = try ground.entity(query.entity).id
    let condition = query.condition ?? .constant(.bool(true), .bool)
    let term = try Checker.condition(condition, ground.catalog, entity: entity)
    var haphazard = Haphazard(term)
    for order in query.order {
      var checker = Checker(ground.catalog, entity)
      haphazard.formUnion(Haphazard(try checker.term(order.key)))
    }
    do {
      var answers: [(row: RowID, answer: Answer)] = []
      let complaint = try programs(term, entity, answers: &answers)
      let seen = complaint?.contains("fault") == true || answers.contains { !$0.answer.isAnswered }
      if haphazard.contains(.answers) || haphazard.contains(.faults) && seen {
        note("left to the order of a set")
        return nil
      }
      if let complaint { return complaint }
      let hits = answers.filter { $0.answer == .holds(true) }.map(\.row)
      let hasFaults = seen || haphazard.contains(.faults)
      note(
        hasFaults
          ? "with faults" : hits.isEmpty ? "true of none" : hits.count == answers.count ? "true of all" : "true of some"
      )
      return try plans(query, try SortedRows(hits, query, ground: ground), hasFaults: hasFaults)
    } catch let error as StoreError {
      return "\(error) where no file is damaged"
    } catch let fault as ConditionFault {
      return "what the checker lets pass is refused: \(fault)"
    }
  }

  mutating func note(_ name: String) { notes[name, default: 0] += 1 }

  /// Compares the program with the interpreter, row by row.
  private mutating func programs(
    _ term: Term, _ entity: EntityID, answers: inout [(row: RowID, answer: Answer)]
  ) throws -> String? {
    let program = try Program(condition: term, ground, entity)
    if program.escapes == 0 { note("compiled whole") }
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

  // MARK: Plans

  /// Compares the chosen plan and every other one with the rows that the interpreter found.
  private mutating func plans(_ query: Query, _ wanted: SortedRows, hasFaults: Bool) throws -> String? {
    let planner = Planner(ground)
    let query = misreading?.misread(query) ?? query
    if let complaint = try judge(planner.plan(query), query, wanted: wanted, hasFaults: hasFaults) { return complaint }
    for plan in try planner.plans(query) {
      if let complaint = try judge(plan, query, wanted: wanted, hasFaults: hasFaults) { return complaint }
    }
    return nil
  }

  private mutating func judge(
    _ plan: Plan, _ query: Query, wanted: SortedRows, hasFaults: Bool
  ) throws -> String? {
    let way = plan.explanation.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "; ")
    for word in Self.ways where way.contains(word.key) { note("plans by \(word.value)") }
    // If the condition fails for some row, a plan may throw, or may not have evaluated that row.
    do {
      let rows = try plan.rows()
      if let complaint = wanted.complaint(rows) { return "\(complaint) by the plan <\(way)>" }
    } catch let fault as ConditionFault {
      guard hasFaults || wanted.hasFaults else { return "\(fault) by the plan <\(way)>" }
    }
    do {
      let count = try plan.count()
      if count != wanted.count { return "\(count) are counted instead of \(wanted.count) by the plan <\(way)>" }
    } catch let fault as ConditionFault {
      guard hasFaults else { return "\(fault) in counting by the plan <\(way)>" }
    }
    return nil
  }

  private static let ways = [
    "; index ": "index", "any of": "any of", "all of": "all of", "for each row of": "reference",
    "rows by number": "number",
    "as they come": "order of an index", "along the rows of": "order over a reference",
  ]
}

/// How a term depends on the order of the elements of a set. As in Swift, that order differs in
/// each run.
private struct Haphazard: OptionSet {
  let rawValue: Int

  /// The order decides whether an element that fails is evaluated.
  static let faults = Haphazard(rawValue: 1)
  /// The order decides which element is the least, because some are NaN.
  static let answers = Haphazard(rawValue: 2)

  init(rawValue: Int) { self.rawValue = rawValue }

  init(_ term: Term) {
    self = []
    for operand in term.operands { formUnion(Haphazard(operand)) }
    guard let first = term.operands.first, case .set(let element) = first.kind else { return }
    switch term.expression {
    case .quantified, .filter: insert(.faults)
    case .aggregate:
      insert(.faults)
      // The rounding of a sum depends on the order too.
      if term.kind.whole.isFloating || term.kind.whole == .date { insert(.answers) }
    case .minimum, .maximum: if element.isFloating || element == .date { insert(.answers) }
    default: break
    }
  }
}
