internal import RoostGraph

/// One value computed from many models: a count, a sum, an average, the least or greatest value, or
/// the value of the first or last model in an order.
///
/// Values that are nil are left out. Write it as `.count`, `.sum(\.duration)`,
/// `.min(\Track.album?.title)` in
/// ``ModelContext/aggregate(_:where:includePendingChanges:_:fileID:line:)``. A key path with `?`
/// needs the name of the class, because the compiler does not infer it.
public struct Aggregate<Model: PersistentModel, Result>: @unchecked Sendable {
  // Unchecked because key paths are not marked `Sendable`, although they never change.
  let kind: AggregateKind
  let keyPath: PartialKeyPath<Model>?
  /// Makes what gathers the values.
  let gather: () -> Gathering<Model, Result>
  /// The columns to read if rows are read one by one. Made for each run, because a column knows its
  /// position in the rows.
  let columns: () -> [AnySelectedColumn<Model>]

  init(
    _ kind: AggregateKind, _ keyPath: PartialKeyPath<Model>?, columns: (() -> [AnySelectedColumn<Model>])? = nil,
    gather: @escaping () -> Gathering<Model, Result>
  ) {
    self.kind = kind
    self.keyPath = keyPath
    self.gather = gather
    self.columns = columns ?? { keyPath.map { [MeasuredColumn(AskedMeasure(kind, $0), $0)] } ?? [] }
  }
}

/// The kinds of aggregates. `distinct` and `end` always read rows one by one.
enum AggregateKind: String { case count, sum, average, min, max, distinct, end }

extension Aggregate where Result == Int {
  /// The number of models.
  public static var count: Aggregate { Aggregate(.count, nil) { CountGathering { _ in true } } }

  /// The number of models whose value is not nil.
  public static func count<Value>(_ keyPath: KeyPath<Model, Value?>) -> Aggregate {
    Aggregate(.count, keyPath) { CountGathering { [value = ModelReading.of(keyPath)] in try value($0) != nil } }
  }
}

extension Aggregate {
  /// The sum; 0 if there are no values. The aggregate throws if the sum does not fit into its type.
  public static func sum<Number: Summable>(_ keyPath: KeyPath<Model, Number>) -> Aggregate where Result == Number.Sum {
    Aggregate(.sum, keyPath) { SumGathering(keyPath, ModelReading.of(keyPath)) }
  }

  /// The sum of the values that are not nil.
  public static func sum<Number: Summable>(_ keyPath: KeyPath<Model, Number?>) -> Aggregate where Result == Number.Sum {
    Aggregate(.sum, keyPath) { SumGathering(keyPath, ModelReading.of(keyPath)) }
  }

  /// The average; nil if there are no values.
  public static func average<Number: Summable>(_ keyPath: KeyPath<Model, Number>) -> Aggregate
  where Result == Number.Average? {
    Aggregate(.average, keyPath) { AverageGathering<Model, Number>(ModelReading.of(keyPath)) }
  }

  /// The average of the values that are not nil.
  public static func average<Number: Summable>(_ keyPath: KeyPath<Model, Number?>) -> Aggregate
  where Result == Number.Average? {
    Aggregate(.average, keyPath) { AverageGathering<Model, Number>(ModelReading.of(keyPath)) }
  }

