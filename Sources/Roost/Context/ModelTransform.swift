internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// Code of a migration plan that sees both versions of each model of a class: see ``MigrationStage/transform(from:to:batchSize:_:)``.
public final class ModelTransform {
  let old: any PersistentModel.Type
  /// Nil where the code itself makes the new models.
  let new: (any PersistentModel.Type)?
  /// The version to which it leads, if no class of it says so.
  let version: (any VersionedSchema.Type)?
  let batchSize: Int
  let body: (_ old: any PersistentModel, _ new: (any PersistentModel)?, _ context: ModelContext) throws -> Void

  init(
    _ old: any PersistentModel.Type, to new: (any PersistentModel.Type)?, version: (any VersionedSchema.Type)?,
    batchSize: Int,
    body: @escaping (_ old: any PersistentModel, _ new: (any PersistentModel)?, _ context: ModelContext) throws -> Void
  ) {
    self.old = old
    self.new = new
    self.version = version
    self.batchSize = max(1, batchSize)
    self.body = body
  }
}

/// What the code of a transform threw, and for which model.
struct TransformFailure: Error, CustomStringConvertible {
  var model: PersistentIdentifier
  var error: any Error

  var description: String { "the transform of \(model.place) threw \(error)" }
}

extension MigrationStage {
  /// A step that calls a closure with each model as the old version has it, and as the new version has it.
  ///
  /// ```swift
  /// .transform(from: LibraryV1.Book.self, to: LibraryV2.Book.self) { old, new in
  ///   new.year = Int(old.year) ?? 0
  /// }
  /// ```
  ///
  /// Before the first call, `new` has everything that both versions declare alike. The closure sets properties whose type is another one,
  /// and new ones without a default; until then they are 0, empty or nil. Models are read and saved in batches, so a store of any size
  /// needs little memory. The old models cannot be saved. A model that the closure deletes from `new.modelContext` is left out.
  ///
  /// Several transforms may lie between the same two versions, also beside a custom stage: `willMigrate` runs before them, and `didMigrate` after them.
  public static func transform<Old: PersistentModel, New: PersistentModel>(
    from old: Old.Type, to new: New.Type, batchSize: Int = 1000,
    _ body: @escaping (_ old: Old, _ new: New) throws -> Void
  ) -> MigrationStage {
    .objects(
      ModelTransform(old, to: new, version: nil, batchSize: batchSize) { old, new, _ in
        if let old = old as? Old, let new = new as? New { try body(old, new) }
      })
  }

  /// A step that calls a closure with each model of the old version, and with a context of the new version, into which it inserts what
  /// is to become of the model. A model can be split in two that way, or joined with another one.
  ///
  /// ```swift
  /// .transform(from: LibraryV1.Person.self, in: LibraryV2.self) { person, context in
  ///   context.insert(LibraryV2.Author(name: person.name))
  /// }
  /// ```
  ///
  /// If the new version has a class of the same name, `context.existingModel(for: person.persistentModelID)` is the same model in it.
  public static func transform<Old: PersistentModel, Version: VersionedSchema>(
    from old: Old.Type, in version: Version.Type, batchSize: Int = 1000,
    _ body: @escaping (_ old: Old, _ context: ModelContext) throws -> Void
  ) -> MigrationStage {
    .objects(
      ModelTransform(old, to: nil, version: version, batchSize: batchSize) { old, _, context in
        if let old = old as? Old { try body(old, context) }
      })
  }
}

extension ModelTransform {
  /// Calls the code for each model of a class. Each batch of models is saved.
  ///
  /// - Parameter report: called before each batch, with the number of models that are done.
  func run(
    _ source: ModelContainer, _ target: ModelContainer, noting failures: TransformFailures?,
    report: (Int, Int) throws -> Void
  ) throws {
    guard let place = source.stores.place(of: old) else { return }
    let store = source.stores.stores[place.store]
    if let new, try target.stores.known(new).map.entity.id != place.map.entity.id {
      throw MigrationFault(
        old._$type.name, nil,
        detail:
          "the class leaves its superclass, so its objects get other rows: use transform(from:in:), and insert the new models"
      )
    }
    let total = try store.records.read { reader in
      try Planner(Ground(reader)).count(Query(place.map.entity.name, where: place.map.condition()))
    }
    var query = Query(place.map.entity.name, where: place.map.condition(), by: [Order(.row)], limit: batchSize)
    var done = 0
    while true {
      try report(done, Int(clamping: total))
      let count = try batch(&query, from: source, to: target, place: place, noting: failures)
      done += count
      if count < batchSize { return }
    }
  }

  /// Calls the code for the next models of a query; returns how many there were.
  private func batch(
    _ query: inout Query, from source: ModelContainer, to target: ModelContainer, place: StoreSet.Place,
    noting failures: TransformFailures?
  ) throws -> Int {
    // The models of a batch are let go with their contexts.
    let (reading, writing) = (ModelContext(source), ModelContext(target))
    // The copy is synced as a whole before it takes the store's place.
    writing.durability = .relaxed
    let graph = reading.state.graph(place.store)
    let rows = try graph.rows(query, place.map).map(\.row)
    guard let last = rows.last else { return 0 }
    query.after = SeekPoint([.reference(last)], last)
    let olds = try graph.call(.reading) { try graph.objects.read(rows, place.map) }
      .compactMap { $0 as? any PersistentModel }
    let news = try counterparts(olds, writing)
    for old in olds {
      let counterpart = news[old._$state.row]
      if new != nil, counterpart == nil { continue }
      do { try body(old, counterpart, writing) } catch {
        guard let failures else { throw TransformFailure(model: old.persistentModelID, error: error) }
        failures.add(old.persistentModelID, error)
      }
    }
    if writing.hasChanges { try writing.save() }
    return rows.count
  }

  /// The models of the same rows in the new version, by row.
  private func counterparts(
    _ olds: [any PersistentModel], _ context: ModelContext
  ) throws -> [UInt64: any PersistentModel] {
    guard let new else { return [:] }
    let place = try context.state.stores.known(new)
    let graph = context.state.graph(place.store)
    let rows = olds.map { RowID($0._$state.row) }
    let found = try graph.call(.reading) { try graph.objects.read(rows, place.map) }
    return Dictionary(found.compactMap { one in (one as? any PersistentModel).map { (one._$state.row, $0) } }) { $1 }
  }
}
