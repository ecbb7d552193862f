internal import RoostGraph
internal import RoostRecords

/// Models as they were, from a snapshot of the container or from a backup.
extension ModelContext {
  /// Brings a model back as another context of the same store shows it, and what it owned; see ``restore(contentsOf:)``.
  @discardableResult
  public func restore<T>(_ model: T) throws -> T where T: PersistentModel { try restore(contentsOf: [model])[0] }

  /// Brings models back as another context shows them: that of a ``ModelContainer/snapshot()``, or of a container for a backup of this store.
  ///
  /// ```swift
  /// let backup = try ModelContainer(for: Song.self, configurations: ModelConfiguration(url: copy, allowsSave: false))
  /// let before = ModelContext(backup)
  /// for song in try before.fetch(lost) { try context.restore(song) }
  /// try context.save()
  /// ```
  ///
  /// A model that is still here gets the values and the relationships that it had. One that was deleted is inserted again, with another
  /// identifier, or becomes the model that has its unique values by now. What it owned by a `.cascade` rule comes back too, where that is gone.
  /// Relationships lead to the models that are here and to those that come back; a required one that leads to no such model throws, and then nothing is changed. Nothing is saved.
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

/// The contents that one restoration applies, with the identifiers that this context's container gives their models.
private struct Restoration {
  let source: ModelContext
  let target: ModelContext
  private var contents: [SnapshotContent] = []
  /// By identifier, the place of a content.
  private(set) var places: [PersistentIdentifier: Int] = [:]

  /// Throws if the source is of no container for the same store, or a backup of it.
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

  /// Adds models, and what they own that is gone here.
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

  /// The identifier of a model of the source in this context's container.
  func here(_ identifier: PersistentIdentifier) -> PersistentIdentifier {
    guard let place = target.state.stores.place(named: identifier.entityName) else { return identifier }
    let here = PersistentIdentifier(
      store: target.state.stores.stores[place.store].identifier, entity: identifier.entityName, identifier.key,
      isSaved: true)
    // A model that came back before has another identifier since, each time.
    var last = here
    while let next = target.state.restored[last] { last = next }
    return last
  }

  /// Remembers which models are those that came back, so that they do not come a second time.
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

  /// Where relationships with the rule `.cascade` lead.
  private func owned(by content: SnapshotContent) throws -> [PersistentIdentifier] {
    let (place, _) = try source.state.stores.knownRow(of: content.identifier)
    let store = source.state.graph(place.store).store
    return content.form.links.flatMap { store.takesAlong(place.map, $0) ? content.targets($0) : [] }
  }

  private func isHere(_ identifier: PersistentIdentifier) -> Bool {
    guard let (place, row) = target.state.stores.row(of: here(identifier)) else { return false }
    return target.state.graph(place.store).existingQuietly(place.map, RowID(row)) != nil
  }

  /// The contents without relationships to models that are neither here nor come back.
  func trimmed() -> [SnapshotContent] {
    contents.map { content in
      var content = content
      content.identifier = here(content.identifier)
      for property in content.form.links {
        let kept = content.targets(property).filter { places[here($0)] != nil || isHere($0) }.map(here)
        switch content.link(property) {
        case .many?: content.setLink(property, .many(kept + staying(content.identifier, property, kept: kept)))
        case .one(let one?)?:
          // A required one stays, and applying the content says that it leads nowhere.
          content.setLink(property, .one(kept.first ?? (content.type.mayBeNil(property) ? nil : here(one))))
        case .one(nil)?, .absent?, nil: continue
        }
      }
      return content
    }
  }

  /// The members that a list has here and cannot lose, because they must lead to its owner.
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
  /// Where a relationship leads.
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
