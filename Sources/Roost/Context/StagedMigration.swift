internal import Foundation
internal import RoostCare
internal import RoostFile
internal import RoostGraph
internal import RoostPages
internal import RoostRecords

/// Runs the stages of a migration plan when a container opens a store.
///
/// Steps without code change the store's catalog in place. If any stage has code, all steps work on
/// a copy of the file, which replaces the store when the last step is done: ``StoreReplacement``.
/// An error leaves the store as it was.
struct StagedMigration {
  let plan: any SchemaMigrationPlan.Type
  /// The models that the container keeps in the store.
  let models: [ModelPlan]
  /// The names of the entities in the container's other stores.
  let others: Set<String>
  /// The program's other settings for the store.
  let opening: GraphStore.Opening
  /// Collects the models for which a transform throws; nil if the first error ends the migration.
  var failures: TransformFailures?

  /// Runs the steps that the store needs. Returns true if the store was closed and its file
  /// replaced.
  func run(_ records: RecordStore) throws -> Bool {
    guard let (versions, current) = try versions(records) else { return false }
    let steps = try versions.steps(from: current)
    guard steps.contains(where: \.hasCode) else {
      // A read-only container opens the store as it is, if it fits the newest models.
      if steps.isEmpty || opening.isReadOnly { return false }
      try GraphStore.settle(records, through: steps.map { ($0.to.plans, $0.to.noted) })
      return false
    }
    if opening.isReadOnly {
      throw MigrationFault(
        versions.all[current].outlines.keys.min() ?? "", nil,
        detail:
          "the store has version \(versions.all[current].number) of \(plan) and needs a migration, but the container only reads: "
          + "open it once with a configuration that allows saves")
    }
    let path = records.store.path
    try StoreReplacement.removeRests(of: path, records.store.fileSystem)
    let copy = try StoreReplacement(
      records.store, keepingOriginalAt: plan.keepsBackup ? Self.backupPath(of: path) : nil)
    do {
      try StageRunner(plan, StagedCopy(copy: copy, opening: opening, failures: failures)).run(steps)
    } catch {
      copy.abandon()
      throw error
    }
    try copy.publish()
    return true
  }

  /// The path of the copy from before the store's last migration.
  static func backupPath(of path: String) -> String { path + "-before-migration" }

  /// Finds the plan's versions, and the version that the store has; nil if it has none of the
  /// plan's entities.
  private func versions(_ records: RecordStore) throws -> (versions: PlanVersions, current: Int)? {
    let catalog = try records.read { $0.catalog }
    if catalog.entities.isEmpty { return nil }
    let versions = try PlanVersions(plan, models, over: catalog, others: others)
    return try versions.current(catalog).map { (versions, $0) }
  }

  /// Throws if the store cannot be opened, as far as that is known before any code runs. Returns
  /// true if code has to run.
  func check(_ records: RecordStore) throws -> Bool {
    guard let (versions, current) = try versions(records) else { return false }
    return try versions.steps(from: current).contains(where: \.hasCode)
  }
}

/// A copy of a file, on which the stages of a plan work.
private struct StagedCopy: StagedStore {
  let copy: StoreReplacement
  let opening: GraphStore.Opening
  let failures: TransformFailures?

  var place: String { copy.path }

  func settle(_ version: PlanVersions.Version) throws -> Bool {
    let records = try RecordStore(
      copy.copyPath, options: options, fileSystem: copy.fileSystem, writer: HistoryWriter.ofThisProgram)
    let isChanged = try GraphStore.settle(records, through: [(version.plans, version.noted)])
    // The code of a stage may have changed rows without computing their derived values.
    if try records.read({ $0.catalog.hasComputed() }) {
      try records.write { writer in try writer.change { $0.awaitComputed() } }
    }
    try records.close()
    return isChanged
  }

  func freeze(_ version: PlanVersions.Version, isChanged: Bool) throws -> String {
    try copy.freeze(isChanged: isChanged)
  }

  func withContainer(_ version: PlanVersions.Version, _ body: (ModelContainer) throws -> Void) throws {
    try withContainer(version, reading: nil, body)
  }

  func transform(
    _ transform: ModelTransform, _ step: PlanVersions.Step, from source: String, into new: ModelContainer,
    report: (Int, Int) throws -> Void
  ) throws {
    try withContainer(step.from, reading: source) { old in
      try transform.run(old, new, noting: failures, report: report)
    }
  }

  func remove(_ removal: DuplicateRemoval, in container: ModelContainer) throws { try removal.run(container) }

  func checkFilled(_ container: ModelContainer) throws {
    // A dry run continues without the objects that failed.
    if failures?.count ?? 0 > 0 { return }
    for store in container.stores.stores { try store.checkFilled() }
  }

  private var options: StoreOptions {
    var options = StoreOptions()
    options.cacheBytes = opening.cacheBytes
    return options
  }

  /// Runs code with a container of one version's models over the copy, or over an earlier file that
  /// is only read.
  private func withContainer(
    _ version: PlanVersions.Version, reading path: String?, _ body: (ModelContainer) throws -> Void
  ) throws {
    var opening = GraphStore.Opening(isReadOnly: path != nil, cacheBytes: opening.cacheBytes)
    opening.writer = HistoryWriter.ofThisProgram
    opening.version = version.noted
    opening.isStaged = path == nil
    let container = try ModelContainer(Schema(version.models, version: version.schema.version)) { plans, _ in
      try GraphStore.open(path ?? copy.copyPath, plans, opening: opening, fileSystem: copy.fileSystem)
    }
    do { try body(container) } catch {
      try? container.close()
      throw error
    }
    try container.close()
  }
}
