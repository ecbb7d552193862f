public import Foundation
internal import RoostGraph
internal import RoostQuery

/// Counts, sums, averages and extremes, which the engine computes without making models.
extension ModelContext {
  /// Computes values from all models of a predicate together:
  ///
  /// ```swift
  /// let (count, length) = try context.aggregate(Track.self, .count, .sum(\.duration))
  /// ```
  ///
  /// Models with unsaved changes count with their current values, and deleted models do not count,
  /// unless `includePendingChanges` is false.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedKeyPath`` if
  ///   a predicate or key path cannot be evaluated. ``RoostError`` with the code `badValue` if a
  ///   sum does not fit into its type, and `tooLarge` if the aggregate needs more memory than
  ///   ``ModelConfiguration/queryBytes``.
  public func aggregate<Model, each Result>(
    _ model: Model.Type, where predicate: Predicate<Model>? = nil, includePendingChanges: Bool = true,
    _ aggregates: repeat Aggregate<Model, each Result>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> (repeat each Result) where Model: PersistentModel {
    let group = try groups(
      predicate, includePendingChanges, keys: [], place: (fileID, line), aggregates: repeat each aggregates)[0]
    var next = 0
    func result<One>(_ aggregate: Aggregate<Model, One>) throws -> One {
      defer { next += 1 }
      return try unsafeDowncast(group.gatherings[next], to: Gathering<Model, One>.self).result()
    }
    return try (repeat result(each aggregates))
  }

  /// The body of each `aggregate` with keys.
  func grouped<Model, FirstKey: Hashable, each Key: Hashable, each Result>(
    _ predicate: Predicate<Model>?, _ includePendingChanges: Bool, aggregates: repeat Aggregate<Model, each Result>,
    by firstKey: KeyPath<Model, FirstKey>, keys: repeat KeyPath<Model, each Key>,
    having isWanted: ((AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>) throws -> Bool)?,
    sortedBy areInIncreasingOrder: (
      (
        AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>,
        AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>
      ) throws -> Bool
    )?,
    limit: Int?, place: ContextState.CodePlace
  ) throws -> [AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>] where Model: PersistentModel {
    if let limit, limit < 0 {
      throw RoostError(.badValue, "the limit is \(limit): omit it, or give 0 or more")
    }
    var grouping = [GroupKey(firstKey)]
    for key in repeat each keys { grouping.append(GroupKey(key)) }
    var found: [AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>] = []
    /// Whether more groups are wanted.
    func take(_ group: AggregateRun<Model>.Group) throws -> Bool {
      var (nextKey, next) = (1, 0)
      func key<One: Hashable>(_ keyPath: KeyPath<Model, One>) throws -> One {
        defer { nextKey += 1 }
        return try Self.key(group.keys[nextKey])
      }
      func result<One>(_ aggregate: Aggregate<Model, One>) throws -> One {
        defer { next += 1 }
        return try unsafeDowncast(group.gatherings[next], to: Gathering<Model, One>.self).result()
      }
      let made = AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>(
        key: (try Self.key(group.keys[0]), repeat try key(each keys)),
        values: (repeat try result(each aggregates)))
      if try isWanted?(made) != false {
        try state.queryMemory?.take(group.bytes, for: .groups)
        found.append(made)
      }
      return areInIncreasingOrder != nil || limit.map { found.count < $0 } ?? true
    }
    let isEndless = isWanted != nil || areInIncreasingOrder != nil
    let rest = try groups(
      predicate, includePendingChanges, keys: grouping, place: place, limit: isEndless ? nil : limit,
      take: take, aggregates: repeat each aggregates)
    for group in rest { if try !take(group) { break } }
    if let areInIncreasingOrder { try found.sort(by: areInIncreasingOrder) }
    return limit.map { Array(found.prefix($0)) } ?? found
  }

  private static func key<Key: Hashable>(_ key: AnyHashable) throws -> Key {
    if let known = key.base as? Key { return known }
    throw RoostError(.unreadable, "the key of a group is not of type \(Key.self)")
  }

  /// The groups that were not streamed to `take`.
  private func groups<Model, each Result>(
    _ predicate: Predicate<Model>?, _ includePendingChanges: Bool, keys: [GroupKey<Model>],
    place: ContextState.CodePlace, limit: Int? = nil,
    take: @escaping (AggregateRun<Model>.Group) throws -> Bool = { _ in true },
    aggregates: repeat Aggregate<Model, each Result>
  ) throws -> [AggregateRun<Model>.Group] where Model: PersistentModel {
    var descriptor = FetchDescriptor(predicate: predicate)
    descriptor.includePendingChanges = includePendingChanges
    var measures: [AskedMeasure<Model>] = []
    var columns: [[AnySelectedColumn<Model>]] = []
    for aggregate in repeat each aggregates {
      measures.append(AskedMeasure(aggregate.kind, aggregate.keyPath))
      columns.append(aggregate.columns())
    }
    func gatherings() -> [ModelGathering<Model>] {
      var gatherings: [ModelGathering<Model>] = []
      for aggregate in repeat each aggregates { gatherings.append(aggregate.gather()) }
      return gatherings
    }
    let run = AggregateRun(
      descriptor: descriptor, state: state, measures: measures, keys: keys, make: gatherings, columns: columns)
    state.notes?.forgetCall()
    let found = try state.traced(.aggregate, descriptor, place: place, note: { $1.found = $0.count }) {
      try state.call(.fetching) { try state.countingMemory(Model.self) { try run.groups(limit: limit, take: take) } }
    }
    state.notes?.endCall { _ in }
    return found.groups
  }

  // MARK: One value

  /// Computes the sum of a property over all models of a predicate; 0 if there are none.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func sum<Model, Number>(
    of keyPath: KeyPath<Model, Number>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Number.Sum where Model: PersistentModel, Number: Summable {
    try aggregate(Model.self, where: predicate, .sum(keyPath), fileID: fileID, line: line)
  }

  /// Computes the sum of the values that are not nil.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func sum<Model, Number>(
    of keyPath: KeyPath<Model, Number?>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Number.Sum where Model: PersistentModel, Number: Summable {
    try aggregate(Model.self, where: predicate, .sum(keyPath), fileID: fileID, line: line)
  }

  /// Computes the average of a property; nil if there are no values.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func average<Model, Number>(
    of keyPath: KeyPath<Model, Number>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Number.Average? where Model: PersistentModel, Number: Summable {
    try aggregate(Model.self, where: predicate, .average(keyPath), fileID: fileID, line: line)
  }

  /// Computes the average of the values that are not nil.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func average<Model, Number>(
    of keyPath: KeyPath<Model, Number?>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Number.Average? where Model: PersistentModel, Number: Summable {
    try aggregate(Model.self, where: predicate, .average(keyPath), fileID: fileID, line: line)
  }

  /// Finds the least value; nil if there are none. With an index it reads the first entry.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func minimum<Model, Value>(
    of keyPath: KeyPath<Model, Value>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Value? where Model: PersistentModel, Value: Comparable {
    try aggregate(Model.self, where: predicate, .min(keyPath), fileID: fileID, line: line)
  }

  /// Finds the least of the values that are not nil.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func minimum<Model, Value>(
    of keyPath: KeyPath<Model, Value?>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Value? where Model: PersistentModel, Value: Comparable {
    try aggregate(Model.self, where: predicate, .min(keyPath), fileID: fileID, line: line)
  }

  /// Finds the greatest value; nil if there are none. With an index it reads the last entry.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func maximum<Model, Value>(
    of keyPath: KeyPath<Model, Value>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Value? where Model: PersistentModel, Value: Comparable {
    try aggregate(Model.self, where: predicate, .max(keyPath), fileID: fileID, line: line)
  }

  /// Finds the greatest of the values that are not nil.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws.
  public func maximum<Model, Value>(
    of keyPath: KeyPath<Model, Value?>, where predicate: Predicate<Model>? = nil, fileID: StaticString = #fileID,
    line: UInt = #line
  ) throws -> Value? where Model: PersistentModel, Value: Comparable {
    try aggregate(Model.self, where: predicate, .max(keyPath), fileID: fileID, line: line)
  }
}
