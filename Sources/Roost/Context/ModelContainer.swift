public import Foundation
internal import RoostFile
package import RoostGraph

/// A program's models and the stores that keep them.
///
/// Unchecked because of the main context's state, which is read and written under the lock, or on the main actor.
public class ModelContainer: Equatable, @unchecked Sendable {
  /// All models of the container: those that it was made for, and those that their relationships reference.
  public final let schema: Schema
  /// The plan by which an older store is changed at the opening; nil for lightweight migrations alone.
  public final let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the container's stores. A change has no effect: stores are opened when the container is
  /// made.
  public var configurations: Set<ModelConfiguration>
  final let stores: StoreSet
  /// The main context holds the container, so the container holds only what that context is made of.
  private var mainState: ContextState?
  private let lock = Lock()

  private final var watch: CommitWatch?
  /// The container of whose past this one is.
  private final var present: ModelContainer?

  /// Posted after each commit to one of a container's stores, by whichever context and container of this program, with the container as its object.
  /// No other program writes a store that is open. It is posted on the thread that committed, when the context is free again; commits that
  /// follow each other before that are told at once. Under ``ModelContext/NotificationKey/historyTokens`` stands, by the identifier of each store
  /// that keeps a history, the place behind its newest commit.
  public static let remoteChange = Notification.Name("SwiftData.ModelContainer.remoteChange")

