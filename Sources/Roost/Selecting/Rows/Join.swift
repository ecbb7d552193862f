public import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A join with another class that no relationship connects.
///
/// ```swift
/// let customers = try context.select(
///   Order.self, \.number,
///   joining: .left(Customer.self, on: .equal(\.email, \.address), select: \.name, \.city))
/// ```
///
/// Two models match if their values at the key paths are equal: see ``JoinKey``. The matches of one
/// model are in the order of `sortBy`; without it the order is not defined.
public struct Join<Model: PersistentModel, Result>: @unchecked Sendable {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  let side: JoinSide<Model>
  /// The results for a model without a match: nil for a left join, none for an inner join.
  let absent: [Result]
  /// Whether each model has at least one row.
  var keepsAll: Bool { !absent.isEmpty }
  /// Selects the other models. Models with a nil key match nothing, and have no keys.
  let select: (JoinQuestion<Model>) throws -> [(keys: [AnyHashable]?, result: Result)]
  /// Reads the other models along an index of the key with this number; nil if there is none.
  let blocks: (JoinQuestion<Model>, Int) throws -> JoinBlocks<Result>?
}

/// The keys of a join, on the side of the first class.
struct JoinSide<Model: PersistentModel> {
  struct Key {
    let column: () -> AnyJoinColumn<Model>
    let comparison: JoinComparison
    let test: JoinTest
    let otherPath: AnyKeyPath?
  }

  let keys: [Key]

  /// Whether every pair of models matches.
  var isAll: Bool { keys.allSatisfy { $0.comparison == .all } }

  init<Other: PersistentModel>(_ keys: [JoinKey<Model, Other>]) {
    self.keys = keys.map {
      Key(column: $0.own, comparison: $0.comparison, test: $0.test, otherPath: $0.otherPath)
    }
  }
}

extension Join {
  /// One row for each pair of matching models. A model without a match is left out.
  public static func inner<Other: PersistentModel>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [], select keyPath: KeyPath<Other, Result>
  ) -> Join where Result: Sendable {
    Join(keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [], select: keyPath) { $0 }
  }

  /// One row for each pair of matching models, with several values of the other model.
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

  /// One row for each pair, and one row with nil for a model without a match.
  public static func left<Other: PersistentModel, Value: Sendable>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [], select keyPath: KeyPath<Other, Value>
  ) -> Join where Result == Value? {
    Join(keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [nil], select: keyPath) { $0 }
  }

  /// One row for each pair, with several values of the other model, and one row with nil for a
  /// model without a match.
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
}

extension Join {
  init<Other: PersistentModel, First>(
    _ keys: [JoinKey<Model, Other>], _ descriptor: FetchDescriptor<Other>, absent: [Result],
    select first: KeyPath<Other, First>, make: @escaping (First) -> Result
  ) {
    self.init(keys, absent: absent) { question, own in
      let column = SelectedColumn(first)
      return try question.rows(own, [column], of: descriptor) { make(try $0.value(column)) }
    } blocks: { question, own, number in
      let column = SelectedColumn(first)
      return try question.blocks(own, [column], by: number, of: descriptor) { make(try $0.value(column)) }
    }
  }

  init<Other: PersistentModel, First, Second, each Value>(
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
    } blocks: { question, own, number in
      let (head, next) = (SelectedColumn(first), SelectedColumn(second))
      let rest = (repeat SelectedColumn(each others))
      var columns: [AnySelectedColumn<Other>] = [head, next]
      for column in repeat each rest { columns.append(column) }
      return try question.blocks(own, columns, by: number, of: descriptor) { row in
        make(try row.value(head), try row.value(next), (repeat try row.value(each rest)))
      }
    }
  }

  private init<Other: PersistentModel>(
    _ keys: [JoinKey<Model, Other>], absent: [Result],
    _ select:
      @escaping (JoinQuestion<Model>, [AnyJoinColumn<Other>]) throws -> [(
        keys: [AnyHashable]?, result: Result
      )],
    blocks: @escaping (JoinQuestion<Model>, [AnyJoinColumn<Other>], Int) throws -> JoinBlocks<Result>?
  ) {
    side = JoinSide(keys)
    self.absent = absent
    self.select = { question in try select(question, keys.map { $0.other() }) }
    self.blocks = { question, number in try blocks(question, keys.map { $0.other() }, number) }
  }
}

/// A join that keeps the models of both classes, including models without a match.
///
///     let rows = try context.select(
///       Bill.self, \.number,
///       joining: .full(Client.self, on: .equal(\.email, \.address), select: \.name))
///     for (number, name) in rows { print(number ?? 0, name ?? "nobody") }
///
/// Models of the other class without a match come last, in the order of `sortBy`.
public struct FullJoin<Model: PersistentModel, Result>: Sendable {
  let join: Join<Model, Result>

  /// One row for each pair, and one row for each model of both classes without a match.
  public static func full<Other: PersistentModel>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [], select keyPath: KeyPath<Other, Result>
  ) -> FullJoin where Result: Sendable {
    FullJoin(
      join: Join(keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [], select: keyPath) { $0 })
  }

  /// One row for each pair, with several values of the other model, and one row for each model of
  /// both classes without a match.
  public static func full<Other: PersistentModel, First: Sendable, Second: Sendable, each Value: Sendable>(
    _ other: Other.Type, on keys: JoinKey<Model, Other>..., where predicate: Predicate<Other>? = nil,
    sortBy: [SortDescriptor<Other>] = [],
    select first: KeyPath<Other, First>, _ second: KeyPath<Other, Second>, _ others: repeat KeyPath<Other, each Value>
  ) -> FullJoin where Result == (First, Second, repeat each Value) {
    FullJoin(
      join: Join(
        keys, FetchDescriptor(predicate: predicate, sortBy: sortBy), absent: [], select: first, second: second,
        others: repeat each others
      ) { ($0, $1, repeat each $2) })
  }
}
