internal import RoostFile
internal import RoostRecords

/// The plan that a question found, kept to run again with other constants.
///
/// Planning takes longer than finding a few rows: it asks each index, compares choices and compiles
/// a program. A route keeps the choice of the index and of the tests. Only the range of the index
/// and the program's constants are made anew.
///
/// The question is planned again if that is not enough: for nil, for NaN, for texts that an index
/// truncates, and if the range is much longer than the one for which the index was chosen.
///
/// A route belongs to the ground on which its plan was made.
final class Route {
  private let plan: Plan
  /// Nil if all rows are read, because no index helps.
  private let index: IndexReader?
  private let steps: [RouteStep]
  /// The route to the referenced rows, if the access goes over a reference.
  private let inner: (passing: Passing, route: Route)?
  private let kinds: [Kind]
  private let isSingle: Bool
  /// With more entries another access may be better.
  private let mostEntries: Int

  private static let fewEntries = 64

  /// Nil if other constants may need more than another range.
  ///
  /// - Parameters:
  ///   - question: the question to make the route for.
  ///   - kinds: the kinds of all constants; the question may use only some.
  ///   - values: the constants.
  ///   - conjunction: the parts of the condition with these constants.
  ///   - choice: the choice of the planner.
  ///   - isOnly: whether there was no other choice.
  ///   - planner: plans the inner query of a path over a reference.
  init?(
    _ question: Question, _ kinds: [Kind], values: [Value], conjunction: Conjunction, choice: Choice,
    isOnly: Bool, planner: Planner
  ) throws {
    guard question.order.isEmpty, let condition = question.condition, kinds.count == values.count,
      RouteStep.arePlain(values, kinds)
    else { return nil }
    let ground = planner.ground
    let parts = Conjunction.flat(condition)
    guard parts.count == conjunction.parts.count else { return nil }
    let covered = choice.candidate.covered
    let table = try ground.table(question.entity)
    var used = PartSet()
    switch choice.candidate.access {
    // If an index could help with other constants, the question is planned each time, unless there
    // are few rows.
    case .all
    where isOnly && !condition.isUnsure && values.allSatisfy(RouteStep.isOrderly) || table.count <= Self.fewEntries:
      (index, steps, inner, isSingle) = (nil, [], nil, false)
    case .through(let passing):
      guard let found = try planner.innerRoute(passing, parts, conjunction: conjunction, kinds: kinds, values: values)
      else { return nil }
      (index, steps, inner, isSingle) = (nil, [], (passing, found.route), false)
      used = found.used
    case .single(_, let index) where !index.isPartial:
      guard let steps = RouteStep.steps(index, table, parts: parts, conjunction: conjunction, used: &used),
        steps.count == index.index.parts.count, steps.allSatisfy({ $0.comparison == .equal })
      else { return nil }
      (self.index, self.steps, inner, isSingle) = (index, steps, nil, true)
    case .index(let use) where use.ranges.count == 1:
      guard let implied = Self.implied(use.index, table, parts: parts),
        let steps = RouteStep.steps(use.index, table, parts: parts, conjunction: conjunction, used: &used),
        RouteStep.range(steps, use.index, values: values) == use.ranges[0]
      else { return nil }
      used.formUnion(implied)
      (index, self.steps, inner, isSingle) = (use.index, steps, nil, false)
    default: return nil
    }
    let left = parts.indices.filter { !covered.contains($0) }.map { parts[$0] }
    guard covered.isSubset(of: used), left.allSatisfy(\.isRebindable) else { return nil }
    let residual = left.isEmpty ? nil : Term(.and(left.map(\.expression)), .bool, operands: .many(left))
    self.kinds = kinds
    mostEntries = max(Self.fewEntries, choice.candidate.count.multipliedReportingOverflow(by: 4).partialValue)
    plan = try Plan(
      Query(question.name), table, ground: ground, choice: choice, residual: residual, isLenient: planner.isInner)
  }