  /// Opens a store for each configuration, and makes the files that do not exist.
  ///
  /// - Parameters:
  ///   - givenSchema: the models. Models that their relationships reference are added.
  ///   - migrationPlan: how an older store becomes one of these models; without it, changes that need no code are
  ///     made.
  ///   - configurations: where models are kept. Without any it is `ModelConfiguration()`. With several stores, each
  ///     configuration names its models in ``ModelConfiguration/schema``, and one without a schema keeps the others.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``, or another ``SwiftDataError`` of configurations and
  ///   migrations, if the models or configurations do not fit; ``RoostError/Code/store`` if a file cannot be opened,
  ///   such as one that another process writes.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    let given = configurations.isEmpty ? [ModelConfiguration()] : configurations
    try Self.check(given)
    // What only a configuration names belongs to the container too.
    let schema = try Self.whole(givenSchema, given)
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.configurations = Set(given)
    stores = try StoreSet(schema, given, plan: migrationPlan)
    for (store, configuration) in zip(stores.stores, given) {
      try Doorway.pass { try configuration.apply(to: store) }
    }
    watch = CommitWatch(self, given)
  }

  /// A container of one store that the caller opens: a copy in a migration, or what a test made.
  package init(
    _ schema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    opening open: ([ModelPlan], GraphStore.Opening) throws -> GraphStore
  ) throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    self.schema = schema
    self.migrationPlan = migrationPlan
    configurations = [configuration]
    stores = try StoreSet(schema, [configuration], plan: migrationPlan) { _, plans, opening in try open(plans, opening)
    }
    watch = CommitWatch(self, [configuration])
  }

  /// A container that shows what another one's stores held before. It ends with that one at the latest.
  init(pastOf present: ModelContainer, opening open: (GraphStore, [ModelPlan]) throws -> GraphStore) throws {
    schema = present.schema
    migrationPlan = present.migrationPlan
    configurations = present.configurations
    self.present = present
    var left = present.stores.stores[...]
    stores = try StoreSet(schema, present.stores.configurations, isPast: true) { _, plans, _ in
      try open(left.removeFirst(), plans)
    }
    try present.stores.note(past: stores)
  }

  /// Opens stores for the models of a schema, each with a configuration of its own. It throws what the initializer
  /// with a list of configurations throws.
  public convenience init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: givenSchema, migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Opens stores for classes of models.
  ///
  /// ```swift
  /// let container = try ModelContainer(for: Playlist.self, configurations: ModelConfiguration(url: file))
  /// ```
  ///
  /// - Parameters:
  ///   - forTypes: the classes. Models that their relationships reference are added.
  ///   - migrationPlan: how an older store becomes one of these models; without it, changes that need no code are
  ///     made.
  ///   - configurations: where models are kept. Without any it is `ModelConfiguration()`, a file in the user's data
  ///     folder.
  /// - Throws: a ``SwiftDataError`` if the models, configurations or the migration do not fit, and ``RoostError`` if
  ///   a file cannot be opened.
  public convenience init(
    for forTypes: any PersistentModel.Type..., migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), migrationPlan: migrationPlan, configurations: configurations)
  }

  private static func check(_ configurations: [ModelConfiguration]) throws {
    var files: Set<String> = []
    for configuration in configurations {
      try configuration.validate()
      if configuration.isStoredInMemoryOnly { continue }
      let path = configuration.url.standardizedFileURL.path()
      guard files.insert(path).inserted else {
        throw SwiftDataError.duplicateConfiguration.about("two configurations have the file \(path)")
      }
    }
  }

  private static func whole(_ given: Schema, _ configurations: [ModelConfiguration]) throws -> Schema {
    guard given.models.count == given.entities.count else {
      throw SwiftDataError.unknownSchema.about(
        "a container needs the classes of its models: make the schema from the classes")
    }
    for configuration in configurations {
      for entity in configuration.schema?.entities ?? [] where given.entitiesByName[entity.name] == nil {
        throw SwiftDataError.configurationSchemaNotFoundInContainerSchema.about(
          "the configuration \(configuration.name) has \(entity.name), which is not in the container's schema")
      }
    }
    if !given.faults.isEmpty {
      throw SwiftDataError.loadIssueModelContainer.about(given.faults.map(\.description).joined(separator: "; "))
    }
    return given
  }

  public static func == (one: ModelContainer, other: ModelContainer) -> Bool { one === other }

  /// The context for user interfaces: there is one, it saves by itself, and it lives as long as the container.
  ///
  /// ```swift
  /// let count = try await MainActor.run { try container.mainContext.fetchCount(FetchDescriptor<Song>()) }
  /// ```
  @MainActor public var mainContext: ModelContext {
    let state = lock.withLock { mainState }
    if let state { return state.context(of: self) }
    let made = ContextState(stores, isMain: true)
    lock.withLock { mainState = made }
    return made.context(of: self)
  }

  /// Closes the container: each of its stores is one file then, which can be copied and moved, unless another container of this
  /// program has it open.
  ///
  /// Contexts that save by themselves, as ``mainContext`` does, are saved; if that fails, the error is thrown, and the container
  /// stays open. What other contexts have not saved is given up. After that their calls throw an error with the code `closed`, as
  /// those of the container do. Models show what they have loaded.
  ///
  /// The main context ends on the main actor. From another thread the call waits until the main thread has closed the container, ten seconds
  /// at most. If the main thread waits for the caller meanwhile, or runs no queue, the call throws an error with the code `twoThreads`,
  /// and the container stays open. A container whose ``mainContext`` was never used is closed on any thread.
  ///
  /// Where something still reads the store, as a stream of the history, it throws an error whose ``RoostError/storeError`` has the
  /// code `busy`. Let that end, and call it again. A container that is closed already is left as it is.
  ///
  /// A program that lets go of its container, or that ends by `exit` or at the end of `main.swift`, need not call it.
  public func close() throws {
    defer { CommitWatch.tell() }
    try Doorway.pass { try stores.close() }
  }

  /// Removes all models from all stores. Contexts see it at their next fetch.
  public func erase() throws {
    try stores.checkOpen()
    defer { CommitWatch.tell() }
    for store in stores.stores { try Doorway.pass { try store.erase() } }
  }

  /// Removes all models from all stores, as ``erase()`` does, and tells no error.
  public func deleteAllData() { try? erase() }

  /// Writes what was committed from the log to its places in the files now, where that would be done later by itself. For tests, and
  /// before a quiet time.
  public func checkpoint() throws {
    try stores.checkOpen()
    for store in stores.stores { try Doorway.pass { try store.checkpoint() } }
  }
}
