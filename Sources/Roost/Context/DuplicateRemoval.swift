package import RoostGraph
internal import RoostRecords

/// A store in which a migration merges duplicate objects of one class.
package protocol DuplicateStore {
  associatedtype Row: Hashable

  /// Returns the groups of objects that have the same values. Each group is in the order of
  /// insertion. Nil equals no other value.
  func groups() throws -> [[Row]]
  /// Returns the objects of rows in a context, without rows that do not exist.
  func models(_ rows: [Row], _ context: ModelContext) throws -> [Row: any _ModelObject]
  /// Merges the pairs one after the other.
  func merge(_ pairs: [DuplicatePair<Row>]) throws
  /// Describes a row, for errors.
  func text(_ row: Row) -> String
}

/// A step of a migration that merges models with the same values: see
/// ``MigrationStage/removeDuplicates(of:by:policy:)``.
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
  /// let unique: MigrationStage =
  ///   .removeDuplicates(of: ShopV1.Item.self, by: \.name, policy: .newest(by: \.changed))
  /// ```
  ///
  /// If several models have the same values at all key paths, the model that was inserted first
  /// stays, and the others are merged into it one after the other. A nil is not equal to any value.
  /// The policy says which values the first model takes from each of the others:
  ///
  /// - `.keepExisting`: none.
  /// - `.upsert`: all.
  /// - `.mergeNonNil`: those that are not nil.
  /// - `.newest(by:)`: all values of a newer model.
  /// - `.throw`: the migration ends with an error that names the models.
  ///
  /// References to a merged model become references to the first model, and its lists get the
  /// members. So no delete rule applies, and nothing else is deleted.
  ///
  /// It runs after `willMigrate` of the same step, with the models of the old version.
  public static func removeDuplicates<Model: PersistentModel>(
    of model: Model.Type, by keyPaths: PartialKeyPath<Model>..., policy: ModelContext.UniqueRule<Model>
  ) -> MigrationStage { .duplicates(DuplicateRemoval(model, keyPaths, policy: policy)) }
}

extension DuplicateRemoval {
  /// The largest number of models in one transaction.
  private static let most = 1000

  /// Removes duplicates in a file.
  func run(_ container: ModelContainer) throws {
    try run(container) { (map, paths) throws -> RowDuplicates? in
      guard let place = container.stores.place(of: model) else { return nil }
      return try RowDuplicates(container.stores.stores[place.store], place, of: map, paths: paths)
    }
  }

  /// - Parameter make: makes the store for the class and the properties that define duplicates; nil
  ///   if the store does not have the class.
  package func run<Store: DuplicateStore>(
    _ container: ModelContainer, in make: (_ map: EntityMap, _ paths: [String]) throws -> Store?
  ) throws {
    guard let map = container.stores.place(of: model)?.map else { return }
    if let fault = faults.first { throw MigrationFault(map.type.name, nil, detail: fault) }
    if paths.isEmpty {
      throw MigrationFault(map.type.name, nil, detail: "no key path says which models are duplicates: name one")
    }
    guard let store = try make(map, paths) else { return }
    let groups = try store.groups()
    func refusal(_ group: [Store.Row]) -> MigrationFault {
      let named = group.prefix(5).map(store.text).joined(separator: ", ") + (group.count > 5 ? ", …" : "")
      return MigrationFault(
        map.type.name, paths.joined(separator: ", "),
        detail:
          "\(groups.count) \(groups.count == 1 ? "group of objects has" : "groups of objects have") the same values: the first is rows \(named)"
      )
    }
    switch try policy(map) {
    case .always(let choice):
      guard let taking = choice.taking else {
        if let group = groups.first { throw refusal(group) }
        return
      }
      try merge(groups, in: store) { _ in { _, _ in taking } }
    case .fields(let properties): try merge(groups, in: store) { _ in { _, _ in .some(properties) } }
    case .newest(_, let isNewer):
      try merge(groups, in: store) { batch in
        let context = ModelContext(container)
        let models = try store.models(batch.flatMap { $0 }, context)
        return { newest, row in
          // The context loads the models when their values are read.
          defer { withExtendedLifetime(context) {} }
          guard let one = models[row], let other = models[newest] else { return .nothing }
          return isNewer(one, other) ? .all : .nothing
        }
      }
    case .asks(let body): try choose(groups, container, in: store, refusal: refusal, by: body)
    }
  }

  /// Merges many groups in one transaction, if the policy does not call code of the program.
  ///
  /// - Parameter rule: for a batch of groups, returns what the first model takes from a row. It is
  ///   also given the row whose values the first model has by then.
  private func merge<Store: DuplicateStore>(
    _ groups: [[Store.Row]], in store: Store,
    by rule: (ArraySlice<[Store.Row]>) throws -> (_ now: Store.Row, _ row: Store.Row) throws -> DuplicateMerger.Taking
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
      var pairs: [DuplicatePair<Store.Row>] = []
      for group in groups[start..<next] {
        var now = group[0]
        for row in group.dropFirst() {
          let taking = try decide(now, row)
          if case .all = taking { now = row }
          pairs.append(DuplicatePair(kept: group[0], duplicate: row, taking: taking))
        }
      }
      try store.merge(pairs)
    }
  }

  /// Merges groups one after the other, because code of the program decides: it sees the result of
  /// the previous merge, and may change models.
  private func choose<Store: DuplicateStore>(
    _ groups: [[Store.Row]], _ container: ModelContainer, in store: Store, refusal: ([Store.Row]) -> MigrationFault,
    by body: (_ duplicate: any _ModelObject, _ kept: any _ModelObject) throws -> UniqueChoice
  ) throws {
    for group in groups {
      try Task.checkCancellation()
      for row in group.dropFirst() {
        let context = ModelContext(container)
        context.durability = .relaxed
        let models = try store.models([row, group[0]], context)
        guard let duplicate = models[row], let kept = models[group[0]] else { continue }
        let choice = try body(duplicate, kept)
        guard let taking = choice.taking else { throw refusal(group) }
        // The code may have changed the duplicate, and the first model takes these values.
        if context.hasChanges { try context.save() }
        try store.merge([DuplicatePair(kept: group[0], duplicate: row, taking: taking)])
      }
    }
  }
}

/// A store in a file.
private struct RowDuplicates: DuplicateStore {
  private let records: RecordStore
  private let place: StoreSet.Place
  private let merger: DuplicateMerger

  init(_ store: GraphStore, _ place: StoreSet.Place, of map: EntityMap, paths: [String]) throws {
    (records, self.place) = (store.records, place)
    merger = try DuplicateMerger(store, map, paths: paths)
  }

  func groups() throws -> [[RowID]] { try records.read { try merger.groups($0) } }

  func models(_ rows: [RowID], _ context: ModelContext) throws -> [RowID: any _ModelObject] {
    let graph = context.state.graph(place.store)
    let models = try graph.call(.reading) { try graph.objects.read(rows, place.map) }
    return Dictionary(models.map { (RowID($0._$state.row), $0) }) { first, _ in first }
  }

  func merge(_ pairs: [DuplicatePair<RowID>]) throws { try records.write { try merger.merge(pairs, in: $0) } }

  func text(_ row: RowID) -> String { "\(row.number)" }
}

extension UniqueChoice {
  /// What the first model takes from a duplicate; nil if the policy ends the migration.
  fileprivate var taking: DuplicateMerger.Taking? {
    switch self {
    case .upsert: .all
    case .keepExisting: .nothing
    case .mergeNonNil: .notNil
    case .refuse: nil
    }
  }
}
