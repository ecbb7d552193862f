internal import Foundation
internal import RoostCare
internal import RoostFile
internal import RoostGraph
internal import RoostPages
internal import RoostRecords

/// Brings a store through the stages of a migration plan, when a container opens it.
///
/// Steps without code change the store's catalog where it is. As soon as a stage has code, all steps work on a copy of the file, which
/// takes the store's place when the last one is done: ``StoreReplacement``. An error leaves the store as it was.
struct StagedMigration {
  let plan: any SchemaMigrationPlan.Type
  /// What the container keeps in the store.
  let models: [ModelPlan]
  /// The names of the entities in the container's other stores.
  let others: Set<String>
  /// The program's other settings for the store.
  let opening: GraphStore.Opening
  /// Where models for which a transform throws are noted; nil where the first one ends the migration.
  var failures: TransformFailures?

  /// Carries out what the store needs. True means that the store was closed, and its file replaced.
  func run(_ records: RecordStore) throws -> Bool {
    guard let (versions, current) = try versions(records) else { return false }
    let steps = try versions.steps(from: current)
    guard steps.contains(where: \.hasCode) else {
      // What is only read is opened as it is, if it fits the newest models.
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
      for (number, step) in steps.enumerated() {
        let progress = MigrationProgress(
          from: step.from.schema.version, to: step.to.schema.version, step: number + 1, steps: steps.count)
        try carryOut(step, copy, progress: progress)
      }
      try Task.checkCancellation()
    } catch {
      copy.abandon()
      throw error
    }
    try copy.publish()
    return true
  }

  /// Where the store is kept as it was before its last migration.
  static func backupPath(of path: String) -> String { path + "-before-migration" }

  /// The plan's versions, and the one that the store has; nil if it has none of the plan's entities.
  private func versions(_ records: RecordStore) throws -> (versions: PlanVersions, current: Int)? {
    let catalog = try records.read { $0.catalog }
    if catalog.entities.isEmpty { return nil }
    let versions = try PlanVersions(plan, models, over: catalog, others: others)
    return try versions.current(catalog).map { (versions, $0) }
  }

  /// Throws if the store cannot be opened, as far as that is known before any code runs. True if code has to run.
  func check(_ records: RecordStore) throws -> Bool {
    guard let (versions, current) = try versions(records) else { return false }
    return try versions.steps(from: current).contains(where: \.hasCode)
  }

  // MARK: Steps

  private func carryOut(_ step: PlanVersions.Step, _ copy: StoreReplacement, progress: MigrationProgress) throws {
    do {
      try tell(progress)
      // The store may lack an entity of the version that no program had named.
      let isCompleted = try step.hasCode && settle(copy, step.from)
      if let will = step.will { try withContainer(step.from, copy) { try Self.run(will, $0) } }
      for removal in step.removals { try withContainer(step.from, copy) { try removal.run($0) } }
      let source =
        step.transforms.isEmpty
        ? nil
        : try copy.freeze(
          isChanged: isCompleted || step.will != nil || !step.removals.isEmpty || progress.step > 1)
      if step.hasCode {
        try withContainer(step.to, copy) { new in
          if let source { try transform(step, source, into: new, copy: copy, progress: progress) }
          if let did = step.did { try Self.run(did, new) }
          // A dry run goes on without the objects that failed.
          if failures?.count ?? 0 == 0 { for store in new.stores.stores { try store.checkFilled() } }
        }
      }
      // What the code had to prepare comes last: new unique values.
      _ = try settle(copy, step.to)
    } catch let error as CancellationError {
      throw error
    } catch let failure as TransformFailure {
      throw failed(step, "\(failure)", of: copy, error: failure.error)
    } catch {
      throw failed(step, "\(error)", of: copy, error: error)
    }
  }

  /// Brings the copy to a version; true if anything changed.
  private func settle(_ copy: StoreReplacement, _ version: PlanVersions.Version) throws -> Bool {
    let records = try RecordStore(
      copy.copyPath, options: options, fileSystem: copy.fileSystem, writer: HistoryWriter.ofThisProgram)
    let isChanged = try GraphStore.settle(records, through: [(version.plans, version.noted)])
    try records.close()
    return isChanged
  }

  private func transform(
    _ step: PlanVersions.Step, _ source: String, into new: ModelContainer, copy: StoreReplacement,
    progress: MigrationProgress
  ) throws {
    try withContainer(step.from, copy, reading: source) { old in
      for transform in step.transforms {
        try transform.run(old, new, noting: failures) { done, total in
          var now = progress
          (now.models, now.total) = (done, total)
          try tell(now)
        }
      }
    }
  }

  private func failed(
    _ step: PlanVersions.Step, _ reason: String, of copy: StoreReplacement, error: any Error
  ) -> SwiftDataError {
    SwiftDataError.loadIssueModelContainer.about(
      "the migration by \(plan) from version \(step.from.number) to \(step.to.number) failed, and the store is as it was: "
        + Doorway.text(reason, "loadIssueModelContainer") + " [\(copy.path)]",
      error)
  }

  private func tell(_ progress: MigrationProgress) throws {
    try Task.checkCancellation()
    plan.report(progress)
  }

  private var options: StoreOptions {
    var options = StoreOptions()
    options.cacheBytes = opening.cacheBytes
    return options
  }

  /// Runs code over a container of one version's models, whose store is the copy or, to be read alone, an earlier file.
  private func withContainer(
    _ version: PlanVersions.Version, _ copy: StoreReplacement, reading path: String? = nil,
    body: (ModelContainer) throws -> Void
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

  /// Runs the code of a stage in a context, and saves what it left unsaved.
  private static func run(_ body: (ModelContext) throws -> Void, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    // The copy is synced as a whole before it takes the store's place.
    context.durability = .relaxed
    try body(context)
    if context.hasChanges { try context.save() }
  }
}
