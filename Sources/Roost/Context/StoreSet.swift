internal import RoostFile
internal import RoostGraph

/// The stores of a container, and the store of each model.
final class StoreSet: StoreOwner {
  let stores: [GraphStore]
  /// Unowned references to the stores, for look-ups. With owned references, concurrent look-ups
  /// would contend for one reference count.
  private let borrowed: [Unmanaged<GraphStore>]
  /// The configuration of each store.
  let configurations: [ModelConfiguration]
  /// The plans of predicates that fetches remember.
  let templates = TemplateShelf()
  /// The contexts that use the stores.
  let contexts = OpenContexts()
  /// The objects that follow commits.
  let followers = CommitFollowers()
  private let rest = Rest()
  /// For each store, how long a serial write waits for another one, in nanoseconds.
  let writeTimeouts: [UInt64]
  /// The tracer of each store; nil if no store has one.
  let tracers: [Tracer?]?
  private let heard: [Int?]
  /// Whether a store is the working set of a store of the program's own.
  let hasWorkingSets: Bool
  /// Whether a store does not report the changes of other programs.
  var hasSilentStores: Bool { stores.contains { $0.backing?.tellsChanges == false } }
  private let places: [ObjectIdentifier: Place]
  private let byName: [String: Place]
  /// The places as a list, if there are few. Equal names are mostly the same memory, and comparing
  /// these is faster than hashing a name.
  private let few: [(name: String, place: Place)]

  struct Place: Sendable {
    var store: Int
    var map: EntityMap
  }

  /// Whether the stores show an earlier state of others. They read the others' files, so they end
  /// with this object, although models may keep them.
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
    // If the initializer throws, `deinit` does not run, so the stores are left here.
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

  /// Returns the version of the models, and whether the program names the whole version.
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

  /// Saves contexts with autosave, ends all contexts, and closes the stores that no other container
  /// uses.
  ///
  /// If it throws before the contexts have ended, nothing has changed. If it throws later, it can
  /// be called again.
  ///
  /// The main context belongs to the main actor, and so do the models that end with it. So if it is
  /// in use, and another thread calls this, the main actor does all of it.
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

  /// Closes as ``close(patienceNanoseconds:)`` does. Later calls of its contexts throw an error
  /// with this reason.
  func close(because reason: String) throws {
    contexts.explain(reason)
    try close()
    CommitWatch.tell()
  }

  private func closeHere(until deadline: UInt64) throws {
    // Outside of the lock, because a save may run any code of models.
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

  /// Notes a set that shows an earlier state of these stores, and ends with them.
  func note(past: StoreSet) throws {
    try rest.lock.withLock {
      try contexts.checkOpen()
      rest.pasts = rest.pasts.filter { $0.set != nil } + [Past(set: past)]
    }
  }

  /// Closes a store. Another thread may still read it for a moment, for example to report its last
  /// commit, so this retries for a quarter of a second.
  private static func close(_ store: GraphStore) throws {
    var polling = Polling(until: Clock.monotonicNanoseconds() + 250_000_000)
    while true {
      do { return try store.close() } catch { guard error.code == .busy, polling.pause() else { throw error } }
    }
  }

  /// Throws if the container was closed.
  func checkOpen() throws { try Doorway.pass { try contexts.checkOpen() } }

  /// Checks that a class and its subclasses are in one store, because they are rows of one entity.
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

  /// Finds the store of a class and its subclasses.
  func known(_ model: any _ModelObject.Type) throws -> Place {
    if let place = place(of: model) { return place }
    throw RoostError(
      .unknownModel, "the container was not made for \(model._$type.name): name it where the container is made")
  }

  /// Finds the row of an identifier; nil if it is in none of these stores.
  func row(of identifier: PersistentIdentifier) -> (place: Place, row: UInt64)? {
    guard let place = place(named: identifier.entityName),
      let row = borrowed[place.store]._withUnsafeGuaranteedRef({ $0.row(of: identifier, place.map) })
    else { return nil }
    return (place, row)
  }

  /// Finds the row of an identifier. Throws for an identifier of another container's store.
  func knownRow(of identifier: PersistentIdentifier) throws -> (place: Place, row: UInt64) {
    if let found = row(of: identifier) { return found }
    guard place(named: identifier.entityName) != nil else {
      throw RoostError(.unknownModel, "the container has no model named \(identifier.entityName)")
    }
    throw RoostError(.foreign, "the identifier belongs to another store than this container's")
  }
}

/// The stores that a container still has to close.
private final class Rest: @unchecked Sendable {
  // Unchecked because `lock` guards the fields.
  let lock = Lock()
  /// The stores that no other container uses.
  var stores: [GraphStore] = []
  /// The sets that show earlier states, and read the files of these stores.
  var pasts: [Past] = []
}

private struct Past {
  weak var set: StoreSet?
}
