public import Foundation
internal import RoostFile
package import RoostGraph

/// Your program's models and the stores that keep them.
///
/// Unchecked because of the main context's state, which is used under the lock or on the main
/// actor.
public class ModelContainer: Equatable, @unchecked Sendable {
  /// All models of the container: those that you named, and those that their relationships
  /// reference.
  public final let schema: Schema
  /// The plan that migrates an older store when it is opened; nil if only lightweight migrations
  /// are allowed.
  public final let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the container's stores. A change has no effect: stores are opened when the container is
  /// made.
  public var configurations: Set<ModelConfiguration>
  final let stores: StoreSet
  /// The state of the main context. The main context references the container, so the container
  /// keeps only the state.
  private var mainState: ContextState?
  private let lock = Lock()

  private final var watch: CommitWatch?
  /// The container whose past this container shows.
  private final var present: ModelContainer?

  /// Posted after each commit to one of a container's stores, from any context and container of
  /// this program. The notification's object is the container. Other programs cannot write a store
  /// that is open here.
  ///
  /// The thread that committed posts it, after the context is free again. Several commits in one
  /// call are posted together. Under ``ModelContext/NotificationKey/historyTokens`` it has a
  /// dictionary: for the identifier of each store with a history, the token after its newest
  /// commit.
  public static let remoteChange = Notification.Name("SwiftData.ModelContainer.remoteChange")

  /// Opens a store for each configuration, and makes files that do not exist.
  ///
  /// - Parameters:
  ///   - givenSchema: the models. Models that their relationships reference are added.
  ///   - migrationPlan: how an older store is migrated to these models. Without it, only changes
  ///     that need no code are made.
  ///   - configurations: where models are kept. The default is `ModelConfiguration()`. With several
  ///     stores, each configuration names its models in ``ModelConfiguration/schema``; a
  ///     configuration without a schema keeps the others.
  /// - Throws: ``SwiftDataError/loadIssueModelContainer``, or another ``SwiftDataError`` about
  ///   configurations or migrations, if the models or configurations do not fit. ``RoostError``
  ///   with the code `store` if a file cannot be opened, such as one that another process writes.
  public init(
    for givenSchema: Schema, migrationPlan: (any SchemaMigrationPlan.Type)? = nil, configurations: [ModelConfiguration]
  ) throws {
    let given = configurations.isEmpty ? [ModelConfiguration()] : configurations
    try Self.check(given)
    // Models that only a configuration names belong to the container too.
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

  /// Makes a container of one store that the caller opens: a copy in a migration, or a store of a
  /// test.
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

  /// Makes a container that shows an earlier state of another one's stores. It ends with that
  /// container at the latest.
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

  /// Opens stores for the models of a schema, each with its configuration.
  ///
  /// - Throws: what the initializer with a list of configurations throws.
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
  ///   - migrationPlan: how an older store is migrated to these models. Without it, only changes
  ///     that need no code are made.
  ///   - configurations: where models are kept. The default is `ModelConfiguration()`, a file in
  ///     the user's data folder.
  /// - Throws: a ``SwiftDataError`` if the models, the configurations or the migration do not fit.
  ///   ``RoostError`` with the code `store` if a file cannot be opened.
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

  /// The context for user interfaces. A container has one main context; it saves automatically, and
  /// lives as long as the container.
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

  /// Closes the container. Each of its stores is then one file, which you can copy and move, unless
  /// another container of this program has it open.
  ///
  /// Contexts with autosave, such as ``mainContext``, are saved first. If a save fails, the call
  /// throws its error and the container stays open. Unsaved changes of other contexts are lost.
  /// Later calls of the container and its contexts throw an error with the code `closed`. Models
  /// show what they have loaded.
  ///
  /// The main context ends on the main actor. On another thread the call waits until the main
  /// thread has closed the container, ten seconds at most. A container whose ``mainContext`` was
  /// never used is closed on any thread. Closing a closed container has no effect.
  ///
  /// You need not call it before you release the container, nor before the program ends by `exit`
  /// or at the end of `main.swift`.
  ///
  /// - Throws: ``RoostError`` with the code `twoThreads` if the main thread waits for the caller or
  ///   runs no queue; the container stays open. `store` if the store is still being read, for
  ///   example by a stream of the history (``RoostError/storeError`` is `busy`): end that, and call
  ///   it again.
  public func close() throws {
    defer { CommitWatch.tell() }
    try Doorway.pass { try stores.close() }
  }

  /// Removes all models from all stores. Contexts show it at their next fetch.
  ///
  /// - Throws: ``RoostError`` with the code `closed` after ``close()``, and `store` if a file
  ///   cannot be written.
  public func erase() throws {
    try stores.checkOpen()
    defer { CommitWatch.tell() }
    for store in stores.stores { try Doorway.pass { try store.erase() } }
  }

  /// Removes all models from all stores, as ``erase()`` does, and ignores errors.
  public func deleteAllData() { try? erase() }

  /// Writes committed changes from the log into the files now. Otherwise the store does that later.
  /// Call it in tests, and before your program is idle for long.
  ///
  /// - Throws: ``RoostError`` with the code `closed` after ``close()``, and `store` if a file
  ///   cannot be written.
  public func checkpoint() throws {
    try stores.checkOpen()
    for store in stores.stores { try Doorway.pass { try store.checkpoint() } }
  }
}
