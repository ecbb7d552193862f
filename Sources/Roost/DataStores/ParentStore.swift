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
  /// The content of each model that the child got. The parent has changed a model that differs from it.
  private var given: [PersistentIdentifier: SnapshotContent] = [:]
  /// Models of ``given`` that the parent no longer has.
  private var gone: [PersistentIdentifier] = []
  /// The models that were unsaved in the parent. Its save may merge them into other models.
  private var unsaved: Set<PersistentIdentifier> = []
  /// The number of the parent's saves, and of the merges that the parent has followed, when
  /// ``takeMerged()`` last looked.
  private var saves = 0

  init(_ configuration: ParentConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    parent = configuration.parent
    schema = configuration.schema ?? parent.container.schema
    identifier = parent.container.stores.stores[configuration.number].identifier
    saves = saveCount
  }

  /// The working set of the parent, if the parent is a child too.
  private var parentSet: WorkingSet? {
    parent.container.stores.stores[configuration.number].backing as? WorkingSet
  }

  private var saveCount: Int { parent.state.commitCount + (parentSet?.mergeCount ?? 0) }

  /// Whether a save of the parent, or of a parent's parent, may still merge or rename a model.
  private func isUnsaved(_ identifier: PersistentIdentifier) -> Bool {
    // A child names new models by temporary numbers until its parent has them.
    if case .temporary = identifier.key { return true }
    return identifier.storeIdentifier == nil || (parentSet?.store as? ParentStore)?.unsaved.contains(identifier) == true
  }

  private func note(_ content: SnapshotContent) {
    given[content.identifier] = content
    if isUnsaved(content.identifier) { unsaved.insert(content.identifier) }
  }

  /// Returns a descriptor that includes the unsaved changes of the parent. They are what the child
  /// calls stored.
  private func shown<T>(_ descriptor: FetchDescriptor<T>) -> FetchDescriptor<T> {
    var shown = descriptor
    shown.includePendingChanges = true
    return shown
  }

  func fetch<T>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let wanted = shown(request.descriptor)
    let result: DataStoreFetchResult<T, DefaultSnapshot>
    do {
      result = try parent.answer(DataStoreFetchRequest(descriptor: wanted, editingState: request.editingState))
    } catch let error as RoostError where error.code == .badCondition && wanted.predicate != nil {
      // The child may have deleted or changed the model that causes the error.
      throw DataStoreError.preferInMemoryFilter
    }
    for snapshot in result.fetchedSnapshots { note(snapshot.content) }
    noteGone(wanted, result.fetchedSnapshots)
    return result
  }

  /// Notes the models that are missing in the answer to a question for all models of a class.
  private func noteGone<T>(_ asked: FetchDescriptor<T>, _ found: [DefaultSnapshot]) {
    guard asked.predicate == nil, (asked.fetchLimit ?? 0) == 0, (asked.fetchOffset ?? 0) == 0 else { return }
    let found = Set(found.map(\.persistentIdentifier))
    let missing = given.filter { identifier, content in
      !found.contains(identifier) && content.type.isKind(of: T._$type) && parent.existing(identifier) == nil
    }
    for identifier in missing.keys { given[identifier] = nil }
    gone += missing.keys
  }

  /// Returns the models of ``given`` that an answer showed to be gone since the last call.
  func takeGone() -> [PersistentIdentifier] { exchange(&gone, with: []) }

  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try parent.fetchCount(shown(request.descriptor))
  }

  func fetchIdentifiers<T>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
    try parent.fetchIdentifiers(shown(request.descriptor))
  }

  /// Returns those of some models that the parent still has.
  func load(_ identifiers: [PersistentIdentifier]) -> [SnapshotContent] {
    let found = identifiers.compactMap { parent.existing($0) }.map { SnapshotContent($0) }
    for content in found { note(content) }
    return found
  }

  /// Makes the changes in the parent.
  ///
  /// - Throws: ``BackingConflict`` if the parent has changed the models too. The child then gets them
  ///   again and merges the changes, as a save merges the commits of another context.
  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let new = Set(request.inserted.map(\.persistentIdentifier))
    let gone = Set(request.deleted.map(\.persistentIdentifier))
    let wanted = DataStoreSaveChangesRequest(
      inserted: request.inserted.map { changes($0, among: new, without: gone) },
      updated: request.updated.map { changes($0, among: new, without: gone) }, deleted: request.deleted,
      editingState: request.editingState)
    guard (request.updated + request.deleted).allSatisfy(isCurrent),
      (wanted.inserted + wanted.updated).allSatisfy({ hasReferences($0, among: new) })
    else {
      throw BackingConflict(
        RoostError(.conflict, "the parent context changed the same models during each attempt: save again"))
    }
    let models = try parent.take(wanted)
    for snapshot in request.deleted { given[snapshot.persistentIdentifier] = nil }
    // The parent may have changed more, such as a derived value.
    let now = models.map { DefaultSnapshot($0) }
    for snapshot in now { note(snapshot.content) }
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: request.result(identifier, models).remappedIdentifiers,
      snapshotsToReregister: Dictionary(now.map { ($0.persistentIdentifier, $0) }) { first, _ in first })
  }

  private func exists(_ identifier: PersistentIdentifier, among new: Set<PersistentIdentifier>) -> Bool {
    new.contains(identifier) || parent.existing(identifier) != nil
  }

  /// Whether the parent still has a model as the child got it.
  private func isCurrent(_ snapshot: DefaultSnapshot) -> Bool {
    guard let model = parent.existing(snapshot.persistentIdentifier) else { return false }
    return SnapshotContent(model) == given[snapshot.persistentIdentifier]
  }

  /// Whether the models of all references exist.
  private func hasReferences(_ snapshot: DefaultSnapshot, among new: Set<PersistentIdentifier>) -> Bool {
    snapshot.content.links.allSatisfy { if case .one(let target?) = $0 { exists(target, among: new) } else { true } }
  }

  /// Returns a snapshot without relationships that the child did not change, and without members
  /// that the parent deleted. A one-to-one relationship is left to the model whose row stores it.
  ///
  /// - Parameters:
  ///   - new: the inserted models.
  ///   - gone: the deleted models. The parent's relationships lose them by the deletion itself, which
  ///     is no change of the other models. A model that the deletion would delete too has to leave first.
  private func changes(
    _ snapshot: DefaultSnapshot, among new: Set<PersistentIdentifier>, without gone: Set<PersistentIdentifier>
  ) -> DefaultSnapshot {
    let store = parent.container.stores.stores[configuration.number]
    var content = snapshot.content
    guard let map = store.map(named: content.type.name) else { return snapshot }
    let before = given[content.identifier]?.links
    for (place, property) in content.form.links.enumerated() {
      let link = content.links[place]
      let isTold = !content.form.isList(property) && store.fetchedPlace(map, property) == .list
      let former = store.goesAlong(map, property) ? before?[place] : before?[place].without(gone)
      if isTold || link == former {
        content.setLink(property, .absent)
      } else if case .many(let members) = link {
        content.setLink(property, .many(members.filter { exists($0, among: new) }))
      }
    }
    return DefaultSnapshot(content)
  }

  /// Returns the models that the parent's saves merged into others since the last call: the others'
  /// identifiers, by their own.
  func takeMerged() throws -> [PersistentIdentifier: PersistentIdentifier] {
    try parent.followParent()
    if saves == saveCount { return [:] }
    saves = saveCount
    var merged: [PersistentIdentifier: PersistentIdentifier] = [:]
    for old in exchange(&unsaved, with: []) {
      guard let new = parent.existing(old)?.persistentModelID else { continue }
      if isUnsaved(new) { unsaved.insert(new) }
      if new != old { merged[old] = new }
    }
    return merged
  }
}

extension SnapshotContent.Link {
  /// The relationship after models were deleted.
  fileprivate func without(_ gone: Set<PersistentIdentifier>) -> SnapshotContent.Link {
    switch self {
    case .absent: self
    case .one(let target): .one(target.flatMap { gone.contains($0) ? nil : $0 })
    case .many(let members): .many(gone.isEmpty ? members : members.filter { !gone.contains($0) })
    }
  }
}
