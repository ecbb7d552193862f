internal import RoostGraph
internal import RoostRecords

/// Restores models from a snapshot of the container or from a backup.
extension ModelContext {
  /// Restores a model, and the models that it owned, as another context of the same store shows
  /// them: see ``restore(contentsOf:)``.
  ///
  /// - Throws: what ``restore(contentsOf:)`` throws. Then nothing is changed.
  @discardableResult
  public func restore<T>(_ model: T) throws -> T where T: PersistentModel { try restore(contentsOf: [model])[0] }

  /// Restores models as another context shows them: a context of ``ModelContainer/snapshot()``, or
  /// of a container for a backup of this store.
  ///
  /// ```swift
  /// let backup = try ModelContainer(for: Song.self, configurations: ModelConfiguration(url: copy, allowsSave: false))
  /// let before = ModelContext(backup)
  /// for song in try before.fetch(lost) { try context.restore(song) }
  /// try context.save()
  /// ```
  ///
  /// A model that still exists gets its former values and relationships. A deleted model is
  /// inserted again with another identifier, or becomes the model that has its unique values now.
  /// Models that it owned by a `.cascade` rule are restored too if they are gone. Relationships
  /// reference existing models and restored models. Nothing is saved.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if a model's context has ended or the models
  ///   are of several contexts, and `foreign` if a required reference has no such target.
  ///   ``DataStoreError/unsupportedFeature`` for stores of your program's own. Then nothing is
  ///   changed.
  @discardableResult
  public func restore<T>(contentsOf models: some Sequence<T>) throws -> [T] where T: PersistentModel {
    try Doorway.pass {
      let wanted = Array(models)
      guard let source = wanted.first?.modelContext else {
        if wanted.isEmpty { return [] }
        throw RoostError(
          .badValue,
          "the model's context has ended: keep the context of the snapshot or backup until the models are restored")
      }
      var restoration = try Restoration(from: source, to: self)
      try restoration.add(wanted)
      let places = wanted.map { restoration.places[restoration.here($0.persistentModelID)] ?? 0 }
      let found = try take(restoration.trimmed())
      restoration.note(found)
      return try zip(wanted, places).map { model, place in
        if let found = found[place] as? T { return found }
        throw RoostError(
          .badValue, "the model is of class \(type(of: found[place])._$type.name), not \(type(of: model)._$type.name)")
      }
    }
  }
}

/// The contents that one restoration applies, with the identifiers of this context's container.
private struct Restoration {
  let source: ModelContext
  let target: ModelContext
  private var contents: [SnapshotContent] = []
  /// The index of each content, by identifier.
  private(set) var places: [PersistentIdentifier: Int] = [:]

  /// Throws if the source is no container for the same store, or for a backup of it.
  init(from source: ModelContext, to target: ModelContext) throws {
    (self.source, self.target) = (source, target)
    let (stores, others) = (target.state.stores, source.state.stores)
    if stores.hasWorkingSets || others.hasWorkingSets { throw DataStoreError.unsupportedFeature }
    for store in others.stores {
      for place in Set(store.maps.compactMap { stores.place(named: $0.type.name)?.store }) {
        let one = stores.stores[place]
        if one.identifier != store.identifier { try one.checkDescent(from: store) }
      }
    }
  }

  /// Adds models, and the models that they own that are gone here.
  mutating func add(_ models: [any PersistentModel]) throws {
    for model in models {
      let reason: String? =
        if source === target {
          "the model is of the context into which it is to be restored"
        } else if model.modelContext !== source {
          "the models are of several contexts"
        } else if model.persistentModelID.storeIdentifier == nil {
          "the model is not saved"
        } else { nil }
      if let reason {
        throw RoostError(
          .badValue, "\(type(of: model)._$type.name): \(reason): restore models of one snapshot or backup")
      }
      append(model)
    }
    var next = 0
    while next < contents.count {
      for identifier in try owned(by: contents[next]) where places[here(identifier)] == nil && !isHere(identifier) {
        if let member = try source.anyModel(identifier) { append(member) }
      }
      next += 1
    }
  }

