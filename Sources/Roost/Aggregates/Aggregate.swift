internal import RoostGraph

/// One thing that is asked of many models at once: how many they are, or a sum, an average or a bound of what they hold.
///
/// Values that are nil are left out. Write it as `.count`, `.sum(\.duration)`, `.min(\.album?.title)` in
/// ``ModelContext/aggregate(_:where:includePendingChanges:_:fileID:line:)``.
public struct Aggregate<Model: PersistentModel, Result>: @unchecked Sendable {
  // Unchecked because key paths are not marked as what they are: values that never change.
  let kind: AggregateKind
  let keyPath: PartialKeyPath<Model>?
  /// Makes what gathers the values.
  let gather: () -> Gathering<Model, Result>

  init(_ kind: AggregateKind, _ keyPath: PartialKeyPath<Model>?, gather: @escaping () -> Gathering<Model, Result>) {
    self.kind = kind
    self.keyPath = keyPath
    self.gather = gather
  }
}

enum AggregateKind: String { case count, sum, average, min, max }

extension Aggregate where Result == Int {
  /// How many models there are.
  public static var count: Aggregate { Aggregate(.count, nil) { CountGathering { _ in true } } }

  /// How many models have a value there.
  public static func count<Value>(_ keyPath: KeyPath<Model, Value?>) -> Aggregate {
    Aggregate(.count, keyPath) { CountGathering { $0[keyPath: keyPath] != nil } }
  }
}

extension Aggregate {
  /// The sum; 0 where there are no values. One that does not fit into its type is an error.
  public static func sum<Number: Summable>(_ keyPath: KeyPath<Model, Number>) -> Aggregate where Result == Number.Sum {
    Aggregate(.sum, keyPath) { SumGathering(keyPath) { $0[keyPath: keyPath] } }
  }

  /// The sum of those that are not nil.
  public static func sum<Number: Summable>(_ keyPath: KeyPath<Model, Number?>) -> Aggregate where Result == Number.Sum {
    Aggregate(.sum, keyPath) { SumGathering(keyPath) { $0[keyPath: keyPath] } }
  }

  /// The average; nil where there are no values.
  public static func average<Number: Summable>(_ keyPath: KeyPath<Model, Number>) -> Aggregate
  where Result == Number.Average? {
    Aggregate(.average, keyPath) { AverageGathering<Model, Number> { $0[keyPath: keyPath] } }
  }

  /// The average of those that are not nil.
  public static func average<Number: Summable>(_ keyPath: KeyPath<Model, Number?>) -> Aggregate
  where Result == Number.Average? {
    Aggregate(.average, keyPath) { AverageGathering<Model, Number> { $0[keyPath: keyPath] } }
  }

  /// The least value; nil where there are none. What is no number counts only where nothing else is there.
  public static func min<Value: Comparable>(_ keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value? {
    Aggregate(.min, keyPath) { BoundGathering(isGreatest: false) { $0[keyPath: keyPath] } }
  }

  /// The least of those that are not nil.
  public static func min<Value: Comparable>(_ keyPath: KeyPath<Model, Value?>) -> Aggregate where Result == Value? {
    Aggregate(.min, keyPath) { BoundGathering(isGreatest: false) { $0[keyPath: keyPath] } }
  }

  /// The greatest value; nil where there are none. What is no number counts only where nothing else is there.
  public static func max<Value: Comparable>(_ keyPath: KeyPath<Model, Value>) -> Aggregate where Result == Value? {
    Aggregate(.max, keyPath) { BoundGathering(isGreatest: true) { $0[keyPath: keyPath] } }
  }

  /// The greatest of those that are not nil.
  public static func max<Value: Comparable>(_ keyPath: KeyPath<Model, Value?>) -> Aggregate where Result == Value? {
    Aggregate(.max, keyPath) { BoundGathering(isGreatest: true) { $0[keyPath: keyPath] } }
  }
}

/// Some models that have something in common, and what was asked of them.
public struct AggregateGroup<Key, Values> {
  /// What they have in common; for several keys a tuple of it.
  public let key: Key
  /// For several aggregates a tuple.
  public let values: Values
}

extension AggregateGroup: Sendable where Key: Sendable, Values: Sendable {}
