internal import RoostFile
internal import RoostGraph

/// The stores of a container, and which model is kept in which of them.
final class StoreSet: StoreOwner {
  let stores: [GraphStore]
  /// The stores, for look-ups. Threads that look up at the same time would write to one reference count.
  private let borrowed: [Unmanaged<GraphStore>]
  /// The configuration of each store.
  let configurations: [ModelConfiguration]
  /// What fetches have found out about predicates.
  let templates = TemplateShelf()
  /// The contexts that use them.
  let contexts = OpenContexts()
  /// Who follows their commits.
  let followers = CommitFollowers()
  private let rest = Rest()
  /// By store, how long a serial write waits for another one, in nanoseconds.
  let writeTimeouts: [UInt64]
  /// Who wants to know what each store does; nil where nobody does.
  let tracers: [Tracer?]?
  private let heard: [Int?]
  /// Whether one of them is the working set of a store of the program's own.
  let hasWorkingSets: Bool
  /// Whether one of these does not tell what other programs change.
  var hasSilentStores: Bool { stores.contains { $0.backing?.tellsChanges == false } }
  private let places: [ObjectIdentifier: Place]
  private let byName: [String: Place]
  /// The same where there are few: to compare names that are mostly one text in memory takes less than to hash one.
  private let few: [(name: String, place: Place)]

  struct Place: Sendable {
    var store: Int
    var map: EntityMap
  }

  /// Whether they show what others held before. Then they end with this object, although models may keep them: they read the others' files.
  private let isPast: Bool

  init(
    _ schema: Schema, _ configurations: [ModelConfiguration], plan: (any SchemaMigrationPlan.Type)? = nil,
    isPast: Bool = false,
    opening open: (ModelConfiguration, [ModelPlan], GraphStore.Opening) throws -> GraphStore = OpenGraphs.shared.store
  ) throws {
    var groups = configurations.map { (configuration: $0, models: [any PersistentModel.Type]()) }
    for (model, entity) in zip(schema.models, schema.entities) {
      let place = groups.firstIndex { $0.configuration.schema?.entitiesByName[entity.name] != nil }
      guard let place = place ?? groups.firstIndex(where: { $0.configuration.schema == nil }) else {
        throw SwiftDataError.loadIssueModelContainer.about(
          "no configuration names \(entity.name): add it to the schema of one, or make one configuration without a schema"
        )
      }
      groups[place].models.append(model)
    }
    try Self.checkFamilies(groups)
    var stores: [GraphStore] = []
    var tracers: [Tracer?] = []
    var heard: [Int?] = []
    var places: [ObjectIdentifier: Place] = [:]
    let version = Self.version(schema, plan)
    // The end of an object that was not made whole is not told.
    var isWhole = false
    defer { if !isWhole { for store in stores { OpenGraphs.shared.leave(store, isClosing: false) } } }
    for group in groups {
      let plans = group.models.compactMap { model in
        schema.entitiesByName[model._$type.name].map { ModelPlan($0, model) }
      }
      let configuration = group.configuration
      let tracer = Tracer(
        store: configuration.name, configuration.traceHandler, threshold: configuration.traceThreshold)
      let store = try OpeningTrace(tracer).run {
        try Doorway.pass {
          var opening = configuration.opening
          opening.version = version
          if let plan {
            let migration = StagedMigration(
              plan: plan, models: plans, others: Set(schema.entities.map(\.name)).subtracting(plans.map(\.type.name)),
              opening: opening)
            (opening.migration, opening.check) = (migration.run, migration.check)
          }
          let store = try open(configuration, plans, opening)
          try store.fillComputed()
          return store
        }
      }
      tracers.append(tracer)
      heard.append(tracer?.hearCheckpoints(store))
      for model in group.models {
        if let map = store.map(of: model) {
          places[ObjectIdentifier(model)] = Place(store: stores.count, map: map)
        }
      }
      stores.append(store)
    }
    self.stores = stores
    borrowed = stores.map { .passUnretained($0) }
    self.isPast = isPast
    hasWorkingSets = stores.contains { $0.backing != nil }
    self.configurations = configurations
    writeTimeouts = configurations.map(\.writeTimeoutNanoseconds)
    self.places = places
    self.tracers = tracers.contains { $0 != nil } ? tracers : nil
    self.heard = heard
    let byName = Dictionary(places.values.map { ($0.map.type.name, $0) }) { first, _ in first }
    self.byName = byName
    few = byName.count > 16 ? [] : byName.map { ($0.key, $0.value) }
    isWhole = true
    OpenGraphs.shared.note(self, of: stores)
    if configurations.contains(where: { !$0.isStoredInMemoryOnly }) { ExitHook.shared.add(self) }
  }

  /// The version of the models, and whether the program names all of it.
  private static func version(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) -> OpeningVersion {
    if schema.isVersioned { return OpeningVersion(schema.version.description, isWhole: true) }
    let models = Set(schema.models.map { ObjectIdentifier($0) })
    let named = plan?.schemas.last { version in version.models.allSatisfy { models.contains(ObjectIdentifier($0)) } }
    if let named { return OpeningVersion(named.versionIdentifier.description, isWhole: true) }
    return OpeningVersion(schema.version.description, isWhole: false)
  }

