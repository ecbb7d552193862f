internal import RoostGraph
internal import RoostRecords

/// A step of a migration that makes one model of several that have the same values: see ``MigrationStage/removeDuplicates(of:by:policy:)``.
public final class DuplicateRemoval {
  let model: any PersistentModel.Type
  private let paths: [String]
  private let faults: [String]
  private let policy: (EntityMap) throws -> UniquePolicy

  fileprivate init<Model: PersistentModel>(
    _ model: Model.Type, _ keyPaths: [PartialKeyPath<Model>], policy: ModelContext.UniqueRule<Model>
  ) {
    self.model = model
    paths = Schema.names(keyPaths)
    faults = Schema.faults(keyPaths, "removeDuplicates")
    self.policy = { try policy.policy($0) }
  }
}

extension MigrationStage {
  /// A step that removes duplicates before a property becomes unique.
  ///
  /// ```swift
  /// .removeDuplicates(of: ShopV1.Item.self, by: \.name, policy: .newest(by: \.changed))
  /// ```
  ///
  /// Of the models that have the same values of all the key paths, the one that was inserted first stays. The others go one after the other, and
  /// the policy says which of their values it gets, as it does for an inserted model whose unique values are there already: with
  /// `.keepExisting` none, with `.upsert` all, with `.mergeNonNil` those that are not nil, with `.newest(by:)` all of a model that is newer.
  /// `.throw` ends the migration, and the error names the models.
  ///
  /// Whatever led to a model that goes leads to the one that stays, and its lists get the members. So no delete rule applies, and nothing else is deleted.
  /// A nil is like no other value.
  ///
  /// It runs after `willMigrate` of the same step, with the models of the old version.
  public static func removeDuplicates<Model: PersistentModel>(
    of model: Model.Type, by keyPaths: PartialKeyPath<Model>..., policy: ModelContext.UniqueRule<Model>
  ) -> MigrationStage { .duplicates(DuplicateRemoval(model, keyPaths, policy: policy)) }
}

extension DuplicateRemoval {
  /// How many models go in one transaction.
  private static let most = 1000

  func run(_ container: ModelContainer) throws {
    guard let place = container.stores.place(of: model) else { return }
    if let fault = faults.first { throw MigrationFault(place.map.type.name, nil, detail: fault) }
    if paths.isEmpty {
      throw MigrationFault(place.map.type.name, nil, detail: "no key path says which models are duplicates: name one")
    }
    let store = container.stores.stores[place.store]
    let records = store.records
    let merger = try DuplicateMerger(store, place.map, paths: paths)
    let groups = try records.read { try merger.groups($0) }
    switch try policy(place.map) {
    case .always(let choice):
      guard let taking = choice.taking else {
        if let group = groups.first { throw refusal(groups.count, group, of: place.map) }
        return
      }
      try merge(groups, in: records, with: merger) { _ in { _, _ in taking } }
    case .fields(let properties): try merge(groups, in: records, with: merger) { _ in { _, _ in .some(properties) } }
    case .newest(_, let isNewer):
      try merge(groups, in: records, with: merger) { batch in
        let context = ModelContext(container)
        let models = try models(batch, context, at: place)
        return { newest, row in
          // The models are faults that their context fills.
          defer { withExtendedLifetime(context) {} }
          guard let one = models[row], let other = models[newest] else { return .nothing }
          return isNewer(one, other) ? .all : .nothing
        }
      }
    case .asks(let body): try choose(groups, container, at: place, with: merger, by: body)
    }
  }

  private func refusal(_ count: Int, _ rows: [RowID], of map: EntityMap) -> MigrationFault {
    let named = rows.prefix(5).map { "\($0.number)" }.joined(separator: ", ") + (rows.count > 5 ? ", …" : "")
    return MigrationFault(
      map.type.name, paths.joined(separator: ", "),
      detail:
        "\(count) \(count == 1 ? "group of objects has" : "groups of objects have") the same values: the first is rows \(named)"
    )
  }

  /// Where nothing is asked that may change a model: many in one transaction.
  ///
  /// - Parameter rule: for a batch of groups, tells of a row what the one that stays gets of it. It is also told the row whose values
  ///   that one has by then.
  private func merge(
    _ groups: [[RowID]], in records: RecordStore, with merger: DuplicateMerger,
    by rule: (ArraySlice<[RowID]>) throws -> (_ now: RowID, _ row: RowID) throws -> DuplicateMerger.Taking
  ) throws {
    var next = 0
    while next < groups.count {
      try Task.checkCancellation()
      let start = next
      var count = 0
      while next < groups.count, count < Self.most {
        count += groups[next].count
        next += 1
      }
      let decide = try rule(groups[start..<next])
      var pairs: [DuplicateMerger.Pair] = []
      for group in groups[start..<next] {
        var now = group[0]
        for row in group.dropFirst() {
          let taking = try decide(now, row)
          if case .all = taking { now = row }
          pairs.append(DuplicateMerger.Pair(kept: group[0], duplicate: row, taking: taking))
        }
      }
      try records.write { try merger.merge(pairs, in: $0) }
    }
  }

  private func models(
    _ groups: ArraySlice<[RowID]>, _ context: ModelContext, at place: StoreSet.Place
  ) throws -> [RowID: any _ModelObject] {
    let graph = context.state.graph(place.store)
    let models = try graph.call(.reading) { try graph.objects.read(groups.flatMap { $0 }, place.map) }
    return Dictionary(models.map { (RowID($0._$state.row), $0) }) { first, _ in first }
  }

  /// Where code of the program decides: one after the other, because it sees what the last one left, and may change models.
  private func choose(
    _ groups: [[RowID]], _ container: ModelContainer, at place: StoreSet.Place, with merger: DuplicateMerger,
    by body: (_ duplicate: any _ModelObject, _ kept: any _ModelObject) throws -> UniqueChoice
  ) throws {
    let records = container.stores.stores[place.store].records
    for group in groups {
      try Task.checkCancellation()
      for row in group.dropFirst() {
        let context = ModelContext(container)
        context.durability = .relaxed
        let graph = context.state.graph(place.store)
        let models = try graph.call(.reading) { try graph.objects.read([row, group[0]], place.map) }
        guard models.count == 2 else { continue }
        let choice = try body(models[0], models[1])
        guard let taking = choice.taking else { throw refusal(groups.count, group, of: place.map) }
        // The code may have changed the model that goes, so that the one that stays gets that.
        if context.hasChanges { try context.save() }
        try records.write {
          try merger.merge([DuplicateMerger.Pair(kept: group[0], duplicate: row, taking: taking)], in: $0)
        }
      }
    }
  }
}

extension UniqueChoice {
  /// What the model that stays gets; nil where the migration ends.
  fileprivate var taking: DuplicateMerger.Taking? {
    switch self {
    case .upsert: .all
    case .keepExisting: .nothing
    case .mergeNonNil: .notNil
    case .refuse: nil
    }
  }
}
