internal import RoostGraph

/// Containers of stores of a program's own.
extension ModelContainer {
  public convenience init(for forTypes: any PersistentModel.Type..., configurations: any DataStoreConfiguration...)
    throws
  { try self.init(for: Schema(forTypes), configurations: configurations) }

  /// A container of Roost's stores and of the program's own. Each configuration names the models that it keeps by its `schema`; one without
  /// a schema keeps the others.
  public convenience init(for givenSchema: Schema, configurations: [any DataStoreConfiguration]) throws {
    let known = try configurations.map { try Self.known($0, givenSchema) }
    try self.init(for: givenSchema, configurations: known)
    for case let set as WorkingSet in stores.stores.compactMap(\.backing) { set.attach(self) }
  }

  /// The program's own stores, for tests.
  package var dataStores: [any DataStore] { stores.stores.compactMap { ($0.backing as? WorkingSet)?.store } }

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
    _ configuration: some DataStoreConfiguration, _ schema: Schema
  ) throws -> ModelConfiguration {
    if let known = configuration as? ModelConfiguration { return known }
    try configuration.validate()
    var given = configuration
    // Stores of SwiftData's documentation expect a schema.
    if given.schema == nil { given.schema = schema }
    func make<Configuration: DataStoreConfiguration>(_ configuration: Configuration) throws -> any DataStore {
      try Configuration.Store(configuration, migrationPlan: nil)
    }
    var known = ModelConfiguration(configuration.name, schema: configuration.schema, isStoredInMemoryOnly: true)
    // Fetched snapshots are no history.
    known.history = .off
    known.backing = BackingPlace(WorkingSet(try make(given)))
    return known
  }
}