  /// The least value; nil if there are none. NaN is the result only if there is no other value.
  public static func min<Value: Comparable>(_ keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value? {
    Aggregate(.min, keyPath) { BoundGathering(isGreatest: false, ModelReading.of(keyPath)) }
  }

  /// The least of the values that are not nil.
  public static func min<Value: Comparable>(_ keyPath: KeyPath<Model, Value?>) -> Aggregate where Result == Value? {
    Aggregate(.min, keyPath) { BoundGathering(isGreatest: false, ModelReading.of(keyPath)) }
  }

  /// The greatest value; nil if there are none. NaN is the result only if there is no other value.
  public static func max<Value: Comparable>(_ keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value? {
    Aggregate(.max, keyPath) { BoundGathering(isGreatest: true, ModelReading.of(keyPath)) }
  }

  /// The greatest of the values that are not nil.
  public static func max<Value: Comparable>(_ keyPath: KeyPath<Model, Value?>) -> Aggregate where Result == Value? {
    Aggregate(.max, keyPath) { BoundGathering(isGreatest: true, ModelReading.of(keyPath)) }
  }
}

extension Aggregate where Result == Int {
  /// The number of different values.
  public static func countDistinct<Value: Hashable>(_ keyPath: KeyPath<Model, Value>) -> Aggregate {
    Aggregate(.distinct, keyPath, columns: { [SelectedColumn(keyPath)] }) {
      DistinctGathering<Model, Value> { try $0.value($1[0], as: Value.self) }
    }
  }

  /// The number of different values, without nil.
  public static func countDistinct<Value: Hashable>(_ keyPath: KeyPath<Model, Value?>) -> Aggregate {
    Aggregate(.distinct, keyPath, columns: { [SelectedColumn(keyPath)] }) {
      DistinctGathering<Model, Value> { try $0.value($1[0], as: Value?.self) }
    }
  }
}

/// The value of the first or the last model in an order. Models whose key is nil are left out. If
/// several models have the same key, the result is the value of one of them. The result is nil if
/// no model has a key, or if the value is nil.
///
/// An optional key path matches two overloads. `@_disfavoredOverload` makes the compiler prefer the
/// overload that flattens the optional.
extension Aggregate {
  /// The value of the model with the least key.
  ///
  /// ```swift
  /// let clients = try context.aggregate(
  ///   Bill.self, .first(\.number, by: \.date), .last(\.total, by: \.date), by: \.client)
  /// ```
  @_disfavoredOverload
  public static func first<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value>, by key: KeyPath<Model, Key>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: false, value: { $0 }, key: { $0 })
  }

  /// The value of the model with the least key.
  @_disfavoredOverload
  public static func first<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value>, by key: KeyPath<Model, Key?>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: false, value: { $0 }, key: { $0 })
  }

  /// The value of the model with the least key.
  public static func first<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value?>, by key: KeyPath<Model, Key>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: false, value: { $0 }, key: { $0 })
  }

  /// The value of the model with the least key.
  public static func first<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value?>, by key: KeyPath<Model, Key?>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: false, value: { $0 }, key: { $0 })
  }

  /// The value of the model with the greatest key.
  @_disfavoredOverload
  public static func last<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value>, by key: KeyPath<Model, Key>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: true, value: { $0 }, key: { $0 })
  }

  /// The value of the model with the greatest key.
  @_disfavoredOverload
  public static func last<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value>, by key: KeyPath<Model, Key?>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: true, value: { $0 }, key: { $0 })
  }

  /// The value of the model with the greatest key.
  public static func last<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value?>, by key: KeyPath<Model, Key>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: true, value: { $0 }, key: { $0 })
  }

  /// The value of the model with the greatest key.
  public static func last<Value, Key: Comparable>(
    _ value: KeyPath<Model, Value?>, by key: KeyPath<Model, Key?>
  ) -> Aggregate where Result == Value? {
    end(value, key, isLast: true, value: { $0 }, key: { $0 })
  }

  private static func end<Value, Known, Stored, Key: Comparable>(
    _ value: KeyPath<Model, Known>, _ key: KeyPath<Model, Stored>, isLast: Bool,
    value whole: @escaping (Known) -> Value?, key wholeKey: @escaping (Stored) -> Key?
  ) -> Aggregate where Result == Value? {
    Aggregate(.end, value, columns: { [SelectedColumn(value), SelectedColumn(key)] }) {
      EndGathering(isLast: isLast) {
        whole(try $0.value($1[0], as: Known.self))
      } key: {
        wholeKey(try $0.value($1[1], as: Stored.self))
      }
    }
  }
}

/// A group of models that have equal keys, and the values that were computed for it.
public struct AggregateGroup<Key, Values> {
  /// The key that the models have in common; a tuple if there are several keys.
  public let key: Key
  /// The values of the aggregates; a tuple if there are several aggregates.
  public let values: Values
}

extension AggregateGroup: Sendable where Key: Sendable, Values: Sendable {}
