internal import Foundation
internal import RoostGraph
internal import RoostQuery

/// Fetches from a store of the program's own.
extension WorkingSet {
  var sortsAsEngine: Bool { store is any AskedStore }

  func rows<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, from start: RoostQuery.Expression?, for context: any BackedContext
  ) throws -> SourceAnswer {
    let (state, question) = (begin(context), try question(descriptor, from: start, context))
    let map = context.store.map(of: Model.self)
    try followMerges(context)
    let asked = try question == nil ? visible(descriptor, context) : descriptor
    let answer = try AskedAhead.current(context).answer(
      AskedAhead.Wish(asked, question), from: self, kept: \.rows
    ) { [self] in
      let time = keys.now()
      let answer = try exclusively { try fetched(store, asked, question: question, as: state) }
      let contents = answer.contents
      let found = try feed(answer.related.isEmpty ? contents : contents + answer.related, askedAt: time)
      // A store may return models of other classes too.
      let rows = contents.indices.compactMap { at -> UInt64? in
        guard let map, contents[at].type.isKind(of: Model._$type) else { return nil }
        return found[at] ?? keys.row(map, contents[at].identifier.key)
      }
      let isFiltered = map == nil || answer.isFiltered && (asked.predicate != nil || descriptor.predicate == nil)
      return SourceAnswer(rows: rows, isFiltered: isFiltered, report: answer.report)
    }
    try context.showNewest()
    return answer
  }

  private struct Fetched {
    var contents: [SnapshotContent]
    var related: [SnapshotContent]
    var isFiltered: Bool
    var report: () -> [String] = { [] }
  }

  private func fetched<Store: DataStore, Model: PersistentModel>(
    _ store: Store, _ descriptor: FetchDescriptor<Model>, question: StoreQuestion?, as state: EditingState
  ) throws -> Fetched {
    if let asked = store as? any AskedStore, let question {
      let answer = try asked.answer(question)
      return Fetched(
        contents: answer.contents, related: [], isFiltered: question.isWhole && answer.isTested, report: answer.report)
    }
    var (asked, isFiltered) = (descriptor, true)
    while true {
      do {
        let result = try store.fetch(DataStoreFetchRequest(descriptor: asked, editingState: state))
        return Fetched(
          contents: try result.fetchedSnapshots.map(SnapshotContent.init(foreign:)),
          related: try result.relatedSnapshots.values.map(SnapshotContent.init(foreign:)), isFiltered: isFiltered)
      } catch DataStoreError.preferInMemoryFilter where asked.predicate != nil {
        isFiltered = false
        (asked.predicate, asked.sortBy, asked.fetchLimit) = (nil, [], nil)
      } catch DataStoreError.preferInMemorySort where !asked.sortBy.isEmpty {
        (asked.sortBy, asked.fetchLimit) = ([], nil)
      }
    }
  }

  private func question<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, from start: RoostQuery.Expression? = nil, _ context: any BackedContext
  ) throws -> StoreQuestion? {
    guard store is any AskedStore, let graph = context as? GraphContext, let map = context.store.map(of: Model.self)
    else { return nil }
    return try StoreQuestion(descriptor, map, from: start, graph: graph)
  }

  /// Returns a descriptor without the predicate, the order and the limit that depend on unsaved
  /// changes of related models.
  private func visible<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, _ context: any BackedContext
  ) throws -> FetchDescriptor<Model> {
    guard descriptor.includePendingChanges, let graph = context as? GraphContext, graph.changes.hasChanges,
      let map = context.store.map(of: Model.self)
    else { return descriptor }
    var visible = descriptor
    if let translation = try descriptor.predicate.map({ try Translation($0, map, graph: graph) }),
      !translation.tests.isEmpty || graph.hasUnsaved(translation.passesThrough, for: descriptor)
    {
      (visible.predicate, visible.fetchLimit) = (nil, nil)
    }
    // A computed value may read any model.
    let order = SortRules(descriptor.sortBy).orders(map, graph.store)
    if order.map({ graph.hasUnsaved($0.passes, for: descriptor) }) ?? true {
      (visible.sortBy, visible.fetchLimit) = ([], nil)
    }
    return visible
  }

  func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for context: any BackedContext) throws
    -> Int?
  {
    if store is any AskedStore { try context.showNewest() }
    let (state, question) = (begin(context), try question(descriptor, context))
    if let question, !question.isWhole { return nil }
    return try AskedAhead.current(context).answer(
      AskedAhead.Wish(descriptor, question), from: self, kept: \.counts
    ) { [self] in
      try exclusively { try counted(store, descriptor, question: question, as: state) }
    }
  }

  private func counted<Store: DataStore, Model: PersistentModel>(
    _ store: Store, _ descriptor: FetchDescriptor<Model>, question: StoreQuestion?, as state: EditingState
  ) throws -> Int? {
    if let asked = store as? any AskedStore { return try question.flatMap { try asked.count($0) } }
    do { return try store.fetchCount(DataStoreFetchRequest(descriptor: descriptor, editingState: state)) } catch
      DataStoreError.preferInMemoryFilter, DataStoreError.preferInMemorySort
    { return nil }
  }

  // MARK: Loading

  /// The number of rows that one fetch loads.
  private static var mostAtOnce: Int { 1000 }

  func load(_ rows: [(map: EntityMap, row: UInt64)], for context: any BackedContext, lists: Bool) throws {
    var wanted = rows
    // This row came alone.
    if rows.count == 1, let last = rows.last {
      let others = keys.unloaded(after: last.map, last.row, lists: lists, atMost: Self.mostAtOnce - rows.count)
      wanted += others.map { (last.map, $0) }
    }
    try fetch(wanted.map { identifier(ofUnloaded: $0, $1, context) }, for: context, lists: lists)
  }

  func refresh(_ rows: [(map: EntityMap, row: UInt64)], for context: any BackedContext) throws {
    try fetch(rows.map { identifier(ofUnloaded: $0, $1, context) }, for: context, isAgain: true)
  }

  func loadAll(_ map: EntityMap, for context: any BackedContext, lists: Bool) throws -> Bool {
    let rows = keys.unloaded(map, lists: lists)
    for start in stride(from: 0, to: rows.count, by: Self.mostAtOnce) {
      let some = rows[start..<min(rows.count, start + Self.mostAtOnce)]
      try fetch(some.map { identifier(ofUnloaded: map, $0, context) }, for: context, lists: lists)
    }
    try context.showNewest()
    return !rows.isEmpty
  }

  private func identifier(
    ofUnloaded map: EntityMap, _ row: UInt64, _ context: any BackedContext
  ) -> PersistentIdentifier {
    let map = context.entityMap(of: row, map)
    return PersistentIdentifier(store: identifier, entity: map.type.name, keys.key(map, row))
  }

  func bring(_ entity: String, _ key: IdentifierKey, for context: any BackedContext) throws {
    try fetch([PersistentIdentifier(store: identifier, entity: entity, key)], for: context)
    try context.showNewest()
  }

  /// Returns the models of identifiers, fetched in one call of the store. Models that do not exist
  /// are left out.
  func models(
    _ identifiers: [PersistentIdentifier], in context: ModelContext
  ) throws -> [PersistentIdentifier: any PersistentModel] {
    let graph = context.state.graph(try number(context.container))
    try fetch(identifiers, for: graph)
    try graph.showNewest()
    var models: [PersistentIdentifier: any PersistentModel] = [:]
    for identifier in identifiers where context.state.stores.row(of: identifier) != nil {
      models[identifier] = context.existing(identifier)
    }
    return models
  }

  /// Fetches the models of identifiers: first those that the store has at hand, then the others by
  /// a predicate for each class.
  ///
  /// - Parameter isAgain: whether the models may be loaded already, and have changed.
  private func fetch(
    _ identifiers: [PersistentIdentifier], for context: any BackedContext, lists: Bool = false, isAgain: Bool = false
  ) throws {
    let (state, graph) = (begin(context), context.store)
    let merged = try followMerges(context)
    let identifiers = merged.isEmpty ? identifiers : identifiers.map { merged[$0] ?? $0 }
    try AskedAhead.current(context).load(identifiers, lists: lists, from: self) { [self] wanted in
      try fetch(wanted, graph, as: state, lists: lists, isAgain: isAgain)
    }
  }

  private func fetch(
    _ identifiers: [PersistentIdentifier], _ graph: GraphStore, as state: EditingState, lists: Bool, isAgain: Bool
  ) throws {
    let time = keys.now()
    if let found = try reload(identifiers, lists: lists) {
      try feed(found, askedAt: time)
      if isAgain { try loadTargets(of: found, graph, as: state) }
      // Each model is returned once.
      if found.count == identifiers.count { return }
      let known = Set(found.map { graph.entityKey($0.identifier) })
      return try remove(
        identifiers.filter { !known.contains(graph.entityKey($0)) }, askedAt: time, isAgain: isAgain || lists)
    }
    func cached<Store: DataStore>(_ store: Store) throws -> [SnapshotContent] {
      try store.cachedSnapshots(for: identifiers, editingState: state).values.map(SnapshotContent.init(foreign:))
    }
    let found = try exclusively { try cached(store) }
    try feed(found, askedAt: time)
    let known = Set(found.map(\.identifier))
    let missing = Dictionary(grouping: identifiers.filter { !known.contains($0) }, by: \.entityName)
    for (name, identifiers) in missing.sorted(by: { $0.key < $1.key }) {
      guard let type = graph.map(named: name)?.type.model as? any PersistentModel.Type else { continue }
      try fetch(type, identifiers, as: state)
    }
  }

  /// Loads the models that contents reference. A merge takes members out of their lists.
  private func loadTargets(of contents: [SnapshotContent], _ graph: GraphStore, as state: EditingState) throws {
    let targets = contents.flatMap(\.links).compactMap { if case .one(let target) = $0 { target } else { nil } }
    let unloaded = Set(targets).filter { target in
      guard let (place, row) = container?.stores.row(of: target) else { return false }
      return keys.isUnloaded(place.map, row, in: nil)
    }
    if !unloaded.isEmpty { try fetch(Array(unloaded), graph, as: state, lists: false, isAgain: false) }
  }

  /// Loads models from a store of Roost's own; returns nil for other stores.
  func reload(_ identifiers: [PersistentIdentifier], lists: Bool) throws -> [SnapshotContent]? {
    if let asked = store as? any AskedStore { return try exclusively { try asked.load(identifiers, lists: lists) } }
    return try (store as? ParentStore).map { parent in try exclusively { parent.load(identifiers) } }
  }

  private func fetch<Model: PersistentModel>(
    _ model: Model.Type, _ identifiers: [PersistentIdentifier], as state: EditingState
  ) throws {
    let time = keys.now()
    let descriptor = FetchDescriptor<Model>(predicate: #Predicate { identifiers.contains($0.persistentModelID) })
    let answer = try exclusively { try fetched(store, descriptor, question: nil, as: state) }
    try feed(answer.contents + answer.related, askedAt: time)
    let found = Set(answer.contents.map(\.identifier))
    try remove(identifiers.filter { !found.contains($0) }, askedAt: time)
  }
}

extension PersistentModel {
  /// Sets all relationships to nothing.
  func leaveAll() {
    let form = ImageForm.of(Self._$type)
    for property in form.links {
      if form.isList(property) {
        assign(property, [any PersistentModel]())
      } else if Self._$type.mayBeNil(property) {
        assign(property, Any?.none as Any)
      }
    }
  }
}

extension SnapshotContent {
  /// Reads the snapshot of any store through its coding.
  init(foreign snapshot: some DataStoreSnapshot) throws {
    if let known = snapshot as? DefaultSnapshot {
      self = known.content
      return
    }
    let encoder = JSONEncoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    self = try decoder.decode(DefaultSnapshot.self, from: encoder.encode(snapshot)).content
  }
}
