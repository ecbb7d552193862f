internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A step of a migration plan that sees both versions of each model of a class: see
/// ``MigrationStage/transform(from:to:batchSize:_:)``.
public final class ModelTransform {
  let old: any PersistentModel.Type
  /// The class in the new version; nil if the code makes the new models.
  let new: (any PersistentModel.Type)?
  /// The version that the step ends with, if no class says so.
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

/// The error that the code of a transform threw, and the model.
struct TransformFailure: Error, CustomStringConvertible {
  var model: PersistentIdentifier
  var error: any Error

  var description: String { "the transform of \(model.place) threw \(error)" }
}

extension MigrationStage {
  /// A step that calls a closure with each model in its old version and in its new version.
  ///
  /// ```swift
  /// let years: MigrationStage =
  ///   .transform(from: LibraryV1.Book.self, to: LibraryV2.Book.self) { old, new in
  ///     new.year = Int(old.year) ?? 0
  ///   }
  /// ```
  ///
  /// Before the first call, `new` has the values of all properties that both versions declare
  /// alike. The closure sets properties whose type changed, and new properties without a default;
  /// before that they are 0, empty or nil. Models are read and saved in batches, so a store of any
  /// size needs little memory. The old models cannot be saved. If the closure deletes a model from
  /// `new.modelContext`, the new version does not have it.
  ///
  /// Several transforms may be between the same two versions, also together with a custom stage:
  /// `willMigrate` runs before them, and `didMigrate` after them.
  public static func transform<Old: PersistentModel, New: PersistentModel>(
    from old: Old.Type, to new: New.Type, batchSize: Int = 1000,
    _ body: @escaping (_ old: Old, _ new: New) throws -> Void
  ) -> MigrationStage {
    .objects(
      ModelTransform(old, to: new, version: nil, batchSize: batchSize) { old, new, _ in
        if let old = old as? Old, let new = new as? New { try body(old, new) }
      })
  }

  /// A step that calls a closure with each model of the old version and a context of the new
  /// version. The closure inserts the new models. With it you can split a model in two, or join it
  /// with another one.
  ///
  /// ```swift
  /// let authors: MigrationStage =
  ///   .transform(from: LibraryV1.Person.self, in: LibraryV2.self) { person, context in
  ///     context.insert(LibraryV2.Author(name: person.name))
  ///   }
  /// ```
  ///
  /// If the new version has a class of the same name, `context.existingModel(for:
  /// person.persistentModelID)` finds the same model in it.
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

/// The models of a class in two versions of a store, in batches.
package protocol ModelPairs {
  /// Returns the number of models in the old version.
  func count() throws -> Int
  /// Calls a body with the next models, in the order of their keys, and saves its changes. Returns
  /// the number of models.
  mutating func next(_ limit: Int, _ body: (ModelBatch) throws -> Void) throws -> Int
}

/// A batch of models of the old version, and a context of the new version.
package struct ModelBatch {
  let olds: [any PersistentModel]
  let context: ModelContext
  /// Finds a model of the old version in the new one; nil if the new one does not have it.
  let counterpart: (any PersistentModel) -> (any PersistentModel)?

  package init(
    _ olds: [any PersistentModel], _ context: ModelContext,
    counterpart: @escaping (any PersistentModel) -> (any PersistentModel)?
  ) {
    (self.olds, self.context, self.counterpart) = (olds, context, counterpart)
  }
}

extension ModelTransform {
  /// The class in the old version and in the new version; nil if the code makes the new models.
  package var classes: (old: any PersistentModel.Type, new: (any PersistentModel.Type)?) { (old, new) }

  /// Returns an error if the objects of the new class cannot have the rows of the old class.
  package func leavesFamily() -> any Error {
    MigrationFault(
      old._$type.name, nil,
      detail:
        "the class leaves its superclass, so its objects get other rows: use transform(from:in:), and insert the new models"
    )
  }

  /// Calls the code for each model of a class. Each batch of models is saved.
  ///
  /// - Parameter report: called before each batch, with the number of models that are done.
  package func run(_ pairs: some ModelPairs, report: (Int, Int) throws -> Void) throws {
    try run(pairs, noting: nil, report: report)
  }

  private func run(
    _ pairs: some ModelPairs, noting failures: TransformFailures?, report: (Int, Int) throws -> Void
  ) throws {
    var pairs = pairs
    let total = try pairs.count()
    var done = 0
    while true {
      try report(done, total)
      let count = try pairs.next(batchSize) { batch in
        for old in batch.olds {
          let counterpart = batch.counterpart(old)
          if new != nil, counterpart == nil { continue }
          do { try body(old, counterpart, batch.context) } catch {
            guard let failures else { throw TransformFailure(model: old.persistentModelID, error: error) }
            failures.add(old.persistentModelID, error)
          }
        }
      }
      done += count
      if count < batchSize { return }
    }
  }

  /// Runs the transform over two files. A model has the same row number in both.
  func run(
    _ source: ModelContainer, _ target: ModelContainer, noting failures: TransformFailures?,
    report: (Int, Int) throws -> Void
  ) throws {
    guard let place = source.stores.place(of: old) else { return }
    if let new, try target.stores.known(new).map.entity.id != place.map.entity.id { throw leavesFamily() }
    try run(RowPairs(source, target, place: place, new: new), noting: failures, report: report)
  }
}

/// The models of two files, matched by their row numbers.
private struct RowPairs: ModelPairs {
  private let source: ModelContainer
  private let target: ModelContainer
  private let place: StoreSet.Place
  private let new: (any PersistentModel.Type)?
  private var query: Query

  init(
    _ source: ModelContainer, _ target: ModelContainer, place: StoreSet.Place, new: (any PersistentModel.Type)?
  ) {
    (self.source, self.target, self.place, self.new) = (source, target, place, new)
    query = Query(place.map.entity.name, where: place.map.condition(), by: [Order(.row)])
  }

  func count() throws -> Int {
    let total = try source.stores.stores[place.store].records.read { reader in
      try Planner(Ground(reader)).count(Query(place.map.entity.name, where: place.map.condition()))
    }
    return Int(clamping: total)
  }

  mutating func next(_ limit: Int, _ body: (ModelBatch) throws -> Void) throws -> Int {
    // The contexts of a batch release its models.
    let (reading, writing) = (ModelContext(source), ModelContext(target))
    // The copy is synced before it replaces the store, so its saves need no sync.
    writing.durability = .relaxed
    let graph = reading.state.graph(place.store)
    query.limit = limit
    let rows = try graph.rows(query, place.map).map(\.row)
    guard let last = rows.last else { return 0 }
    query.after = SeekPoint([.reference(last)], last)
    let olds = try graph.call(.reading) { try graph.objects.read(rows, place.map) }
      .compactMap { $0 as? any PersistentModel }
    let news = try counterparts(olds, writing)
    try body(ModelBatch(olds, writing) { news[$0._$state.row] })
    if writing.hasChanges { try writing.save() }
    return rows.count
  }

  /// Returns the models with the same rows in the new version, by row.
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
