internal import RoostGraph
internal import RoostRecords

/// Applies snapshots to models.
extension ModelContext {
  /// Gives a model the values of a snapshot, and returns the model. It is the model of the
  /// snapshot's identifier, otherwise the model with its unique values, otherwise a new one. Only
  /// properties that differ are set; properties that the snapshot does not have stay. Nothing is
  /// saved; a save handles conflicts as for any other change.
  ///
  /// - Throws: ``RoostError`` with the code `badValue` if the snapshot lacks a value of a new
  ///   model, `unreadable` if a property's type does not accept the stored value, and `foreign` if
  ///   the snapshot references a model that is not in this store. Then nothing is changed.
  @discardableResult
  public func apply<T>(_ snapshot: ModelSnapshot<T>) throws -> T where T: PersistentModel {
    try apply(contentsOf: CollectionOfOne(snapshot))[0]
  }

  /// Applies snapshots to models, all or none: see ``apply(_:)-(ModelSnapshot<T>)``. New models may
  /// reference each other, in any order.
  ///
  /// - Throws: what ``apply(_:)-(ModelSnapshot<T>)`` throws. Then nothing is changed.
  @discardableResult
  public func apply<T>(contentsOf snapshots: some Sequence<ModelSnapshot<T>>) throws -> [T] where T: PersistentModel {
    try take(snapshots.map(\.content), byUniqueValues: true).map { model in
      if let model = model as? T { return model }
      throw RoostError(.badValue, "the model is of class \(type(of: model)._$type.name), not \(T._$type.name)")
    }
  }
}

extension ModelContext {
  /// Applies the contents of snapshots to models, and returns the models.
  ///
  /// - Parameter byUniqueValues: whether a content without a model is applied to the stored model
  ///   that has its unique values. Otherwise it becomes a new model, which the next save may merge.
  @discardableResult
  func take(_ contents: [SnapshotContent], byUniqueValues: Bool = false) throws -> [any PersistentModel] {
    try Doorway.pass {
      var application = SnapshotApplication(contents, self)
      application.findsLike = byUniqueValues
      return try application.run()
    }
  }
}

/// One application of snapshots: first all models are found and checked, then they are changed.
private struct SnapshotApplication {
  let contents: [SnapshotContent]
  let context: ModelContext
  var findsLike = false
  /// The model of each snapshot, and whether it is new.
  var models: [Found?]
  /// New models whose to-one relationships are not set yet.
  var made: [Int: any PersistentModel] = [:]
  /// The index of each snapshot, by its source.
  let places: [Source: Int]
  /// The models that snapshots name by their identifiers; nil until it is needed.
  var claimed: Set<PersistentIdentifier>?
  /// Unsaved models that had no identifier of their own when a snapshot was made of them.
  var waiting: [PersistentIdentifier: any PersistentModel] = [:]

  struct Found {
    var model: any PersistentModel
    var isNew = false
  }

  /// An identifier, and its process: an identifier without a row is valid in one process only.
  struct Source: Hashable {
    var identifier: PersistentIdentifier
    var process: UInt64?

    init(_ identifier: PersistentIdentifier, _ content: SnapshotContent) {
      self.identifier = identifier
      if identifier.store == nil { process = content.process }
    }
  }

  init(_ contents: [SnapshotContent], _ context: ModelContext) {
    self.contents = contents
    self.context = context
    models = Array(repeating: nil, count: contents.count)
    places = Dictionary(contents.enumerated().map { (Source($1.identifier, $1), $0) }) { _, last in last }
  }

  mutating func run() throws -> [any PersistentModel] {
    // It inserts its models itself, when all of them are known.
    let graphs = context.state.open
    for graph in graphs { graph.links.bringsObjects = false }
    defer { for graph in graphs { graph.links.bringsObjects = true } }
    noteWaiting()
    for number in contents.indices { try find(number) }
    for content in contents { try check(content) }
    let found = models.compactMap { $0 }
    for found in found where found.isNew { try context.state.graph(of: found.model).insert(found.model) }
    for (content, found) in zip(contents, found) {
      // All targets were found before.
      content.give(to: found.model) { try? target($0, content) }
    }
    return found.map(\.model)
  }

  private mutating func noteWaiting() {
    for model in context.insertedModelsArray {
      guard let number = model._$state.extras?.temporaryNumber, number != 0 else { continue }
      let entity = type(of: model)._$type.name
      waiting[PersistentIdentifier(store: nil, entity: entity, .temporary(number))] = model
    }
  }

  // MARK: Finding

