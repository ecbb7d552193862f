internal import RoostFile
internal import RoostGraph

/// Child contexts: a save of a child changes another context.
extension ModelContext {
  /// Makes a context that shows the models of another context, with their unsaved changes, as
  /// models of its own.
  ///
  /// ```swift
  /// let form = try ModelContext(parent: context)
  /// let draft: Song? = try form.existingModel(for: song.persistentModelID)
  /// draft?.title = "Heroes"
  /// try form.save()
  /// ```
  /// A save makes the changes in the parent, as if your program had made them there. They are
  /// unsaved in the parent. Only the properties that you changed are set. If you release the child
  /// without a save, nothing happens. A child belongs to the thread, or actor, of its parent.
  ///
  /// It reads models through the parent when you fetch them. To see later changes of the parent,
  /// fetch again.
  ///
  /// - Throws: ``RoostError`` with the code `closed` if the parent's container was closed.
  public convenience init(parent: ModelContext) throws {
    let stores = parent.container.stores
    try stores.checkOpen()
    let configurations = stores.stores.indices.map { number -> any DataStoreConfiguration in
      let models = parent.container.schema.models.filter { stores.place(of: $0)?.store == number }
      return ParentConfiguration(parent, number, schema: Schema(models))
    }
    self.init(try ModelContainer(for: parent.container.schema, configurations: configurations))
  }

  /// The context that saves of this context change; nil if they go to the stores.
  public var parent: ModelContext? {
    let set = container.stores.stores.first?.backing as? WorkingSet
    return (set?.store as? ParentStore)?.parent
  }
}

/// The configuration of one of a parent context's stores.
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

/// The store of a child context: the models of one store, as the parent context shows them.
final class ParentStore: DataStore {
  typealias Snapshot = DefaultSnapshot

  let configuration: ParentConfiguration
  let schema: Schema
  let identifier: String
  let parent: ModelContext
  /// The content of each model that the child got. Differences from it are changes of the child.
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
    // The parent may have changed it, for example merged a new model by a unique value.
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

  /// Combines a model of the parent with the changes of the child.
  private func joined(_ content: SnapshotContent) throws -> SnapshotContent {
    guard let model = parent.existing(content.identifier) else {
      throw RoostError(
        .deleted,
        "\(content.identifier) was deleted in the parent context meanwhile: roll the child back, or delete it there too"
      )
    }
    guard let before = given[content.identifier] else { return content }
    var merged = SnapshotContent(model)
    for property in content.type.properties.indices where !content.isSame(property, as: before) {
      if let link = content.link(property) {
        merged.setLink(property, joined(link, before: before.link(property), now: merged.link(property)))
      } else {
        merged.takeValue(property, of: content)
      }
    }
    return merged
  }

  /// Returns the parent's list with the members that the child added, and without those that it
  /// removed. If the parent's list did not change meanwhile, it is the child's list, in its order.
  private func joined(
    _ link: SnapshotContent.Link, before: SnapshotContent.Link?, now: SnapshotContent.Link?
  ) -> SnapshotContent.Link {
    guard case .many(let wanted) = link, case .many(let before)? = before, case .many(let now)? = now, now != before
    else { return link }
    let (known, kept, current) = (Set(before), Set(wanted), Set(now))
    let staying = now.filter { kept.contains($0) || !known.contains($0) }
    return .many(staying + wanted.filter { !known.contains($0) && !current.contains($0) })
  }
}
