internal import Foundation
internal import RoostGraph

/// Finds a model by the value of one property.
extension ModelContext {
  /// Finds the first model whose property has a value; nil if there is none.
  ///
  /// ```swift
  /// let track = try context.first(Track.self, where: \.id, is: id)
  /// ```
  ///
  /// The result is that of a fetch with the predicate `$0.id == id` and a limit of 1, with unsaved
  /// changes of this context. If the property has the attribute `.unique`, the call makes no
  /// predicate, and is faster. The key path must name a stored property of the model itself. Use a
  /// predicate for a part of a property, for a property of a related model, and for an `.ephemeral`
  /// property, which no store has.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath`` if the key path does not name such a property,
  ///   and what ``fetch(_:fileID:line:)`` throws.
  public func first<T, Value>(
    _ model: T.Type = T.self, where property: any KeyPath<T, Value> & Sendable, is value: Value
  ) throws -> T? where T: PersistentModel, Value: Codable & Equatable {
    guard let path = PathShelf.shared.path(property), case .property(let number) = path.end, path.references.isEmpty,
      path.change == .none
    else {
      throw SwiftDataError.unsupportedKeyPath.about(
        "\(property) is not a stored property of \(T._$type.name): use #Predicate for a part of one, or for related models"
      )
    }
    if !state.stores.isTraced,
      let found = try state.call(
        .fetching, { try PreparedFetch.objects(T.self, where: number, is: value, state: state) })
    {
      return found.first.map { unsafeDowncast($0, to: T.self) }
    }
    let predicate = Predicate<T> { model in
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_KeyPath(root: PredicateExpressions.build_Arg(model), keyPath: property),
        rhs: PredicateExpressions.build_Arg(value))
    }
    var descriptor = FetchDescriptor(predicate: predicate)
    descriptor.fetchLimit = 1
    return try fetch(descriptor).first
  }
}
