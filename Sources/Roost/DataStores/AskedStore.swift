package import RoostGraph
package import RoostQuery
package import RoostRecords

/// A store of a package of ours, which gets predicates in the engine's words.
package protocol AskedStore: DataStore where Snapshot == DefaultSnapshot {
  /// The models that a question asks for, or more: the answer says which.
  func answer(_ question: StoreQuestion) throws -> StoreAnswer
  /// How many there are; nil where they must be fetched to tell.
  func count(_ question: StoreQuestion) throws -> Int?
  /// Those of some models that the store has.
  ///
  /// - Parameter lists: whether the members of all lists are returned. Otherwise they are returned of those models whose lists the working set
  ///   has.
  func load(_ identifiers: [PersistentIdentifier], lists: Bool) throws -> [SnapshotContent]
  /// The working set has the values of these models from now on. Until then a save may be based on those that it had before.
  func took(_ contents: [SnapshotContent])
  /// Whether the store wants ``willSave(_:)`` before each save.
  var asksForChanges: Bool { get }
  /// Objects that the next save updates, and the bits of the properties that were set in them.
  func willSave(_ changes: [(model: PersistentIdentifier, properties: UInt64)])
  /// What of a content the working set has already, so that it need not be written.
  func known(_ content: SnapshotContent) -> KnownPart
  /// Whether it tells what other programs change.
  var tellsChanges: Bool { get }
  /// The container is made. From now on the store tells what other programs change.
  func begin(_ news: StoreNews)
  /// The container is closed. No other call is under way, and those that come later throw an error with the code `closed`.
  func end()
}

/// What of a content a working set has.
package enum KnownPart: Sendable {
  case nothing
  /// All but the members of lists.
  case values
  case all
}

/// Where a store tells what other programs changed.
package struct StoreNews: Sendable {
  weak var workingSet: WorkingSet?

  /// Whether live results or observers of this container wait for changes. They need new models too.
  package var isFollowed: Bool { workingSet?.isFollowed == true }

  /// Shows in all contexts what a closure returns. It is run while no other call to the store is under way.
  package func show(_ body: () throws -> NewsContent) throws { try workingSet?.show(body) }
}

/// What changed in a store.
package struct NewsContent {
  /// Models as they are now.
  package var contents: [SnapshotContent] = []
  /// Models that are not there any more.
  package var gone: [PersistentIdentifier] = []

  package init() {}
}

/// What a fetch asks of a store.
package struct StoreQuestion: Sendable {
  /// The class of the models; those of subclasses are asked for too.
  package let map: EntityMap
  /// What entities, fields and relationships the condition speaks of.
  package let catalog: Catalog
  /// What is true of the models; nil for all.
  package let condition: RoostQuery.Expression?
  /// Whether the condition is all that the predicate says.
  package let isWhole: Bool
  /// Nil where the engine has no words for the order.
  package let orders: [Order]?
  /// Given only where the store's answer can be the whole one.
  package let limit: Int?
  private let rows: QuestionRows

  /// The identifier of a row that the condition names. Nil for a row that the store cannot have.
  package func identifier(_ entity: EntityID, _ row: RowID) -> PersistentIdentifier? { rows.identifier(entity, row) }
}

extension StoreQuestion {
  /// Whether the answer to another question answers this one too.
  func isAnswered(by other: StoreQuestion) -> Bool {
    let isEnough = other.limit.map { most in limit.map { $0 <= most } ?? false } ?? true
    return map === other.map && condition == other.condition && isWhole == other.isWhole && orders == other.orders
      && isEnough
  }
}

/// A store's answer to a question.
package struct StoreAnswer {
  package var contents: [SnapshotContent]
  /// Whether the models were tested by the whole condition. Otherwise there may be more than those for which it is true.
  package var isTested: Bool
  /// What the store did, a line each: for ``FetchExplanation``.
  package var report: () -> [String]

  package init(_ contents: [SnapshotContent], isTested: Bool, report: @escaping () -> [String] = { [] }) {
    (self.contents, self.isTested, self.report) = (contents, isTested, report)
  }
}

extension StoreQuestion {
  init<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, _ map: EntityMap, graph: GraphContext) throws {
    let rows = QuestionRows(graph.store)
    let translation = try descriptor.predicate.map { try Translation($0, map, graph: graph, unknown: rows) }
    // The store does not see changes of related rows that wait in the context.
    func isPending(_ maps: [EntityMap]) -> Bool {
      descriptor.includePendingChanges && maps.contains { graph.hasPending($0) }
    }
    let isBlind = isPending(translation?.passesThrough ?? [])
    self.map = map
    self.rows = rows
    catalog = try graph.session.catalog()
    condition = isBlind ? nil : translation?.condition
    let isWhole = !isBlind && translation?.tests.isEmpty != false
    self.isWhole = isWhole
    let rules = SortRules(descriptor.sortBy)
    let found = rules.orders(map, graph.store).flatMap { isPending($0.passes) ? nil : $0.orders }
    let orders = rules.isEmpty ? [] : found
    self.orders = orders
    limit = descriptor.fetchLimit.flatMap { $0 > 0 && isWhole && orders != nil ? $0 : nil }
  }
}
