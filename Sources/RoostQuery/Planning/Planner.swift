package import RoostRecords

/// Chooses how to find a query's rows. It counts index entries before it decides.
package struct Planner {
  let ground: Ground
  /// The depth of nested plans over references, which has a limit so that planning ends.
  private let depth: Int
  private let routes: Routes?

  /// `routes` are the routes of this ground's questions.
  package init(_ ground: Ground, _ routes: Routes? = nil) { self.init(ground, depth: 0, routes) }

  private init(_ ground: Ground, depth: Int, _ routes: Routes?) {
    self.ground = ground
    self.depth = depth
    self.routes = routes
  }

  private static let deepest = 4
  /// A planner for a plan that is part of another.
  var deeper: Planner { Planner(ground, depth: depth + 1, nil) }

  package func plan(_ query: Query) throws -> Plan { try plan(check(query)) }

  /// A plan for a question with these constants; nil if the question does not fit this ground or
  /// its constants do not fit.
  package func plan(_ question: Question, _ values: [Value], offset: Int, limit: Int?) throws -> Plan? {
    if let kept = try routes?.route(question)?.plan(values, offset: offset, limit: limit) { return kept }
    guard let asked = try asked(question, values, offset: offset, limit: limit) else { return nil }
    let (choice, isOnly) = try choice(asked)
    try note(question, values, asked: asked, choice: choice, isOnly: isOnly)
    return try asked.plan(choice, ground)
  }

  private func plan(_ asked: Asked) throws -> Plan { try asked.plan(choice(asked).choice, ground) }

  /// The best choice, and whether it was the only one.
  private func choice(_ asked: Asked) throws -> (choice: Choice, isOnly: Bool) {
    if let only = try single(asked) { return (only, false) }
    let choices = try choices(asked)
    var best = choices[0]
    for choice in choices where choice.cost < best.cost { best = choice }
    // With other constants a trigram index might help, or the condition might imply that of a
    // partial index.
    let isOnly = choices.count == 1 && asked.table.texts.isEmpty && !asked.mayMeetPartial
    return (best, isOnly)
  }

  private func note(
    _ question: Question, _ values: [Value], asked: Asked, choice: Choice, isOnly: Bool
  ) throws {
    try routes?.note(question) {
      try Route(
        question, question.kinds, values: values, conjunction: asked.conjunction, choice: choice, isOnly: isOnly,
        planner: self)
    }
  }

  var isInner: Bool { depth > 0 }

  /// The route of a question that is part of another one.
  func route(_ question: Question, _ kinds: [Kind], values: [Value]) throws -> Route? {
    guard let asked = try asked(question, values, offset: 0, limit: nil) else { return nil }
    let (choice, isOnly) = try choice(asked)
    return try Route(
      question, kinds, values: values, conjunction: asked.conjunction, choice: choice, isOnly: isOnly, planner: self)
  }

  /// The number of rows that the query finds. If one index knows it, nothing else is read.
  package func count(_ query: Query) throws -> Int { try count(check(query)) }

  /// The number of rows that a question finds with these constants; nil if the question does not
  /// fit this ground or its constants do not fit.
  package func count(_ question: Question, _ values: [Value]) throws -> Int? {
    if let rows = try uniqueRows(question, values) { return rows.count }
    if let kept = try routes?.route(question)?.plan(values, offset: 0, limit: nil) { return try kept.count() }
    guard let asked = try asked(question, values, offset: 0, limit: nil) else { return nil }
    guard let routes, routes.isWorthwhile(question) else { return try count(asked) }
    let (choice, isOnly) = try choice(asked)
    try note(question, values, asked: asked, choice: choice, isOnly: isOnly)
    return try asked.plan(choice, ground).count()
  }

  private func count(_ asked: Asked) throws -> Int {
    if !asked.conjunction.parts.isEmpty, !asked.conjunction.isImpossible {
      for index in asked.table.indexes where index.isWhole {
        var found: Int?
        try IndexMatch.forEach(index, asked.table, conjunction: asked.conjunction) { match in
          if found == nil, match.covered.count == asked.conjunction.parts.count { found = try match.count() }
        }
        if let found { return max(0, min(found - asked.offset, asked.limit ?? .max)) }
      }
      if asked.conjunction.parts.count == 1, asked.conjunction.parts[0].isOwnSearch {
        let count = try ground.answer(asked.conjunction.parts[0]).count()
        return max(0, min(count - asked.offset, asked.limit ?? .max))
      }
    }
    return try plan(asked).count()
  }

  /// All candidate plans, including expensive ones. Tests check that they return the same rows.
  package func plans(_ query: Query) throws -> [Plan] {
    let asked = try check(query)
    return try choices(asked).map { try asked.plan($0, ground) }
  }

  /// Returns one unsorted plan for each candidate that `candidates` returns.
  func plans(_ query: Query, by candidates: (TableReader, Conjunction) throws -> [Candidate]) throws -> [Plan] {
    let asked = try check(query)
    if asked.conjunction.isImpossible { return [] }
    return try candidates(asked.table, asked.conjunction).map { candidate in
      let choice = try Choice(
        candidate, asked.conjunction, offset: 0, limit: nil, order: [], table: asked.table, ground: ground)
      return try asked.plan(choice, ground)
    }
  }

  /// A query that was checked against the catalog.
  private struct Asked {
    let query: Query
    let table: TableReader
    let order: [SortTerm]
    let conjunction: Conjunction
    /// Whether it is part of another plan.
    let isInner: Bool
    // A negative number counts as none.
    let offset: Int
    let limit: Int?

    /// Whether the condition tests a field that the condition of a partial index tests.
    var mayMeetPartial: Bool {
      table.indexes.contains { index in
        index.isPartial && index.isWhole
          && index.index.tests.contains { test in test.fields.contains { conjunction.place(of: $0) != nil } }
      }
    }

    func plan(_ choice: Choice, _ ground: Ground) throws -> Plan {
      var query = query
      query.offset = offset
      query.limit = limit
      var choice = choice
      if let after = query.after { choice.seek(after, order, entity: table.entity, conjunction: conjunction) }
      return try Plan(
        query, table, ground: ground, order: order, conjunction: conjunction, choice: choice, isLenient: isInner)
    }
  }

  private func check(_ query: Query) throws -> Asked {
    let table = try ground.table(query.entity)
    let condition = try query.condition.map { (condition) throws(ConditionFault) in
      var checker = Checker(ground, table.id)
      return try checker.condition(condition)
    }
    let order = try query.order.map { (order) throws(ConditionFault) in
      var checker = Checker(ground, table.id)
      return try checker.key(order)
    }
    return Asked(
      query: query, table: table, order: order, conjunction: Conjunction(condition), isInner: isInner,
      offset: max(0, query.offset), limit: query.limit.map { max(0, $0) })
  }

  private func asked(_ question: Question, _ values: [Value], offset: Int, limit: Int?) throws -> Asked? {
    guard question.isFor(ground) else { return nil }
    var condition: Term?
    if let open = question.condition {
      guard let bound = open.bound(values) else { return nil }
      condition = bound
    }
    return Asked(
      query: Query(question.name), table: try ground.table(question.entity), order: question.order,
      conjunction: Conjunction(condition), isInner: isInner, offset: max(0, offset), limit: limit.map { max(0, $0) })
  }

  /// The at most one row that a unique index knows. No other access is cheaper.
  private func single(_ asked: Asked) throws -> Choice? {
    if asked.isInner || asked.conjunction.constraints.isEmpty || asked.conjunction.isImpossible { return nil }
    for index in asked.table.indexes where index.isWhole && index.index.isUnique && !index.isPartial {
      if let match = IndexMatch(index, asked.table, conjunction: asked.conjunction), let candidate = try match.single()
      {
        return Choice(single: candidate)
      }
    }
    return nil
  }

  private func choices(_ asked: Asked) throws -> [Choice] {
    let table = asked.table
    var choices = try candidates(table, asked.conjunction).map {
      try Choice(
        $0, asked.conjunction, offset: asked.offset, limit: asked.limit, order: asked.order, table: table,
        ground: ground)
    }
    // Reads a whole index only for its order.
    for index in table.indexes
    where !asked.order.isEmpty && index.isWhole && !index.isPartial && !index.hasElements {
      let access = IndexAccess(index: index, ranges: [KeyRange()], fixedParts: 0)
      let candidate = Candidate(
        access: .index(access), count: index.count, isCountExact: true, cost: Double(index.count) * Cost.entry,
        covered: PartSet())
      let choice = try Choice(
        candidate, asked.conjunction, offset: asked.offset, limit: asked.limit, order: asked.order, table: table,
        ground: ground)
      if choice.direction != nil { choices.append(choice) }
    }
    if depth < Self.deepest, !asked.conjunction.isImpossible, let following = try following(asked.order, table) {
      choices.append(
        try Choice(
          following, asked.conjunction, offset: asked.offset, limit: asked.limit, order: asked.order, table: table,
          ground: ground))
    }
    if let ranking = try ranking(asked.conjunction, asked.order) {
      choices.append(
        try Choice(
          ranking, asked.conjunction, offset: asked.offset, limit: asked.limit, order: asked.order, table: table,
          ground: ground))
    }
    return try choices + filtered(choices, asked)
  }

  /// Reads in the query's order, but only the rows that another index finds.
  private func filtered(_ choices: [Choice], _ asked: Asked) throws -> [Choice] {
    if asked.order.isEmpty { return [] }
    var found: [Choice] = []
    for base in choices where base.direction != nil {
      guard case .index = base.candidate.access else { continue }
      for filter in choices {
        guard let use = filter.candidate.access.filter, filter.candidate.count < asked.table.count,
          !filter.candidate.covered.isSubset(of: base.candidate.covered)
        else { continue }
        let before = Double(filter.candidate.count) * Cost.entry
        let candidate = Candidate(
          access: .filtered(base.candidate, by: use), count: base.candidate.count, isCountExact: false,
          cost: base.candidate.cost + before, covered: base.candidate.covered.union(filter.candidate.covered),
          fixedCost: before, readShare: Double(filter.candidate.count) / Double(max(1, asked.table.count)))
        found.append(
          try Choice(
            candidate, asked.conjunction, offset: asked.offset, limit: asked.limit, order: asked.order,
            table: asked.table, ground: ground))
      }
    }
    return found
  }

  /// All useful accesses. One that reads all rows is always among them.
  private func candidates(_ table: TableReader, _ conjunction: Conjunction) throws -> [Candidate] {
    if conjunction.isImpossible {
      return [
        Candidate(
          access: .nothing, count: 0, isCountExact: true, cost: 0,
          covered: PartSet(first: conjunction.parts.count))
      ]
    }
    var found = try narrowing(table, conjunction)
    if let both = Self.both(found, table.count) { found.append(both) }
    found.append(
      Candidate(
        access: .all, count: table.count, isCountExact: true, cost: Double(table.count) * Cost.nextRow,
        covered: PartSet()))
    return found
  }

  /// All accesses that leave some rows out.
  private func narrowing(_ table: TableReader, _ conjunction: Conjunction) throws -> [Candidate] {
    var found: [Candidate] = []
    for index in table.indexes where index.isWhole {
      try IndexMatch.forEach(index, table, conjunction: conjunction) { found.append(try $0.candidate()) }
    }
    for (number, part) in conjunction.parts.enumerated() {
      if let rows = Self.rows(part) {
        found.append(
          Candidate(
            access: .rows(rows), count: rows.count, isCountExact: false, cost: 0, covered: PartSet(number)))
      }
      if case .or = part.expression, let either = try either(part, number, table: table) { found.append(either) }
    }
    found += try searching(conjunction)
    if !table.texts.isEmpty { found += try substrings(table, conjunction) }
    if depth < Self.deepest { found += try passing(table, conjunction) }
    return found
  }

  /// The rows that a part of the condition names directly.
  private static func rows(_ part: Term) -> [RowID]? {
    func row(_ value: Value?) -> RowID? { if case .reference(let row) = value { row } else { nil } }
    switch part.expression {
    case .compare(.equal, _, _):
      let parts = part.operands
      guard let other = parts[0].isRow ? parts[1] : parts[1].isRow ? parts[0] : nil, let value = other.constant else {
        return nil
      }
      return value.isNull ? [] : row(value).map { [$0] }
    case .contains where part.operands[1].isRow:
      switch part.operands[0].constant {
      case .array(let values): return Set(values.compactMap(row)).sorted()
      case .set(let values): return values.compactMap(row).sorted()
      default: return nil
      }
    default: return nil
    }
  }

  /// `||`: each branch must narrow the rows by itself.
  private func either(_ part: Term, _ number: Int, table: TableReader) throws -> Candidate? {
    guard (2...64).contains(part.operands.count) else { return nil }
    var branches: [Candidate] = []
    // A row that one branch finds may cause an error in another branch, and must then be tested.
    var isCovered = part.expression.isFaultless
    for branch in part.operands {
      let inner = Conjunction(branch)
      if inner.isImpossible { continue }
      guard let best = try narrowing(table, inner).min(by: { $0.total < $1.total }) else { return nil }
      branches.append(best)
      // A branch that is not covered is tested together with the others.
      isCovered = isCovered && best.covered.count == inner.parts.count
    }
    let count = branches.reduce(0) { $0 + $1.count }
    return Candidate(
      access: .either(branches), count: min(count, table.count), isCountExact: false,
      cost: branches.reduce(0) { $0 + $1.cost } + Double(count) * Cost.entry * 4,
      covered: isCovered ? PartSet(number) : PartSet())
  }

  /// Two accesses together, if both give far fewer rows than one.
  private static func both(_ found: [Candidate], _ total: Int) -> Candidate? {
    let narrow = found.filter { $0.access.filter != nil }.sorted { $0.count < $1.count }
    guard narrow.count >= 2 else { return nil }
    let (one, two) = (narrow[0], narrow[1])
    guard !two.covered.isSubset(of: one.covered) else { return nil }
    return Candidate(
      access: .both([one, two]), count: one.count * two.count / max(1, total), isCountExact: false,
      cost: one.cost + two.cost + Double(one.count + two.count) * Cost.entry * 4,
      covered: one.covered.union(two.covered))
  }

  /// Accesses over references: the conditions on referenced rows are tested there.
  private func passing(_ table: TableReader, _ conjunction: Conjunction) throws -> [Candidate] {
    var found: [Candidate] = []
    let searched = conjunction.parts.compactMap(\.searchedReference)
    let firsts = Set(conjunction.constraints.map(\.path).filter { !$0.isOwn }.map(\.first) + searched)
    for first in firsts.sorted() {
      guard let index = table.indexes.first(where: { Related.serves($0, first) }),
        let field = table.entity.field(first), case .reference(let target) = field.type,
        let entity = ground.catalog.entity(target), !isTorn(first, table)
      else { continue }
      var moved: [Expression] = []
      var covered = PartSet()
      for (number, part) in conjunction.parts.enumerated() {
        let isAsked = conjunction.constraints.contains {
          !$0.path.isOwn && $0.path.first == first && $0.conjuncts.contains(number)
        }
        guard isAsked || part.searchedReference == first, let inner = part.expression.moved(over: first) else {
          continue
        }
        moved.append(inner)
        // A test of a row that no row refers to may throw. Such an error does not count, because
        // the referring rows are tested again.
        if inner.isFaultless { covered.insert(number) }
      }
      guard !moved.isEmpty, let condition = try? Checker.condition(.and(moved), ground.catalog, entity: target) else {
        continue
      }
      let inner = try deeper.plan(Query(entity.name, where: condition.expression))
      let share = Double(index.count) / Double(max(1, try ground.table(target).count))
      let count = min(index.count, Int(inner.expected * share))
      found.append(
        Candidate(
          access: .through(Passing(index: index, field: field, inner: inner)), count: count, isCountExact: false,
          cost: inner.cost + inner.expected * Cost.seek + Double(count) * Cost.entry, covered: covered))
    }
    return found
  }
}

extension Candidate {
  /// The cost, including the reading of its rows.
  var total: Double { cost + Double(count) * (Cost.row + Cost.test) }
}
