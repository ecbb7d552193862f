public import Foundation

/// Values for each group of models with equal keys.
///
/// One function has any number of keys and values. The others have one key. In a closure, the compiler
/// finds neither `>` nor other members of a pack of one element.
extension ModelContext {
  /// Computes values for each group of models with equal keys. A key may be a property of a
  /// referenced model:
  ///
  /// ```swift
  /// let genres = try context.aggregate(
  ///   Track.self, .count, .average(\.duration), by: \.album?.genre, having: { $0.values.0 > 10 })
  /// ```
  ///
  /// Groups are sorted by their keys, nil first, unless you give `sortedBy`. `having` selects
  /// groups, and `limit` is the largest number of groups to return.
  ///
  /// If an index begins with the keys, Roost may make the groups one after another along it. It then
  /// keeps only the groups that `having` selects, and a `limit` ends the reading.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:fileID:line:)`` throws, and
  ///   ``RoostError`` with the code `badValue` if the limit is negative.
  public func aggregate<Model, FirstKey: Hashable, each Key: Hashable, each Result>(
    _ model: Model.Type, where predicate: Predicate<Model>? = nil, includePendingChanges: Bool = true,
    _ aggregates: repeat Aggregate<Model, each Result>, by firstKey: KeyPath<Model, FirstKey>,
    _ keys: repeat KeyPath<Model, each Key>,
    having isWanted: ((AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>) throws -> Bool)? = nil,
    sortedBy areInIncreasingOrder: (
      (
        AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>,
        AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>
      ) throws -> Bool
    )? = nil,
    limit: Int? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [AggregateGroup<(FirstKey, repeat each Key), (repeat each Result)>] where Model: PersistentModel {
    try grouped(
      predicate, includePendingChanges, aggregates: repeat each aggregates, by: firstKey, keys: repeat each keys,
      having: isWanted,
      sortedBy: areInIncreasingOrder, limit: limit, place: (fileID, line))
  }

  /// Computes values for each group of models with an equal key.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:by:_:having:sortedBy:limit:fileID:line:)`` throws.
  public func aggregate<Model, FirstKey: Hashable, each Result>(
    _ model: Model.Type, where predicate: Predicate<Model>? = nil, includePendingChanges: Bool = true,
    _ aggregates: repeat Aggregate<Model, each Result>, by firstKey: KeyPath<Model, FirstKey>,
    having isWanted: ((AggregateGroup<FirstKey, (repeat each Result)>) throws -> Bool)? = nil,
    sortedBy areInIncreasingOrder: (
      (AggregateGroup<FirstKey, (repeat each Result)>, AggregateGroup<FirstKey, (repeat each Result)>) throws -> Bool
    )? = nil,
    limit: Int? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [AggregateGroup<FirstKey, (repeat each Result)>] where Model: PersistentModel {
    try grouped(
      predicate, includePendingChanges, aggregates: repeat each aggregates, by: firstKey, having: isWanted,
      sortedBy: areInIncreasingOrder, limit: limit, place: (fileID, line))
  }

  /// Computes one value for each group of models with an equal key.
  ///
  /// - Throws: what ``aggregate(_:where:includePendingChanges:_:by:_:having:sortedBy:limit:fileID:line:)`` throws.
  public func aggregate<Model, FirstKey: Hashable, Result>(
    _ model: Model.Type, where predicate: Predicate<Model>? = nil, includePendingChanges: Bool = true,
    _ aggregate: Aggregate<Model, Result>, by firstKey: KeyPath<Model, FirstKey>,
    having isWanted: ((AggregateGroup<FirstKey, Result>) throws -> Bool)? = nil,
    sortedBy areInIncreasingOrder: (
      (AggregateGroup<FirstKey, Result>, AggregateGroup<FirstKey, Result>) throws -> Bool
    )? = nil,
    limit: Int? = nil, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [AggregateGroup<FirstKey, Result>] where Model: PersistentModel {
    try grouped(
      predicate, includePendingChanges, aggregates: aggregate, by: firstKey, having: isWanted,
      sortedBy: areInIncreasingOrder, limit: limit, place: (fileID, line))
  }
}