  /// The parts of a condition that express the tests of a partial index, if they imply these with
  /// all constants; otherwise nil.
  private static func implied(_ index: IndexReader, _ table: TableReader, parts: Operands) -> PartSet? {
    if !index.isPartial { return PartSet() }
    let numbers = parts.indices.filter { !parts[$0].isOpen }
    if numbers.isEmpty { return nil }
    let closed = numbers.map { parts[$0] }
    let conjunction = Conjunction(Term(.and(closed.map(\.expression)), .bool, operands: .many(closed)))
    guard let implied = Implication(index.index, table.entity, conjunction: conjunction) else { return nil }
    var found = PartSet()
    for (place, number) in numbers.enumerated() where implied.answered.contains(place) { found.insert(number) }
    return found
  }

  /// The plan with these constants; nil if it must be made anew. It must run before the next one is
  /// requested.
  func plan(_ values: [Value], offset: Int, limit: Int?) throws -> Plan? {
    guard !plan.isRunning, values.count == kinds.count, RouteStep.arePlain(values, kinds) else { return nil }
    if let index {
      guard let range = RouteStep.range(steps, index, values: values) else { return nil }
      if isSingle {
        let row = try range.low.withBytes { (key) throws(StoreError) in try index.row(key) }
        plan.go(by: .single(row, index), row == nil ? 0 : 1)
      } else {
        let count = try range.count(in: index)
        if count > mostEntries { return nil }
        plan.go(by: .index(IndexAccess(index: index, ranges: [range], fixedParts: 0)), count)
      }
    }
    if let (passing, route) = inner {
      guard let inner = try route.plan(values, offset: 0, limit: nil) else { return nil }
      plan.go(by: .through(Passing(index: passing.index, field: passing.field, inner: inner)), nil)
    }
    plan.ask(values, offset: max(0, offset), limit: limit.map { max(0, $0) })
    return plan
  }
}

/// The constraint of a question on one part of an index.
struct RouteStep {
  enum Source {
    case parameter(Int)
    case constant(Value)
  }

  let comparison: Expression.Comparison
  private let source: Source
  private let field: KeyField
  private let isDescending: Bool

  /// The constraints on the first parts of an index: one value for each, and for the last perhaps a
  /// comparison.
  static func steps(
    _ index: IndexReader, _ table: TableReader, parts: Operands, conjunction: Conjunction, used: inout PartSet
  ) -> [RouteStep]? {
    var steps: [RouteStep] = []
    for part in index.index.parts {
      guard let constraint = conjunction.constraint(on: part.field, part.form) else { break }
      // The field may have no other constraint, whatever the constants are.
      guard let number = parts.indices.first(where: { constraint.conjuncts == PartSet($0) }),
        case .compare(let comparison, _, _) = parts[number].expression,
        let step = RouteStep(comparison, parts[number].operands, part: part, field: constraint.path.field)
      else { return nil }
      steps.append(step)
      used.insert(number)
      if step.comparison != .equal { break }
    }
    return steps.isEmpty ? nil : steps
  }

  private init?(_ comparison: Expression.Comparison, _ parts: Operands, part: Index.Part, field: KeyField) {
    func isField(_ term: Term) -> Bool {
      switch (part.form, term.expression) {
      case (.value, .field(.variable(0), part.field)),
        (.lowercased, .changed(.lowercased, .field(.variable(0), part.field))),
        (.uppercased, .changed(.uppercased, .field(.variable(0), part.field))),
        (.folded, .changed(.folded, .field(.variable(0), part.field))),
        (.count, .count(.field(.variable(0), part.field))):
        true
      case (let form, .datePart(let known, .field(.variable(0), part.field))): form == Index.Form(known)
      default: false
      }
    }
    func source(_ term: Term) -> Source? {
      if case .parameter(let number, _) = term.expression { return .parameter(number) }
      return term.constant.map { .constant($0) }
    }
    if isField(parts[0]), let source = source(parts[1]) {
      (self.comparison, self.source) = (comparison, source)
    } else if isField(parts[1]), let source = source(parts[0]) {
      (self.comparison, self.source) = (comparison.mirrored, source)
    } else {
      return nil
    }
    if self.comparison == .notEqual { return nil }
    self.field = field
    isDescending = part.isDescending
  }