  /// Finds the model of a snapshot. First finds the models of the snapshots that it references by
  /// to-one relationships, because a unique rule may contain such a relationship. In a cycle one of
  /// them is set later.
  private mutating func find(_ first: Int) throws {
    var path = [first]
    var begun: Set<Int> = []
    while let number = path.last {
      if models[number] != nil {
        path.removeLast()
      } else if begun.insert(number).inserted {
        let content = contents[number]
        // Of several snapshots of one model, the last one is applied last.
        if let place = places[Source(content.identifier, content)], place != number {
          path.append(place)
          continue
        }
        try begin(number)
        if models[number] != nil { continue }
        for case .one(let one?) in content.links {
          if let place = places[Source(one, content)], models[place] == nil, !begun.contains(place) {
            path.append(place)
          }
        }
      } else {
        try finish(number)
        path.removeLast()
      }
    }
  }

  /// Finds a model by its identifier, or makes a new one without references.
  private mutating func begin(_ number: Int) throws {
    let content = contents[number]
    if let model = try known(content.identifier, content) {
      guard type(of: model)._$type.isKind(of: content.type) else {
        throw RoostError(
          .badValue,
          "\(content.type.name): the model of this identifier is of class \(type(of: model)._$type.name) here")
      }
      models[number] = Found(model: model)
      return
    }
    // Otherwise the new model's default would look like the value.
    try content.checkRefused()
    let made = content.makeModel()
    _ = try context.state.stores.known(type(of: made))
    if case .row = content.identifier.key, content.identifier.entityName != content.type.name {
      throw RoostError(
        .badValue,
        "the snapshot is of class \(content.identifier.entityName), but has only the properties of \(content.type.name), so no "
          + "new model can be made: apply a snapshot of its own class")
    }
    if let property = content.fill(made) {
      throw RoostError(
        .badValue,
        "\(content.type.name).\(content.type.propertyName(property)) is not in the snapshot, so no new model can be made: "
          + "give the property a default")
    }
    self.made[number] = made
  }

  private mutating func finish(_ number: Int) throws {
    let content = contents[number]
    guard let made = made[number] else {
      // Another snapshot of the same model was found meanwhile.
      if let place = places[Source(content.identifier, content)], let model = models[place]?.model {
        models[number] = Found(model: model)
      }
      return
    }
    for property in content.form.links {
      guard case .one(let one?)? = content.link(property), let other = try target(one, content) else { continue }
      made._$fill(property, with: other)
    }
    self.made[number] = nil
    let stored = try findsLike ? likeness(made, content).map { Found(model: $0) } : nil
    models[number] = stored ?? Found(model: made, isNew: true)
  }

  /// Returns a stored model with the same unique values.
  private mutating func likeness(_ made: any PersistentModel, _ content: SnapshotContent) throws -> (
    any PersistentModel
  )? {
    let graph = try context.state.graph(of: made)
    guard graph.hasUniques(made) else { return nil }
    do {
      let found = try graph.existing(like: made) as? any PersistentModel
      guard let found, type(of: found)._$type === content.type else { return nil }
      // The stored model gets the values of its own snapshot, and may lose these.
      return try isClaimed(found) ? nil : found
    } catch let fault as RecordFault where fault.code == .missing {
      // A required reference to a model that is new too, so no stored model can be equal.
      return nil
    }
  }

  /// Whether a snapshot names a model by its identifier.
  private mutating func isClaimed(_ model: any PersistentModel) throws -> Bool {
    if claimed == nil { claimed = Set(try contents.compactMap { try known($0.identifier, $0)?.persistentModelID }) }
    return claimed?.contains(model.persistentModelID) ?? false
  }

  /// Returns a model that exists already.
  private func known(_ identifier: PersistentIdentifier, _ content: SnapshotContent) throws -> (any PersistentModel)? {
    if identifier.store == nil { return content.process == nil ? waiting[identifier] : nil }
    guard let (place, row) = context.state.stores.row(of: identifier) else { return nil }
    return try context.state.graph(place.store).existing(place.map, RowID(row)) as? any PersistentModel
  }

  /// Returns the target of a relationship: the model of another snapshot, or an existing one. Nil
  /// as long as it is not found.
  private func target(
    _ identifier: PersistentIdentifier, _ content: SnapshotContent
  ) throws -> (any PersistentModel)? {
    if let place = places[Source(identifier, content)] { return models[place]?.model }
    return try known(identifier, content)
  }

  private func check(_ content: SnapshotContent) throws {
    for property in content.form.links {
      for identifier in content.link(property)?.targets ?? [] {
        let name = "\(content.type.name).\(content.type.propertyName(property))"
        guard let target = try target(identifier, content) else {
          throw RoostError(
            .foreign,
            "\(name) references a model of \(identifier.entityName) that is not in this store: apply its snapshot, or restore it, first or in the same call"
          )
        }
        guard let wanted = content.form.destination(property), type(of: target)._$type.isKind(of: wanted) else {
          throw RoostError(.badValue, "\(name) cannot reference a model of \(identifier.entityName)")
        }
      }
    }
  }
}
