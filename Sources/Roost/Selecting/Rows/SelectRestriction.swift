internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// The rows of the other side of a join that can match. The engine may leave out all others.
struct SelectRestriction<Model: PersistentModel> {
  /// The possible values of a column; nil if any value is possible.
  var wanted: Wanted?
  /// For each row of the first side, the bounds that all its columns must fulfil. It is empty if
  /// they are not known, or if there are many rows.
  var ranges: [[Bound]] = []

  struct Wanted {
    let column: AnySelectedColumn<Model>
    let values: [Value]
    let kind: Kind
  }

  /// A value of the first side, and its comparison with a column of the other side.
  struct Bound {
    let column: AnySelectedColumn<Model>
    let comparison: Condition.Comparison
    let value: Value
    let kind: Kind
  }

  /// One search in an index costs about as much as reading this many rows.
  private static var rowsPerSearch: Int { 4 }
  /// A condition for more rows would take longer than it saves.
  static var mostRanges: Int { 16 }

  /// Returns nil if reading all rows is about as fast.
  func restricted(_ part: FetchPart<Model>, _ placed: [PlacedPath]) throws -> FetchPart<Model>? {
    let found = try wanted.flatMap { try equality($0, part, at: placed[$0.column.number]) } ?? rangeCondition(placed)
    return found.map { part.plain.asking($0) }
  }

  private func equality(_ wanted: Wanted, _ part: FetchPart<Model>, at found: PlacedPath) throws -> Condition? {
    let values = Set(wanted.values)
    // A column without a kind is computed by a closure, from a different value than the compared
    // one.
    guard wanted.column.kind?.whole == wanted.kind.whole, wanted.kind.isSortable,
      try part.graph.planner().count(part.query(isSorted: false)) > Self.rowsPerSearch * values.count
    else { return nil }
    return .contains(.constant(.array(Array(values)), .array(found.kind)), found.condition)
  }

  private func rangeCondition(_ placed: [PlacedPath]) -> Condition? {
    var rows: [Condition] = []
    for bounds in ranges {
      var tests: [Condition] = []
      for bound in bounds {
        let found = placed[bound.column.number]
        // Foundation's order of decimals has a position for NaN.
        guard bound.column.kind?.whole == bound.kind.whole, found.kind.whole.isComparable,
          bound.kind.whole != .plain(.decimal)
        else { continue }
        tests.append(Self.test(found, bound))
      }
      if tests.isEmpty { return nil }
      rows.append(tests.count == 1 ? tests[0] : .and(tests))
    }
    return rows.count > 1 ? .or(rows) : rows.first
  }

  /// A comparison with nil is false.
  private static func test(_ found: PlacedPath, _ bound: Bound) -> Condition {
    let constant = Condition.constant(bound.value, bound.kind.whole)
    if !found.kind.isOptional { return .compare(bound.comparison, found.condition, constant) }
    return .ifLet(
      variable, found.condition, .compare(bound.comparison, .variable(variable), constant),
      .constant(.bool(false), .bool))
  }

  private static var variable: Int { 60_000 }
}