  /// The range of the index; nil if these constants need something other than one range with
  /// exactly the wanted rows.
  static func range(_ steps: [RouteStep], _ index: IndexReader, values: [Value]) -> KeyRange? {
    var prefix = KeyBytes()
    for step in steps {
      let value =
        switch step.source {
        case .parameter(let number): values[number]
        case .constant(let value): value
        }
      guard !value.isNull, !ValueOrder.isUnordered(value),
        let bound = PartBound(step.comparison, value, field: step.field),
        !bound.isCut(behind: index.index.textBytes, step.field)
      else { return nil }
      guard bound.isPoint else {
        return bound.range(behind: prefix, isDescending: step.isDescending) ?? KeyRange(prefix, prefix)
      }
      prefix = prefix + bound.point(isDescending: step.isDescending)
    }
    return KeyRange(prefix: prefix)
  }

  /// Whether every constant of this kind would use the index alike. NaN lies in no range, and a
  /// collection may have too many values.
  static func isOrderly(_ value: Value) -> Bool {
    switch value {
    case .array(let values): values.count <= IndexMatch.mostRanges && values.allSatisfy(isOrderly)
    case .set(let values): values.count <= IndexMatch.mostRanges && values.allSatisfy(isOrderly)
    default: !ValueOrder.isUnordered(value)
    }
  }

  /// Whether the constants have their kinds and contain no nil. A comparison with nil also finds
  /// rows whose reference is nil.
  static func arePlain(_ values: [Value], _ kinds: [Kind]) -> Bool {
    for place in kinds.indices where hasNil(values[place]) || !kinds[place].holds(values[place]) { return false }
    return true
  }

  private static func hasNil(_ value: Value) -> Bool {
    switch value {
    case .array(let values): values.contains(where: \.isNull)
    case .set(let values): values.contains(.null)
    default: value.isNull
    }
  }
}

extension Term {
  /// Whether the constraint of some part of it depends on the value of a parameter.
  fileprivate var isUnsure: Bool {
    if !isOpen { return false }
    if case .compare = expression {
      return operands.contains { if case .coalesce = $0.expression { true } else { false } }
    }
    return operands.contains(where: \.isUnsure)
  }

  /// Whether a program of it can replace its constants. Each must be in a register or list of the
  /// program, must not change the code, and must not appear in an error.
  var isRebindable: Bool {
    if !isOpen { return true }
    func isPlaced(_ term: Term) -> Bool {
      if case .parameter = term.expression { true } else { !term.isOpen }
    }
    switch expression {
    case .not, .and, .or: return operands.allSatisfy(\.isRebindable)
    case .compare: return operands.allSatisfy { isPlaced($0) && CellCoding($0.kind) != nil }
    case .text: return isPlaced(operands[1]) && !operands[0].isOpen
    case .contains:
      guard case .parameter(_, let kind) = operands[0].expression, let element = kind.element else { return false }
      return !operands[1].isOpen && CellOrder(element) != nil && CellCoding(operands[1].kind) != nil
    default: return false
    }
  }
}

extension Planner {
  /// The route to the rows that a reference refers to, and the parts of the condition that are
  /// tested there.
  fileprivate func innerRoute(
    _ passing: Passing, _ parts: Operands, conjunction: Conjunction, kinds: [Kind], values: [Value]
  ) throws -> (route: Route, used: PartSet)? {
    var moved: [Expression] = []
    var used = PartSet()
    for number in parts.indices {
      let isAsked = conjunction.constraints.contains {
        !$0.path.isOwn && $0.path.first == passing.field.id && $0.conjuncts.contains(number)
      }
      guard isAsked, let inner = parts[number].expression.moved(over: passing.field.id) else { continue }
      moved.append(inner)
      used.insert(number)
    }
    let query = Query(passing.inner.entity.name, where: .and(moved))
    guard !moved.isEmpty, let question = try? Question(query, ground),
      let route = try deeper.route(question, kinds, values: values)
    else { return nil }
    return (route, used)
  }
}
