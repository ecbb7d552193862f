internal import RoostGraph

/// The calls of fetches to the store behind a working set.
protocol FetchSource: BackingStore {
  /// Fetches the models of a descriptor into the working set.
  func rows<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for context: any BackedContext) throws
    -> SourceAnswer

  /// How many models there are; nil where the store cannot tell without the models.
  func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for context: any BackedContext) throws
    -> Int?

  /// Fetches all unloaded rows of an entity. Returns whether there were any.
  ///
  /// - Parameter lists: whether the members of lists are needed too.
  func loadAll(_ map: EntityMap, for context: any BackedContext, lists: Bool) throws -> Bool
}

/// The rows of the working set that a store returned.
struct SourceAnswer {
  /// In the store's order.
  var rows: [UInt64]
  /// Whether the store tested the predicate.
  var isFiltered: Bool
  /// What the store did, a line each.
  var report: () -> [String] = { [] }
}

extension GraphContext {
  /// The store behind the working set; nil for Roost's own stores, and for the context that writes what was fetched.
  var source: (any FetchSource)? {
    guard let backing = store.backing, !feeds else { return nil }
    return backing as? any FetchSource
  }
}
