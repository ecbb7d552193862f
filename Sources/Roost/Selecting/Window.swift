internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A value that is computed from a row and the rows before it: a rank, a position, or a running
/// total.
///
/// ```swift
/// let ranks = try context.select(
///   Track.self, \.title, \.plays, over: .rank(per: \.album?.title), atMost: 3,
///   sortBy: [SortDescriptor(\.plays, order: .reverse)])
/// ```
///
/// The rows are in the order of `sortBy`. With `per`, the computation begins again for each group;
/// nil is a group too.
public struct Window<Model: PersistentModel, Result>: @unchecked Sendable {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  let group: () -> AnyGroupColumn<Model>
  /// Begins a group.
  let begin: () -> WindowGroup<Model, Result>
  /// The columns that it needs in addition to the selected ones.
  let columns: () -> [AnySelectedColumn<Model>]

  /// Describes the computation, for ``ModelContext/explain(call:)``.
  var text: String {
    guard let key = group().keyPath else { return "computes the window row by row" }
    return "computes the window row by row, again for each \(PathNames.text(key))"
  }
}

extension Window where Result == Int {
  /// The position of a row: 1 for the first row, 2 for the second.
  public static func position() -> Window { Window(group: OneGroup.init) { PositionGroup(isRank: false) } }
  /// The position in each group: 1 for the first row of a group, 2 for the second.
  public static func position<Key: Hashable>(per key: KeyPath<Model, Key>) -> Window {
    Window(group: { GroupColumn(key) }) { PositionGroup(isRank: false) }
  }

  /// The rank of a row: like the position, but rows with equal values in `sortBy` have one rank: 1,
  /// 2, 2, 4.
  public static func rank() -> Window { Window(group: OneGroup.init) { PositionGroup(isRank: true) } }
  /// The rank in each group: rows with equal values in `sortBy` have one rank.
  public static func rank<Key: Hashable>(per key: KeyPath<Model, Key>) -> Window {
    Window(group: { GroupColumn(key) }) { PositionGroup(isRank: true) }
  }
}

extension Window {
  private init(group: @escaping () -> AnyGroupColumn<Model>, begin: @escaping () -> WindowGroup<Model, Result>) {
    self.init(group: group, begin: begin, columns: { [] })
  }

  /// An aggregate over this row and all rows before it.
  public static func running(_ aggregate: Aggregate<Model, Result>) -> Window {
    Window(group: OneGroup.init, begin: { RunningGroup(aggregate) }, columns: aggregate.columns)
  }

  /// An aggregate over this row and the rows before it in its group, such as a running total for each account.
  public static func running<Key: Hashable>(_ aggregate: Aggregate<Model, Result>, per key: KeyPath<Model, Key>)
    -> Window
  { Window(group: { GroupColumn(key) }, begin: { RunningGroup(aggregate) }, columns: aggregate.columns) }
}

// MARK: Columns

/// The only group, of all rows. It reads no column.
private final class OneGroup<Model: PersistentModel>: AnyGroupColumn<Model> {
  init() { super.init(nil) }
  override func key(_ row: SelectRun<Model>.Row) -> AnyHashable { true }
}

/// A sort key. Two rows have one rank if all their sort keys are equal.
final class SortedColumn<Model: PersistentModel>: AnySelectedColumn<Model> {
  private let rule: SortRule<Model>

  init(_ rule: SortRule<Model>) {
    self.rule = rule
    super.init(rule.keyPath)
  }

  override func placed(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? {
    path.flatMap { PlacedPath($0, map, store: graph.store) }
  }

  func isSame(_ one: SelectRun<Model>.Row, _ other: SelectRun<Model>.Row) -> Bool {
    if case .model(let one) = one, case .model(let other) = other { return rule.compare(one, other) == .orderedSame }
    guard let first = value(one), let second = value(other) else { return false }
    return ValueOrder.isSame(first, second)
  }

  private func value(_ row: SelectRun<Model>.Row) -> Value? {
    if case .model(let model) = row { return rule.value(model) }
    return row.stored(self)
  }
}

// MARK: Groups

/// The rows of one group so far.
class WindowGroup<Model: PersistentModel, Result> {
  /// - Parameters:
  ///   - columns: the window's own columns.
  ///   - isTied: whether the row's sort keys equal those of the previous row.
  func next(_ row: SelectRun<Model>.Row, _ columns: [AnySelectedColumn<Model>], isTied: Bool) throws -> Result {
    preconditionFailure("a group takes rows")
  }
}

private final class PositionGroup<Model: PersistentModel>: WindowGroup<Model, Int> {
  private let isRank: Bool
  private var (count, rank) = (0, 0)

  init(isRank: Bool) { self.isRank = isRank }

  override func next(_ row: SelectRun<Model>.Row, _ columns: [AnySelectedColumn<Model>], isTied: Bool) -> Int {
    count += 1
    if !isRank || !isTied { rank = count }
    return rank
  }
}

private final class RunningGroup<Model: PersistentModel, Result>: WindowGroup<Model, Result> {
  private let gathering: Gathering<Model, Result>

  init(_ aggregate: Aggregate<Model, Result>) { gathering = aggregate.gather() }

  override func next(_ row: SelectRun<Model>.Row, _ columns: [AnySelectedColumn<Model>], isTied: Bool) throws -> Result
  {
    try gathering.add(row, columns)
    return try gathering.result()
  }
}

/// Computes a window, row by row.
struct WindowRun<Model: PersistentModel, Result> {
  private let window: Window<Model, Result>
  private let group: AnyGroupColumn<Model>
  private let measured: [AnySelectedColumn<Model>]
  private let sorted: [SortedColumn<Model>]
  private var groups: [AnyHashable: (group: WindowGroup<Model, Result>, count: Int, last: SelectRun<Model>.Row)] = [:]

  private let state: ContextState

  init(_ window: Window<Model, Result>, _ sortBy: [SortDescriptor<Model>], in state: ContextState) throws {
    self.state = state
    if sortBy.isEmpty {
      throw RoostError(.badValue, "a rank, a position and a running total need an order: give sortBy")
    }
    self.window = window
    group = window.group()
    measured = window.columns()
    sorted = SortRules(sortBy).rules.map { SortedColumn($0) }
  }

  /// The columns that the window reads.
  var columns: [AnySelectedColumn<Model>] {
    (group is OneGroup<Model> ? [] : [group]) + measured + sorted
  }

  /// The result of a row; nil if its group has enough rows.
  mutating func next(_ row: SelectRun<Model>.Row, atMost: Int?) throws -> Result? {
    let key = NoNumber.alike(try group.key(row))
    let known = groups.removeValue(forKey: key)
    if known == nil { try state.queryMemory?.take(QueryMemory.group, for: .window) }
    let (own, count) = (known?.group ?? window.begin(), (known?.count ?? 0) + 1)
    let isTied = known.map { known in sorted.allSatisfy { $0.isSame(known.last, row) } } ?? false
    groups[key] = (own, count, row)
    if let atMost, count > atMost { return nil }
    return try own.next(row, measured, isTied: isTied)
  }
}
