internal import RoostGraph
internal import RoostRecords

/// Taking snapshots over into models.
extension ModelContext {
  /// Makes a model what a snapshot says, and returns it: that of its identifier, else that of its unique values, else a new one. Only
  /// properties that differ are set; what the snapshot does not know stays. Nothing is saved; a save treats conflicts as those of
  /// any other change.
  ///
  /// It throws, and changes nothing, where a relationship leads to a model that is not here.
  @discardableResult
  public func apply<T>(_ snapshot: ModelSnapshot<T>) throws -> T where T: PersistentModel {
    try apply(contentsOf: CollectionOfOne(snapshot))[0]
  }

  /// Makes models what snapshots say, all or none: see ``apply(_:)-(ModelSnapshot<T>)``. New ones may reference each other, in any order.
  @discardableResult
  public func apply<T>(contentsOf snapshots: some Sequence<ModelSnapshot<T>>) throws -> [T] where T: PersistentModel {
    try take(snapshots.map(\.content)).map { model in
      if let model = model as? T { return model }
      throw RoostError(.badValue, "the model is of class \(type(of: model)._$type.name), not \(T._$type.name)")
    }
  }
}

extension ModelContext {
  /// Makes models what the contents of snapshots say, and returns them.
  @discardableResult
  func take(_ contents: [SnapshotContent]) throws -> [any PersistentModel] {
    try Doorway.pass {
      var application = SnapshotApplication(contents, self)
      return try application.run()
    }
  }
}

/// One application of snapshots: first everything is found and looked at, then changed.
private struct SnapshotApplication {
  let contents: [SnapshotContent]
  let context: ModelContext
  /// By snapshot, its model, and whether that is new.
  var models: [Found?]
  /// New models whose relationships to one are not set yet.
  var made: [Int: any PersistentModel] = [:]
  /// The snapshots by what they are of.
  let places: [Source: Int]
  /// The models that snapshots name by their identifiers; nil until it is asked for.
  var claimed: Set<PersistentIdentifier>?
  /// Models that wait and had no identifier of their own when a snapshot was made of them.
  var waiting: [PersistentIdentifier: any PersistentModel] = [:]

  struct Found {
    var model: any PersistentModel
    var isNew = false
  }

  /// An identifier, and where it means something: without a row in one process alone.
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
      // All were found before.
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

  /// Finds a snapshot's model, and before it those of the snapshots to which that leads by relationships to one: what must be unique may
  /// be such a relationship. In a circle one of them is set later.
  private mutating func find(_ first: Int) throws {
    var path = [first]
    var begun: Set<Int> = []
    while let number = path.last {
      if models[number] != nil {
        path.removeLast()
      } else if begun.insert(number).inserted {
        let content = contents[number]
        // Of two snapshots of one model the last one comes last.
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

  /// Finds a model by its identifier, or makes a new one that leads nowhere yet.
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
    // The new model's default would be taken for the value.
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
      // Another snapshot of the same model, which was found meanwhile.
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
    models[number] = try likeness(made, content).map { Found(model: $0) } ?? Found(model: made, isNew: true)
  }

  /// A stored model with the same unique values.
  private mutating func likeness(_ made: any PersistentModel, _ content: SnapshotContent) throws -> (
    any PersistentModel
  )? {
    let graph = try context.state.graph(of: made)
    guard graph.hasUniques(made) else { return nil }
    do {
      let found = try graph.existing(like: made) as? any PersistentModel
      guard let found, type(of: found)._$type === content.type else { return nil }
      // It gets the values of its own snapshot, and may lose these.
      return try isClaimed(found) ? nil : found
    } catch let fault as RecordFault where fault.code == .missing {
      // A reference must lead to a model that is new too, so nothing stored can be like it.
      return nil
    }
  }

  /// Whether a snapshot names a model by its identifier.
  private mutating func isClaimed(_ model: any PersistentModel) throws -> Bool {
    if claimed == nil { claimed = Set(try contents.compactMap { try known($0.identifier, $0)?.persistentModelID }) }
    return claimed?.contains(model.persistentModelID) ?? false
  }

  /// A model that is here already.
  private func known(_ identifier: PersistentIdentifier, _ content: SnapshotContent) throws -> (any PersistentModel)? {
    if identifier.store == nil { return content.process == nil ? waiting[identifier] : nil }
    guard let (place, row) = context.state.stores.row(of: identifier) else { return nil }
    return try context.state.graph(place.store).existing(place.map, RowID(row)) as? any PersistentModel
  }

  /// Where a relationship leads: to another snapshot's model, or to one that is here. Nil as long as that is not found.
  private func target(
    _ identifier: PersistentIdentifier, _ content: SnapshotContent
  ) throws -> (any PersistentModel)? {
    if let place = places[Source(identifier, content)] { return models[place]?.model }
    return try known(identifier, content)
  }

  private func check(_ content: SnapshotContent) throws {
    for property in content.form.links {
      let identifiers: [PersistentIdentifier] =
        switch content.link(property) {
        case .one(let one)?: one.map { [$0] } ?? []
        case .many(let many)?: many
        case .absent?, nil: []
        }
      for identifier in identifiers {
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
