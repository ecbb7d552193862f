public import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Models of another class that belong to the selected ones, though no relationship says so.
///
/// ```swift
/// let customers = try context.select(
///   Order.self, \.number,
///   joining: .left(Customer.self, on: .equal(\.email, \.address), select: \.name, \.city))
/// ```
///
/// Models belong together if the values of the key paths are equal: see ``JoinKey``. Those that belong to one model come in the order of
/// `sortBy`, and without it in no certain order.
public struct Join<Model: PersistentModel, Result>: @unchecked Sendable {
  // Unchecked because key paths are not marked as what they are: values that never change.
  let keys: [() -> AnyJoinColumn<Model>]
  /// The results for a model to which nothing belongs: nil for a left join, none for an inner one.
  let absent: [Result]
  /// Whether each model gives a row at least.
  var keepsAll: Bool { !absent.isEmpty }
  /// Selects the other models.
  let select: (JoinQuestion) throws -> [(keys: [AnyHashable], result: Result)]
}

/// What the other side of a join is asked.
struct JoinQuestion {
  let state: ContextState
  let includePendingChanges: Bool
  /// The stored values of the first key of all rows to be joined; without a kind any value is wanted.
  let values: [Value]
  let kind: Kind?
}

extension Join {
  /// One row for each pair of models that belong together. A model to which nothing belongs is left out.
  public static func inner<Other: PersistentModel>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [], select keyPath: KeyPath<Other, Result>
  ) -> Join where Result: Sendable {
    Join(keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [], select: keyPath) { $0 }
  }

  /// One row for each pair of models that belong together, with several values of the other one.
  public static func inner<Other: PersistentModel, First: Sendable, Second: Sendable, each Value: Sendable>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [],
    select first: KeyPath<Other, First>, _ second: KeyPath<Other, Second>, _ others: repeat KeyPath<Other, each Value>
  ) -> Join where Result == (First, Second, repeat each Value) {
    Join(
      keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [], select: first, second: second,
      others: repeat each others
    ) { ($0, $1, repeat each $2) }
  }

  /// One row for each pair, and one with nil for a model to which nothing belongs.
  public static func left<Other: PersistentModel, Value: Sendable>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [], select keyPath: KeyPath<Other, Value>
  ) -> Join where Result == Value? {
    Join(keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [nil], select: keyPath) { $0 }
  }

  /// One row for each pair, with several values of the other model, and one with nil for a model to which nothing belongs.
  public static func left<Other: PersistentModel, First: Sendable, Second: Sendable, each Value: Sendable>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [],
    select first: KeyPath<Other, First>, _ second: KeyPath<Other, Second>, _ others: repeat KeyPath<Other, each Value>
  ) -> Join where Result == (First, Second, repeat each Value)? {
    Join(
      keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [nil], select: first, second: second,
      others: repeat each others
    ) { ($0, $1, repeat each $2) }
  }

  private init<Other: PersistentModel, First>(
    _ keys: [JoinKey<Model, Other>], _ descriptor: FetchDescriptor<Other>, absent: [Result],
    select first: KeyPath<Other, First>, make: @escaping (First) -> Result
  ) {
    self.init(keys, absent: absent) { question, own in
      let column = SelectedColumn(first)
      return try question.rows(own, [column], of: descriptor) { make(try $0.value(column)) }
    }
  }

  private init<Other: PersistentModel, First, Second, each Value>(
    _ keys: [JoinKey<Model, Other>], _ descriptor: FetchDescriptor<Other>, absent: [Result],
    select first: KeyPath<Other, First>, second: KeyPath<Other, Second>, others: repeat KeyPath<Other, each Value>,
    make: @escaping (First, Second, (repeat each Value)) -> Result
  ) {
    self.init(keys, absent: absent) { question, own in
      let (head, next) = (SelectedColumn(first), SelectedColumn(second))
      let rest = (repeat SelectedColumn(each others))
      var columns: [AnySelectedColumn<Other>] = [head, next]
      for column in repeat each rest { columns.append(column) }
      return try question.rows(own, columns, of: descriptor) { row in
        make(try row.value(head), try row.value(next), (repeat try row.value(each rest)))
      }
    }
  }

  private init<Other: PersistentModel>(
    _ keys: [JoinKey<Model, Other>], absent: [Result],
    _ select: @escaping (JoinQuestion, [AnyJoinColumn<Other>]) throws -> [(keys: [AnyHashable], result: Result)]
  ) {
    self.keys = keys.map { $0.own }
    self.absent = absent
    self.select = { question in try select(question, keys.map { $0.other() }) }
  }
}

