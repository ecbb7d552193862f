internal import RoostFile
internal import RoostGraph

/// A child context: what it saves goes to another context.
extension ModelContext {
  /// A context that shows the models of another context, with their unsaved changes, as models of its own.
  ///
  /// ```swift
  /// let form = try ModelContext(parent: context)
  /// let draft: Song? = try form.existingModel(for: song.persistentModelID)
  /// draft?.title = "Heroes"
  /// try form.save()
  /// ```
  /// A save makes the changes in the parent, where they wait to be saved as if your program had made them there. Only the properties that you
  /// changed are set. If you let go of the child without a save, nothing has happened. A child belongs to the thread, or actor, of its parent.
  ///
  /// It reads models when you fetch them, by way of the parent. To see what the parent changes later, fetch again.
  public convenience init(parent: ModelContext) throws {
    let stores = parent.container.stores
    try stores.checkOpen()
    let configurations = stores.stores.indices.map { number -> any DataStoreConfiguration in
      let models = parent.container.schema.models.filter { stores.place(of: $0)?.store == number }
      return ParentConfiguration(parent, number, schema: Schema(models))
    }
    self.init(try ModelContainer(for: parent.container.schema, configurations: configurations))
  }

  /// The context to which saves of this one go; nil where they go to the stores.
  public var parent: ModelContext? {
    let set = container.stores.stores.first?.backing as? WorkingSet
    return (set?.store as? ParentStore)?.parent
  }
}

/// One of the stores of a parent context.
struct ParentConfiguration: DataStoreConfiguration {
  typealias Store = ParentStore

  let parent: ModelContext
  let number: Int
  let name: String
  var schema: Schema?

  init(_ parent: ModelContext, _ number: Int, schema: Schema) {
    (self.parent, self.number, self.schema) = (parent, number, schema)
    name = "\(parent.container.stores.configurations[number].name) of the parent"
  }

  static func == (one: ParentConfiguration, other: ParentConfiguration) -> Bool {
    one.parent == other.parent && one.number == other.number
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(parent.state))
    hasher.combine(number)
  }
}

/// What a child context takes for its store: the models of one store, as the parent context shows them.
final class ParentStore: DataStore {
  typealias Snapshot = DefaultSnapshot

  let configuration: ParentConfiguration
  let schema: Schema
  let identifier: String
  let parent: ModelContext
  /// What the child was given of each model: what differs from it was changed in the child.
  private var given: [PersistentIdentifier: SnapshotContent] = [:]

  init(_ configuration: ParentConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    parent = configuration.parent
    schema = configuration.schema ?? parent.container.schema
    identifier = parent.container.stores.stores[configuration.number].identifier
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let result = try parent.answer(request)
    for snapshot in result.fetchedSnapshots { given[snapshot.persistentIdentifier] = snapshot.content }
    return result
  }

  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int { try parent.fetchCount(request.descriptor) }

  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
    try parent.fetchIdentifiers(request.descriptor)
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    let found = parent.cachedSnapshots(persistentIdentifiers)
    for (identifier, snapshot) in found { given[identifier] = snapshot.content }
    return found
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let updated = try request.updated.map { DefaultSnapshot(try joined($0.content)) }
    let merged = DataStoreSaveChangesRequest(
      inserted: request.inserted, updated: updated, deleted: request.deleted, editingState: request.editingState)
    let models = try parent.take(merged)
    for snapshot in request.deleted { given[snapshot.persistentIdentifier] = nil }
    // The parent may have decided otherwise, as where a unique value makes a new model one that it has.
    var now: [PersistentIdentifier: DefaultSnapshot] = [:]
    for model in models {
      let content = SnapshotContent(model)
      given[content.identifier] = content
      now[content.identifier] = DefaultSnapshot(content)
    }
    let remapped = merged.result(identifier, models).remappedIdentifiers
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped, snapshotsToReregister: now)
  }

  /// A model as the parent has it, with what was changed in the child.
  private func joined(_ content: SnapshotContent) throws -> SnapshotContent {
    guard let model = parent.existing(content.identifier) else {
      throw RoostError(
        .deleted,
        "\(content.type.name) \(content.identifier) was deleted in the parent context meanwhile: roll the child back, or delete it there too"
      )
    }
    guard let before = given[content.identifier] else { return content }
    var merged = SnapshotContent(model)
    for property in content.type.properties.indices where !content.isSame(property, as: before) {
      if let link = content.link(property) {
        merged.setLink(property, link)
      } else {
        merged.takeValue(property, of: content)
      }
    }
    return merged
  }
}
