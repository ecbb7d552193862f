internal import RoostGraph

/// Containers with stores of your program's own.
extension ModelContainer {
  /// Makes a container of model classes with stores of your program's own, Roost's stores, or both.
  ///
  /// - Parameters:
  ///   - forTypes: the classes. Models that their relationships reference are added.
  ///   - migrationPlan: the plan. Each store runs it separately.
  ///   - configurations: one for each store, such as `PostgresConfiguration` or a type of your
  ///     program.
  /// - Throws: what the stores throw when they are opened, and what the other initializers of
  ///   ``ModelContainer`` throw.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Makes a container with Roost's stores and stores of your program's own. Each configuration
  /// names its models by its `schema`; a configuration without a schema keeps the others.
  ///
  /// Each store runs the migration plan separately. A store of your program's own gets it in
  /// ``DataStore/init(_:migrationPlan:)``.
  ///
  /// - Throws: what the stores throw when they are opened, and what the other initializers of
  ///   ``ModelContainer`` throw.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [any DataStoreConfiguration]
  ) throws {
    let known = try configurations.map { try Self.known($0, givenSchema, plan: migrationPlan) }
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: known)
    attachStores()
  }

  /// Makes a container with one store that the caller has opened.
  package convenience init(for schema: Schema, over store: some DataStore) throws {
    try self.init(for: schema, configurations: [Self.known(store, "stage", schema: schema)])
    attachStores()
  }

  private func attachStores() {
    for case let set as WorkingSet in stores.stores.compactMap(\.backing) { set.attach(self) }
  }

  /// The stores of the program's own, for tests.
  package var dataStores: [any DataStore] { stores.stores.compactMap { ($0.backing as? WorkingSet)?.store } }

  /// Returns the models of identifiers of a program's own store, in a context of this container.
  /// Models that do not exist are left out.
  package func models(
    _ identifiers: [PersistentIdentifier], in context: ModelContext
  ) throws -> [PersistentIdentifier: any PersistentModel] {
    guard let set = stores.stores.lazy.compactMap({ $0.backing as? WorkingSet }).first else { return [:] }
    return try set.models(identifiers, in: context)
  }

  /// Calls each store of a type, on a thread that may wait for a network.
  package func waiting<Store: DataStore>(
    for type: Store.Type, _ body: @escaping @Sendable (Store) throws -> Void
  ) async throws {
    for case let set as WorkingSet in stores.stores.compactMap(\.backing) where set.store is Store {
      try await set.waiting {
        try set.exclusively { if let store = set.store as? Store { try body(store) } }
      }
    }
  }

  /// Makes the store of a configuration.
  private static func known(
    _ configuration: some DataStoreConfiguration, _ schema: Schema, plan: (any SchemaMigrationPlan.Type)?
  ) throws -> ModelConfiguration {
    if let known = configuration as? ModelConfiguration { return known }
    try configuration.validate()
    var given = configuration
    // Stores that follow SwiftData's documentation expect a schema.
    if given.schema == nil { given.schema = schema }
    let here = Set(given.schema?.entities.map(\.name) ?? [])
    func make<Configuration: DataStoreConfiguration>(_ configuration: Configuration) throws -> any DataStore {
      try PlanNeighbours.$entities.withValue(Set(schema.entities.map(\.name)).subtracting(here)) {
        try Configuration.Store(configuration, migrationPlan: plan)
      }
    }
    return known(try make(given), configuration.name, schema: configuration.schema)
  }

  private static func known(_ store: any DataStore, _ name: String, schema: Schema?) -> ModelConfiguration {
    var known = ModelConfiguration(name, schema: schema, isStoredInMemoryOnly: true)
    // Fetched snapshots are not changes, so they are not recorded.
    known.history = .off
    known.backing = BackingPlace(WorkingSet(store))
    return known
  }
}

/// The entities of a container's other stores, while one of its stores is made.
package enum PlanNeighbours {
  @TaskLocal package static var entities: Set<String> = []
}
