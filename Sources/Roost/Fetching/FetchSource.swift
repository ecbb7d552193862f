internal import RoostGraph
internal import RoostQuery

/// The calls of fetches to the store of a working set.
protocol FetchSource: BackingStore {
  /// Fetches the models of a descriptor into the working set.
  ///
  /// - Parameter from: a condition that the wanted models fulfil too. A store may ignore it.
  func rows<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, from start: RoostQuery.Expression?, for context: any BackedContext
  ) throws -> SourceAnswer

  /// Whether the store sorts as the engine does, and models with equal sort values by their
  /// identifiers.
  var sortsAsEngine: Bool { get }

  /// Counts models; nil if the store cannot count without fetching them.
  func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for context: any BackedContext) throws
    -> Int?

  /// Fetches all unloaded rows of an entity. Returns whether there were any.
  ///
  /// - Parameter lists: whether to fetch the members of lists too.
  func loadAll(_ map: EntityMap, for context: any BackedContext, lists: Bool) throws -> Bool
}

/// The rows that a working set's store has to return.
struct FetchReach {
  /// How many of the first ones in the order are enough; nil for all.
  var limit: Int?
  /// A condition that the wanted ones fulfil, beside the predicate.
  var start: RoostQuery.Expression?
}

/// The rows of the working set that a store returned.
struct SourceAnswer {
  /// The rows, in the store's order.
  var rows: [UInt64]
  /// Whether the store tested the predicate.
  var isFiltered: Bool
  /// Describes what the store did, in lines.
  var report: () -> [String] = { [] }
}

extension GraphContext {
  /// The store of the working set; nil for Roost's own stores, and for the context that writes
  /// fetched rows.
  var source: (any FetchSource)? {
    guard let backing = store.backing, !feeds else { return nil }
    return backing as? any FetchSource
  }
}
