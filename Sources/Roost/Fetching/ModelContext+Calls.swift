public import Foundation
internal import RoostGraph
internal import RoostQuery

/// Fetches with the place of the call, for traces. The compiler prefers them to the functions in
/// `ModelContext+Fetch.swift`, which serve code that names a function without calling it, such as
/// `let fetch = context.fetch`.
extension ModelContext {
  /// Fetches the models of a descriptor.
  ///
  /// ```swift
  /// let recent = FetchDescriptor<Song>(predicate: #Predicate { $0.year > 1975 }, sortBy: [SortDescriptor(\.title)])
  /// for song in try context.fetch(recent) { print(song.title) }
  /// ```
  ///
  /// The result includes unsaved changes of this context, unless
  /// ``FetchDescriptor/includePendingChanges`` is false. The context has one object for each model,
  /// so models that it has already are the same objects.
  ///
  /// - Parameters:
  ///   - descriptor: the predicate, the order, the limit and the offset.
  ///   - fileID: the file of the call, for traces.
  ///   - line: the line of the call, for traces.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` or ``SwiftDataError/unsupportedSortDescriptor`` if a part of the descriptor cannot be
  ///   evaluated, and ``RoostError`` if the class is not a model of the container or the store cannot be read.
  @inlinable
  public func fetch<T>(
    _ descriptor: FetchDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [T] where T: PersistentModel {
    // Inlined into the caller, whose types are known at compile time.
    if let predicate = descriptor.predicate, descriptor.sortBy.isEmpty,
      descriptor.relationshipKeyPathsForPrefetching.isEmpty,
      let found = try knownObjects(
        T.self, predicate.expression, variable: predicate.variable.key,
        includesPending: descriptor.includePendingChanges,
        offset: descriptor.fetchOffset, limit: descriptor.fetchLimit)
    {
      // Arrays of objects have one memory layout for all classes.
      return unsafeBitCast(found, to: [T].self)
    }
    return try fetchAny(descriptor, fileID, line: line)
  }

  @usableFromInline
  func fetchAny<T>(_ descriptor: FetchDescriptor<T>, _ fileID: StaticString, line: UInt) throws -> [T]
  where T: PersistentModel {
    guard state.stores.isTraced else { return try found(descriptor) }
    return try state.traced(.fetch, descriptor, place: (fileID, line), note: { $1.found = $0.count }) {
      try found(descriptor)
    }
  }

  /// Counts the models of a descriptor. It makes no model, and reads no row if an index has the
  /// count.
  ///
  /// - Parameters:
  ///   - descriptor: the predicate, the limit and the offset.
  ///   - fileID: the file of the call, for traces.
  ///   - line: the line of the call, for traces.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a part of the predicate cannot be evaluated, and ``RoostError`` if the class is
  ///   not a model of the container or the store cannot be read.
  @inlinable
  public func fetchCount<T>(
    _ descriptor: FetchDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> Int where T: PersistentModel {
    if let predicate = descriptor.predicate, descriptor.sortBy.isEmpty, descriptor.fetchLimit == nil,
      descriptor.fetchOffset == nil,
      let count = try knownCount(
        T.self, predicate.expression, variable: predicate.variable.key,
        includesPending: descriptor.includePendingChanges)
    {
      return count
    }
    return try countAny(descriptor, fileID, line: line)
  }

  @usableFromInline
  func countAny<T>(_ descriptor: FetchDescriptor<T>, _ fileID: StaticString, line: UInt) throws -> Int
  where T: PersistentModel {
    guard state.stores.isTraced else { return try counted(descriptor) }
    return try state.traced(.count, descriptor, place: (fileID, line), note: { $1.found = $0 }) {
      try counted(descriptor)
    }
  }

  /// Fetches the identifiers of the models of a descriptor, in its order. It makes no model.
  ///
  /// - Parameters:
  ///   - descriptor: the predicate, the order, the limit and the offset.
  ///   - fileID: the file of the call, for traces.
  ///   - line: the line of the call, for traces.
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if a part of the predicate cannot be evaluated, and
  ///   ``RoostError`` if the store cannot be read.
  public func fetchIdentifiers<T>(
    _ descriptor: FetchDescriptor<T>, fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    guard state.stores.isTraced else { return try identified(descriptor) }
    return try state.traced(.identifiers, descriptor, place: (fileID, line), note: { $1.found = $0.count }) {
      try identified(descriptor)
    }
  }

  // MARK: Predicates with a known translation

  @usableFromInline
  func knownObjects(
    _ model: any PersistentModel.Type, _ expression: any PredicateExpression<Bool>,
    variable: PredicateExpressions.VariableID, includesPending: Bool, offset: Int?, limit: Int?
  ) throws -> [AnyObject]? {
    if state.stores.isTraced { return nil }
    let asked = PreparedFetch.Asked(
      model: model, expression: expression, variable: variable, includesPending: includesPending)
    return try state.call(.fetching) { try PreparedFetch.objects(asked, offset, limit: limit, state: state) }
  }

  @usableFromInline
  func knownCount(
    _ model: any PersistentModel.Type, _ expression: any PredicateExpression<Bool>,
    variable: PredicateExpressions.VariableID, includesPending: Bool
  ) throws -> Int? {
    if state.stores.isTraced { return nil }
    let asked = PreparedFetch.Asked(
      model: model, expression: expression, variable: variable, includesPending: includesPending)
    return try state.call(.fetching) { try PreparedFetch.count(asked, state) }
  }
}
