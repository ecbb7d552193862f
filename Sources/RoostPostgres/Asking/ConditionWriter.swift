#if Postgres
  internal import Roost
  internal import RoostGraph
  internal import RoostQuery
  internal import RoostRecords

  /// Writes a condition of the query engine as SQL. Values are parameters, and names are those of
  /// ``TableMap``.
  ///
  /// A part is written *exactly*, or with *doubts*: conditions for the rows that the server may
  /// judge wrongly. The server returns those rows in any case, and the program tests them. A part
  /// that SQL cannot express is left out, except for the operands of `&&` and `||` that SQL can
  /// express.
  ///
  /// ## Invariants
  /// 1. A row for which the condition is true, or raises an error, is in the answer.
  /// 2. If ``isExact``, no other row is in the answer.
  final class ConditionWriter {
    let store: PostgresStore
    let question: StoreQuestion
    private(set) var rows: RowQuestion
    /// The row or value of each variable.
    var bindings: [Int: Bound]
    /// Whether the written conditions are equivalent to the whole condition.
    private(set) var isExact = true
    /// Whether they are equivalent for rows where none of ``doubts`` is true.
    private(set) var isExactWithoutDoubts = true
    private(set) var doubts: [String] = []
    /// Each part of the condition, with the side that tests it.
    private(set) var parts: [(part: RoostQuery.Expression, tester: Tester)] = []
    private var aliases = 0

    enum Tester: String {
      case server = "the server tests"
      case both = "the server tests, and the program tests rows in doubt"
      case partly = "the server tests a part, and the program all, of"
      case program = "the program tests"
    }

    enum Bound {
      case row(RowText)
      case value(Written)
    }

    /// The program tests longer parts: a text that is used twice doubles its length with each
    /// level.
    private static let mostBytes = 50_000
    /// The server takes 65,535 parameters.
    private static let mostParameters = 60_000
    private static let mostStatementBytes = 1_000_000

    init(_ store: PostgresStore, _ question: StoreQuestion, rows: RowQuestion) {
      self.store = store
      self.question = question
      self.rows = rows
      bindings = [0: .row(RowText(rows.table, alias: "t"))]
    }

    func add(_ parameter: Statement.Parameter) -> String { rows.add(parameter) }

    func newAlias() -> String {
      aliases += 1
      return "q\(aliases)"
    }

    /// Adds the condition to the query for rows.
    func write(_ condition: RoostQuery.Expression) {
      guard let term = try? Checker.condition(condition, question.catalog, entity: question.map.entity.id) else {
        return leaveOut(condition)
      }
      rows.conditions += conjuncts(of: term, isOutermost: true).map { test in
        store.isDistributed && !test.contains("t.") ? SQLText.opaque(test, of: "t") : test
      }
      if !store.zones.isOne, let zones = zones(of: term), !zones.isEmpty { rows.zones = zones.sorted() }
      let length = rows.conditions.reduce(0) { $0 + $1.utf8.count }
      guard rows.parameters.count > Self.mostParameters || length > Self.mostStatementBytes else { return }
      (rows.parameters, rows.conditions) = ([], [])
      leaveOut(condition)
    }

    private func leaveOut(_ condition: RoostQuery.Expression) {
      (isExact, isExactWithoutDoubts, doubts, parts) = (false, false, [], [(condition, .program)])
    }

    // MARK: Conditions that are true for more rows

    private static func parts(_ term: Term) -> [Term] {
      if case .and = term.expression { Array(term.operands) } else { [term] }
    }

    /// The operands of `&&` that SQL can express. A row for which an earlier operand raises an
    /// error passes the later ones.
    private func conjuncts(of term: Term, isOutermost: Bool = false) -> [String] {
      var all: [String] = []
      var faults: [String] = []
      let parts = Self.parts(term)
      for (place, part) in parts.enumerated() {
        if let written = attempt({ condition(part) }) {
          all.append(SQLText.any([written.wider] + faults))
          faults += written.doubts.filter(\.isFault).map(\.text)
          if isOutermost { note(part, written.doubts) }
          continue
        }
        let some = attempt { self.wider(part) }
        if let some { all.append(SQLText.any([some] + faults)) }
        if isOutermost { note(part, nil, isPartial: some != nil) }
        // SQL cannot tell for which rows this part raises an error.
        if !Self.isSound(part) {
          if isOutermost { for later in parts[(place + 1)...] { note(later, nil) } }
          break
        }
      }
      return all
    }

    private func note(_ part: Term, _ found: [Doubt]?, isPartial: Bool = false) {
      if found?.isEmpty != true { isExact = false }
      if let found { doubts += found.map(\.text) } else { isExactWithoutDoubts = false }
      parts.append((part.expression, found.map { $0.isEmpty ? .server : .both } ?? (isPartial ? .partly : .program)))
    }

    private func wider(_ term: Term) -> String? {
      switch term.expression {
      case .and:
        let all = conjuncts(of: term)
        return all.isEmpty ? nil : SQLText.all(all)
      case .or:
        var all: [String] = []
        for part in term.operands {
          guard let found = attempt({ condition(part) })?.wider ?? attempt({ wider(part) }) else { return nil }
          all.append(found)
        }
        return SQLText.any(all)
      default: return nil
      }
    }

    /// Removes the parameters that a failed attempt added.
    private func attempt<Found>(_ body: () -> Found?) -> Found? {
      // Not a copy of `rows`: each added parameter would then copy all others.
      let (count, known) = (rows.parameters.count, bindings)
      if let found = body() { return found }
      rows.parameters.removeSubrange(count...)
      bindings = known
      return nil
    }

    // MARK: Exact conditions

    /// A condition that is never NULL; nil if SQL cannot express it.
    func condition(_ term: Term) -> Written? {
      guard let written = value(term), !written.isOptional else { return nil }
      return written
    }

    /// A value of a type that SQL has; nil if SQL cannot compute the same value.
    func value(_ term: Term) -> Written? {
      guard let written = writtenValue(term), written.byteCount <= Self.mostBytes else { return nil }
      return written
    }

    private func writtenValue(_ term: Term) -> Written? {
      let parts = term.operands
      switch term.expression {
      case .constant(let value, let kind): return constant(value, kind)
      case .variable(let number):
        guard case .value(let written)? = bindings[number] else { return nil }
        return written
      case .field: return field(term)
      case .not: return negation(parts[0])
      case .and: return joined(parts, isAll: true)
      case .or: return joined(parts, isAll: false)
      case .compare(let comparison, _, _): return comparing(comparison, parts[0], two: parts[1])
      case .within(_, _, let isClosed, _): return within(parts, isClosed: isClosed)
      case .conditional: return choice(parts)
      case .coalesce: return coalesced(parts[0], parts[1])
      case .unwrap: return unwrapped(parts[0])
      case .ifLet(let variable, _, _, _): return bound(variable, parts)
      case .arithmetic(let operation, _, _): return arithmetic(operation, parts, kind: term.kind)
      case .negate: return negated(parts[0])
      case .text(let test, _, _): return textTest(test, parts[0], two: parts[1])
      case .contains: return contains(parts[0], parts[1])
      case .textOrder(let order, _, _): return textOrder(order, parts[0], two: parts[1])
      case .changed(let change, _): return changed(change, parts[0])
      case .count where parts[0].kind == .string: return countOfText(parts[0])
      case .count: return rows(parts[0]).map { Written($0.count, doubts: $0.doubts) }
      case .isEmpty: return isEmpty(parts[0])
      case .quantified(let quantifier, let variable, _, _):
        return quantified(quantifier, variable, list: parts[0], body: parts[1])
      case .aggregate(let aggregation, let variable, _, _):
        return aggregate(aggregation, variable, list: parts[0], value: parts[1])
      case .parameter, .part, .many, .datePart, .matches, .first, .last, .minimum, .maximum, .element, .lookup, .filter,
        .search, .rank:
        return nil
      }
    }

    private func negation(_ term: Term) -> Written? {
      condition(term).map { Written("(NOT \($0.text))", doubts: $0.doubts) }
    }

    private func joined(_ parts: Operands, isAll: Bool) -> Written? {
      if parts.isEmpty { return Written("\(isAll)") }
      var (texts, doubts): ([String], [Doubt]) = ([], [])
      for part in parts {
        guard let written = condition(part) else { return nil }
        texts.append(written.text)
        doubts += written.doubts
      }
      return Written(isAll ? SQLText.all(texts) : SQLText.any(texts), doubts: doubts)
    }

    // MARK: Faults

    /// Whether the engine computes a term for every row without an error.
    ///
    /// `Expression.isFaultless` is true for fewer terms. A reference in this database always has
    /// its row.
    static func isSound(_ term: Term) -> Bool {
      switch term.expression {
      case .unwrap, .element: return false
      // A sum of whole numbers may be too large.
      case .arithmetic, .negate, .aggregate(.sum, _, _, _):
        return term.kind.isFloating && term.operands.allSatisfy(isSound)
      case .within:
        guard let low = term.operands[0].constant, let high = term.operands[1].constant else { return false }
        return ValueOrder.holds(.lessOrEqual, low, other: high) && isSound(term.operands[2])
      default: return term.operands.allSatisfy(isSound)
      }
    }
  }
#endif