  deinit {
    ExitHook.shared.remove(self)
    if !contexts.isClosed { for store in stores { OpenGraphs.shared.leave(store, isClosing: false) } }
    if isPast { for store in stores { try? store.close() } }
    for case (let number?, let store) in zip(heard, stores) { store.forgetCheckpoints(number) }
  }

  /// Saves contexts that save by themselves, ends all contexts, and closes the stores that no other container uses.
  ///
  /// Where it throws before the contexts have ended, nothing has changed; after that it can be called again.
  ///
  /// The main context belongs to the main actor, and models that end with it too. So where it is in use, and another thread calls this,
  /// all of it is done on the main actor.
  func close(patienceNanoseconds: UInt64 = 10_000_000_000) throws {
    let deadline = Clock.monotonicNanoseconds() + patienceNanoseconds
    if MainQueue.isCurrent || !contexts.hasMain { return try closeHere(until: deadline) }
    var result: Result<Void, any Error>?
    let isDone = MainQueue.run(until: deadline) {
      result = Result { try self.closeHere(until: deadline) }
      CommitWatch.tell()
    }
    guard isDone, let result else {
      throw GraphFault(
        .twoThreads,
        "Only the main thread can close the main context, and it was blocked for \(patienceNanoseconds / 1_000_000) ms. Close on the "
          + "main actor, or do not block the main thread while another thread closes."
      )
    }
    try result.get()
  }

  /// Closes as ``close(patienceNanoseconds:)`` does; calls of its contexts throw an error that says why.
  func close(because reason: String) throws {
    contexts.explain(reason)
    try close()
    CommitWatch.tell()
  }

  private func closeHere(until deadline: UInt64) throws {
    // Outside of the lock, since models may do anything when they are saved.
    if !contexts.isClosed { for (state, _) in contexts.savers() { try state.saveBeforeClosing() } }
    try rest.lock.withLock {
      if !contexts.isClosed {
        contexts.close()
        rest.stores = stores.filter { OpenGraphs.shared.leave($0, isClosing: true) }
      }
      for past in rest.pasts { try past.set?.close() }
      guard contexts.shut(until: deadline) else {
        throw GraphFault(
          .twoThreads,
          "another thread uses a context of the container: wait for it, then close the container again")
      }
      while let store = rest.stores.last {
        try Self.close(store)
        rest.stores.removeLast()
      }
    }
    followers.end()
    for store in stores { store.backing?.close() }
  }

  /// A set shows from now on what these stores held before, and ends with them.
  func note(past: StoreSet) throws {
    try rest.lock.withLock {
      try contexts.checkOpen()
      rest.pasts = rest.pasts.filter { $0.set != nil } + [Past(set: past)]
    }
  }

  /// Closes a store. Another thread may read it for a moment, as one that tells of its last commit, so it is tried again for a quarter of a second.
  private static func close(_ store: GraphStore) throws {
    var polling = Polling(until: Clock.monotonicNanoseconds() + 250_000_000)
    while true {
      do { return try store.close() } catch { guard error.code == .busy, polling.pause() else { throw error } }
    }
  }

  /// Throws where the container was closed.
  func checkOpen() throws { try Doorway.pass { try contexts.checkOpen() } }

  /// A class and those that inherit from it are rows of one entity.
  private static func checkFamilies(
    _ groups: [(configuration: ModelConfiguration, models: [any PersistentModel.Type])]
  ) throws {
    for group in groups {
      for model in group.models {
        guard let above = model._$type.superType, !group.models.contains(where: { $0._$type === above }) else {
          continue
        }
        throw SwiftDataError.loadIssueModelContainer.about(
          "\(model._$type.name) inherits from \(above.name), so both must be in one store: name them in one configuration"
        )
      }
    }
  }

  func place(of model: any _ModelObject.Type) -> Place? { places[ObjectIdentifier(model)] }
  func place(named entity: String) -> Place? {
    if few.isEmpty { return byName[entity] }
    for one in few where one.name == entity { return one.place }
    return nil
  }

  /// Where models of a class are, and those of its subclasses.
  func known(_ model: any _ModelObject.Type) throws -> Place {
    if let place = place(of: model) { return place }
    throw RoostError(
      .unknownModel, "the container was not made for \(model._$type.name): name it where the container is made")
  }

  /// Where the row of an identifier is; nil where it is none of these stores'.
  func row(of identifier: PersistentIdentifier) -> (place: Place, row: UInt64)? {
    guard let place = place(named: identifier.entityName),
      let row = borrowed[place.store]._withUnsafeGuaranteedRef({ $0.row(of: identifier, place.map) })
    else { return nil }
    return (place, row)
  }

  /// The place of an identifier's row. Throws for an identifier of another container's store.
  func knownRow(of identifier: PersistentIdentifier) throws -> (place: Place, row: UInt64) {
    if let found = row(of: identifier) { return found }
    guard place(named: identifier.entityName) != nil else {
      throw RoostError(.unknownModel, "the container has no model named \(identifier.entityName)")
    }
    throw RoostError(.foreign, "the identifier belongs to another store than this container's")
  }
}

/// What a container has still to close.
private final class Rest: @unchecked Sendable {
  // Unchecked because `lock` guards the fields.
  let lock = Lock()
  /// Those that no other container uses.
  var stores: [GraphStore] = []
  /// Sets that show what the stores held before, and read their files.
  var pasts: [Past] = []
}

private struct Past {
  weak var set: StoreSet?
}