  /// Returns the identifier that a model of the source has in this context's container.
  func here(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    guard let place = target.state.stores.place(named: identifier.entityName) else { return identifier }
    let here = PersistentIdentifier(
      store: target.state.stores.stores[place.store].identifier, entity: identifier.entityName, identifier.key,
      isSaved: true)
    // Each earlier restoration gave the model another identifier.
    var last = here
    while let next = target.state.restored[last] { last = next }
    return last
  }

  /// Remembers the restored models, so that they are not restored a second time.
  func note(_ found: [any PersistentModel]) {
    for (identifier, place) in places {
      guard let store = identifier.store else { continue }
      let now = PersistentIdentifier(
        store: store, entity: identifier.entityName, .row(found[place]._$state.row), isSaved: true)
      if now != identifier { target.state.restored[identifier] = now }
    }
  }

  private mutating func append(_ model: any PersistentModel) {
    let content = SnapshotContent(model)
    let identifier = here(content.identifier)
    if places[identifier] != nil { return }
    places[identifier] = contents.count
    contents.append(content)
  }

  /// Returns the targets of relationships with the rule `.cascade`.
  private func owned(by content: SnapshotContent) throws -> [PersistentIdentifier] {
    let (place, _) = try source.state.stores.knownRow(of: content.identifier)
    let store = source.state.graph(place.store).store
    return content.form.links.flatMap { store.takesAlong(place.map, $0) ? content.targets($0) : [] }
  }

  private func isHere(_ identifier: PersistentIdentifier) -> Bool {
    guard let (place, row) = target.state.stores.row(of: here(identifier)) else { return false }
    return target.state.graph(place.store).existingQuietly(place.map, RowID(row)) != nil
  }

  /// Returns the contents without references to models that neither exist nor are restored.
  func trimmed() -> [SnapshotContent] {
    contents.map { content in
      var content = content
      content.identifier = here(content.identifier)
      for property in content.form.links {
        let kept = content.targets(property).filter { places[here($0)] != nil || isHere($0) }.map(here)
        switch content.link(property) {
        case .many?: content.setLink(property, .many(kept + staying(content.identifier, property, kept: kept)))
        case .one(let one?)?:
          // A required reference stays. Applying the content reports that it has no target.
          content.setLink(property, .one(kept.first ?? (content.type.mayBeNil(property) ? nil : here(one))))
        case .one(nil)?, .absent?, nil: continue
        }
      }
      return content
    }
  }

  /// Returns the members of a list that cannot be removed, because they must reference its owner.
  private func staying(
    _ owner: PersistentIdentifier, _ property: Int, kept: [PersistentIdentifier]
  ) -> [PersistentIdentifier] {
    guard let (place, row) = target.state.stores.row(of: owner) else { return [] }
    let graph = target.state.graph(place.store)
    guard graph.store.membersNeedOwner(place.map, property),
      let model = graph.existingQuietly(place.map, RowID(row)) as? any PersistentModel
    else { return [] }
    return SnapshotContent(model).targets(property).filter { !kept.contains($0) }
  }
}

extension SnapshotContent {
  /// Returns the targets of a relationship.
  fileprivate func targets(_ property: Int) -> [PersistentIdentifier] {
    switch link(property) {
    case .one(let one)?: one.map { [$0] } ?? []
    case .many(let many)?: many
    case .absent?, nil: []
    }
  }
}

extension ModelContext {
  fileprivate func anyModel(_ identifier: PersistentIdentifier) throws -> (any PersistentModel)? {
    let (place, row) = try state.stores.knownRow(of: identifier)
    return try state.graph(place.store).existing(place.map, RowID(row)) as? any PersistentModel
  }
}
