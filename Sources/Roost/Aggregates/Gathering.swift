internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Collects the values of one aggregate in one group: tallies of the engine, and models.
class ModelGathering<Model: PersistentModel> {
  /// Counts the memory of a gathering that keeps more than one value.
  var memory: QueryMemory?

  /// Counts a text that replaces another one. Returns the bytes that are now counted for it.
  func keep(_ bytes: Int, after kept: Int) throws -> Int {
    if bytes > kept { try memory?.take(bytes - kept, for: .groups) }
    return max(bytes, kept)
  }

  func add(_ model: Model) throws { preconditionFailure("a gathering looks at models") }
  func add(_ tally: MeasureTally) throws { preconditionFailure("a gathering takes what the engine found") }
  func add(_ decimal: Decimal) {}

  /// Adds a row that was read by itself.
  ///
  /// - Parameter columns: the columns of the aggregate.
  func add(_ row: SelectRun<Model>.Row, _ columns: [AnySelectedColumn<Model>]) throws {
    if case .model(let model) = row { return try add(model) }
    let value = columns.first.flatMap { row.stored($0) }
    try add(MeasureTally(value ?? .bool(true)))
    guard case .decimal? = value else { return }
    if let decimal = value.flatMap({ ValueDecoding.decoded($0, as: Decimal.self) }) { add(decimal) }
  }
}

/// A gathering with the type of its result.
class Gathering<Model: PersistentModel, Result>: ModelGathering<Model> {
  func result() throws -> Result { preconditionFailure("a gathering has a result") }
}

final class CountGathering<Model: PersistentModel>: Gathering<Model, Int> {
  private let counts: (Model) throws -> Bool
  private var count = 0

  init(_ counts: @escaping (Model) throws -> Bool) { self.counts = counts }

  override func add(_ model: Model) throws { if try counts(model) { count += 1 } }
  override func add(_ tally: MeasureTally) { count += tally.count }
  override func result() -> Int { count }
}

class NumberGathering<Model: PersistentModel, Number: Summable, Result>: Gathering<Model, Result> {
  private let value: (Model) throws -> Number?
  fileprivate var sum = _NumberSum()

  init(_ value: @escaping (Model) throws -> Number?) { self.value = value }

  override func add(_ model: Model) throws {
    guard let value = try value(model) else { return }
    sum.count += 1
    value._add(to: &sum)
  }

  override func add(_ tally: MeasureTally) {
    sum.count += tally.count
    sum.integers += tally.integers
    sum.floats.add(tally.floats)
  }

  override func add(_ decimal: Decimal) { decimal._add(to: &sum) }
}

final class SumGathering<Model: PersistentModel, Number: Summable>: NumberGathering<Model, Number, Number.Sum> {
  private let keyPath: PartialKeyPath<Model>

  init(_ keyPath: PartialKeyPath<Model>, _ value: @escaping (Model) throws -> Number?) {
    self.keyPath = keyPath
    super.init(value)
  }

  override func result() throws -> Number.Sum {
    if let result = Number._sum(sum) { return result }
    throw RoostError(
      .badValue,
      "the sum of \(Model._$type.name).\(PathNames.text(keyPath))\(sum.integers == 0 ? "" : " is \(sum.integers), which") does not fit into \(Number.Sum.self): ask for the average, or store it as a Double"
    )
  }
}

final class AverageGathering<Model: PersistentModel, Number: Summable>: NumberGathering<Model, Number, Number.Average?>
{
  override func result() -> Number.Average? { sum.count == 0 ? nil : Number._average(sum) }
}

final class BoundGathering<Model: PersistentModel, Value: Comparable>: Gathering<Model, Value?> {
  private let isGreatest: Bool
  private let value: (Model) throws -> Value?
  private var best: Value?
  private var kept = 0

  init(isGreatest: Bool, _ value: @escaping (Model) throws -> Value?) {
    self.isGreatest = isGreatest
    self.value = value
  }

  override func add(_ model: Model) throws { if let value = try value(model) { try take(value) } }

  override func add(_ tally: MeasureTally) throws {
    guard let bound = tally.bound else { return }
    guard let value = ValueDecoding.decoded(bound, as: Value.self) else {
      throw RoostError(.unreadable, "the stored value is not of type \(Value.self): \(Describer.text(bound))")
    }
    try take(value)
  }

  private func take(_ value: Value) throws {
    if let best, Numbers.contain(best) {
      guard Numbers.contain(value), isGreatest ? best < value : value < best else { return }
    }
    best = value
    kept = try keep(HeapBytes.of(value), after: kept)
  }

  override func result() -> Value? { best }
}

/// Tells NaN from other values.
private enum Numbers {
  /// Whether a value is not NaN. NaN is not equal to itself, except as a `Decimal`.
  static func contain<Value: Equatable>(_ value: Value) -> Bool {
    if Value.self == Decimal.self { return !((value as? Decimal)?.isNaN ?? false) }
    return value == value
  }
}

/// A gathering for rows that are read one by one.
class RowGathering<Model: PersistentModel, Result>: Gathering<Model, Result> {
  typealias Reading<Known> = (SelectRun<Model>.Row, [AnySelectedColumn<Model>]) throws -> Known

  override func add(_ row: SelectRun<Model>.Row, _ columns: [AnySelectedColumn<Model>]) throws {
    preconditionFailure("a gathering takes rows")
  }
}

/// Counts different values. All NaN values count as one.
final class DistinctGathering<Model: PersistentModel, Value: Hashable>: RowGathering<Model, Int> {
  private let value: Reading<Value?>
  private var seen: Set<Value> = []
  private var hasNoNumber = false

  init(_ value: @escaping Reading<Value?>) { self.value = value }

  override func add(_ row: SelectRun<Model>.Row, _ columns: [AnySelectedColumn<Model>]) throws {
    guard let value = try value(row, columns) else { return }
    guard Numbers.contain(value) else { return hasNoNumber = true }
    if seen.insert(value).inserted {
      let text = (value as? String)?.utf8.count ?? 0
      try memory?.take(2 * MemoryLayout<Value>.stride + 32 + text, for: .distinct)
    }
  }

  override func result() -> Int { seen.count + (hasNoNumber ? 1 : 0) }
}

/// Keeps the value that belongs to the least or the greatest key. A NaN key counts only if there is
/// no other key.
final class EndGathering<Model: PersistentModel, Value, Key: Comparable>: RowGathering<Model, Value?> {
  private let isLast: Bool
  private let value: Reading<Value?>
  private let key: Reading<Key?>
  private var best: (key: Key, value: Value?)?
  private var kept = 0

  init(isLast: Bool, value: @escaping Reading<Value?>, key: @escaping Reading<Key?>) {
    (self.isLast, self.value, self.key) = (isLast, value, key)
  }

  override func add(_ row: SelectRun<Model>.Row, _ columns: [AnySelectedColumn<Model>]) throws {
    guard let key = try key(row, columns) else { return }
    if let best, Numbers.contain(best.key) {
      guard Numbers.contain(key), isLast ? best.key < key : key < best.key else { return }
    }
    let found = try value(row, columns)
    best = (key, found)
    kept = try keep(HeapBytes.of(found) + HeapBytes.of(key), after: kept)
  }

  override func result() -> Value? { best?.value }
}