extension JoinQuestion {
  /// What the other side is asked for some rows and the columns that are their keys.
  init<Model>(
    _ rows: [SelectRun<Model>.Row], _ keys: [AnyJoinColumn<Model>], state: ContextState, includePendingChanges: Bool
  ) {
    let values = rows.map { $0.stored(keys[0]) }
    let isStored = values.allSatisfy { $0 != nil }
    self.init(
      state: state, includePendingChanges: includePendingChanges,
      values: values.compactMap { $0 }.filter { !$0.isNull }, kind: isStored ? keys[0].kind : nil)
  }

  /// The rows of the other side that have keys.
  func rows<Other: PersistentModel, Result>(
    _ keys: [AnyJoinColumn<Other>], _ columns: [AnySelectedColumn<Other>], of descriptor: FetchDescriptor<Other>,
    make: (SelectRun<Other>.Row) throws -> Result
  ) throws -> [(keys: [AnyHashable], result: Result)] {
    var descriptor = descriptor
    descriptor.includePendingChanges = includePendingChanges
    var run = SelectRun(descriptor, state, columns: keys + columns)
    run.restriction = kind.map { SelectRestriction(column: keys[0], values: values, kind: $0) }
    var rows: [(keys: [AnyHashable], result: Result)] = []
    try run.forEach { row in
      if let own = try row.keys(keys) { rows.append((own, try make(row))) }
      return true
    }
    return rows
  }
}

extension SelectRun.Row {
  /// The values by which a row is joined; nil if one of them is nil, so that nothing belongs to it.
  func keys(_ columns: [AnyJoinColumn<Model>]) throws -> [AnyHashable]? {
    var keys: [AnyHashable] = []
    for column in columns {
      guard let key = try column.key(self) else { return nil }
      keys.append(key)
    }
    return keys
  }
}

/// Joins rows with what another side has.
struct JoinRun<Model: PersistentModel, Result> {
  let join: Join<Model, Result>
  let keys: [AnyJoinColumn<Model>]

  /// More pairs than these are probably a mistake.
  static var mostRows: Int { 10_000_000 }

  init(_ join: Join<Model, Result>) throws {
    self.join = join
    keys = join.keys.map { $0() }
    if keys.isEmpty {
      throw RoostError(.badValue, "a join needs a key: write on: .equal(…), with a key path of each side")
    }
  }

  /// Calls a closure with each row and what belongs to it, until it returns false.
  func forEach(
    _ rows: [SelectRun<Model>.Row], _ state: ContextState, includePendingChanges: Bool,
    body: (SelectRun<Model>.Row, Result) throws -> Bool
  ) throws {
    let found = try join.select(
      JoinQuestion(rows, keys, state: state, includePendingChanges: includePendingChanges))
    var places: [[AnyHashable]: [Int]] = [:]
    for (place, one) in found.enumerated() { places[one.keys, default: []].append(place) }
    var count = 0
    for row in rows {
      let own = try row.keys(keys).flatMap { places[$0] } ?? []
      for place in own {
        count += 1
        if count > Self.mostRows {
          throw RoostError(
            .badValue, "the join has more than \(Self.mostRows) pairs: add a predicate, a limit, or another key")
        }
        if try !body(row, found[place].result) { return }
      }
      if own.isEmpty { for result in join.absent { if try !body(row, result) { return } } }
    }
  }
}
