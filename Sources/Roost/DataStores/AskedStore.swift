package import RoostGraph
package import RoostQuery
package import RoostRecords

/// A store in one of Roost's own packages. It gets predicates as expressions of the engine.
package protocol AskedStore: DataStore where Snapshot == DefaultSnapshot {
  /// Returns the models of a question, or more; the answer says which.
  func answer(_ question: StoreQuestion) throws -> StoreAnswer
  /// Returns the number of models; nil if it must fetch them to count them.
  func count(_ question: StoreQuestion) throws -> Int?
  /// Returns those of some models that the store has.
  ///
  /// - Parameter lists: whether to return the members of all lists. Otherwise it returns only the
  ///   lists that the working set has already.
  func load(_ identifiers: [PersistentIdentifier], lists: Bool) throws -> [SnapshotContent]
  /// Called when the working set has the values of these models. Until then a save may be based on
  /// the earlier values.
  func took(_ contents: [SnapshotContent])
  /// Whether the store wants ``willSave(_:)`` before each save.
  var asksForChanges: Bool { get }
  /// Called before a save, with the objects that it updates and the bits of the properties that
  /// were set in them.
  func willSave(_ changes: [(model: PersistentIdentifier, properties: UInt64)])
  /// Returns how much of a content the working set has already, so that it need not be written.
  func known(_ content: SnapshotContent) -> KnownPart
  /// Whether the store reports changes of other programs.
  var tellsChanges: Bool { get }
  /// Called when the container is made. From now on the store reports changes of other programs.
  func begin(_ news: StoreNews)
  /// Called when the container is closed. No other call is running, and later calls throw an error
  /// with the code `closed`.
  func end()
}

/// How much of a content a working set has.
package enum KnownPart: Sendable {
  case nothing
  /// All except the members of lists.
  case values
  case all
}

/// The receiver of changes that other programs made in a store.
package struct StoreNews: Sendable {
  weak var workingSet: WorkingSet?

  /// Whether live results or observers of this container follow changes. They need new models too.
  package var isFollowed: Bool { workingSet?.isFollowed == true }

  /// Shows in all contexts the content that a closure returns. The closure runs while no other call
  /// to the store is running.
  package func show(_ body: () throws -> NewsContent) throws { try workingSet?.show(body) }
}

/// Changes in a store.
package struct NewsContent {
  /// The current content of models.
  package var contents: [SnapshotContent] = []
  /// Models that no longer exist.
  package var gone: [PersistentIdentifier] = []

  package init() {}
}

/// A fetch, as a question to a store.
package struct StoreQuestion: Sendable {
  /// The class of the models. The question includes its subclasses.
  package let map: EntityMap
  /// The catalog with the entities, fields and relationships of the condition.
  package let catalog: Catalog
  /// The condition of the models; nil for all models.
  package let condition: RoostQuery.Expression?
  /// Whether the condition is the whole predicate.
  package let isWhole: Bool
  /// The order; nil if the engine cannot express it.
  package let orders: [Order]?
  /// The limit, if the store's answer can be the whole result.
  package let limit: Int?
  private let rows: QuestionRows

  /// Returns the identifier of a row that the condition names; nil for a row that the store cannot
  /// have.
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
  /// Whether the store tested the whole condition. Otherwise it may return more models.
  package var isTested: Bool
  /// Describes what the store did, in lines: for ``FetchExplanation``.
  package var report: () -> [String]

  package init(_ contents: [SnapshotContent], isTested: Bool, report: @escaping () -> [String] = { [] }) {
    (self.contents, self.isTested, self.report) = (contents, isTested, report)
  }
}

extension StoreQuestion {
  /// - Parameter from: a condition on the order that the wanted models fulfil too.
  init<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ map: EntityMap, from start: RoostQuery.Expression?, graph: GraphContext
  ) throws {
    let rows = QuestionRows(graph.store)
    let translation = try descriptor.predicate.map { try Translation($0, map, graph: graph, unknown: rows) }
    let isBlind = graph.hasUnsaved(translation?.passesThrough ?? [], for: descriptor)
    self.map = map
    self.rows = rows
    catalog = try graph.session.catalog()
    let isWhole = !isBlind && translation?.tests.isEmpty != false
    self.isWhole = isWhole
    let rules = SortRules(descriptor.sortBy)
    let found = rules.orders(map, graph.store).flatMap {
      graph.hasUnsaved($0.passes, for: descriptor) ? nil : $0.orders
    }
    let orders = rules.isEmpty ? [] : found
    self.orders = orders
    let own = isBlind ? nil : translation?.condition
    let start = orders == nil ? nil : start
    condition = start.map { start in own.map { start && $0 } ?? start } ?? own
    limit = descriptor.fetchLimit.flatMap { $0 > 0 && isWhole && orders != nil ? $0 : nil }
  }
}

extension GraphContext {
  /// Whether a fetch would read unsaved changes of some entities. The store does not see them.
  func hasUnsaved<Model: PersistentModel>(_ maps: [EntityMap], for descriptor: FetchDescriptor<Model>) -> Bool {
    descriptor.includePendingChanges && maps.contains { hasPending($0) }
  }
}
