/// A store during the steps of a plan. Other programs see no change before all steps are done.
package protocol StagedStore {
  /// The input of a transform: the store as it was before the models of the step changed.
  associatedtype Source

  /// The place of the store, for errors.
  var place: String { get }
  /// Migrates the store to a version. Returns whether anything changed.
  func settle(_ version: PlanVersions.Version) throws -> Bool
  /// Keeps a copy of the current store for transforms.
  ///
  /// - Parameters:
  ///   - version: the version that the store has.
  ///   - isChanged: whether an earlier part of the migration changed it.
  func freeze(_ version: PlanVersions.Version, isChanged: Bool) throws -> Source
  /// Runs code with a container of a version's models. Values that the version requires may be
  /// missing until ``settle(_:)``.
  func withContainer(_ version: PlanVersions.Version, _ body: (ModelContainer) throws -> Void) throws
  /// Calls the code of a transform for each model of its class.
  ///
  /// - Parameter report: called before each batch, with the number of finished models and the
  ///   number of all models.
  func transform(
    _ transform: ModelTransform, _ step: PlanVersions.Step, from source: Source, into new: ModelContainer,
    report: (Int, Int) throws -> Void
  ) throws
  func remove(_ removal: DuplicateRemoval, in container: ModelContainer) throws
  /// Throws if code left models without a value that the version requires.
  func checkFilled(_ container: ModelContainer) throws
  /// Whether an error is thrown without an added sentence.
  func isWhole(_ error: any Error) -> Bool
}

extension StagedStore {
  package func isWhole(_ error: any Error) -> Bool { false }
}

/// Runs the steps of a plan in their order.
package struct StageRunner<Store: StagedStore> {
  private let plan: any SchemaMigrationPlan.Type
  private let store: Store

  package init(_ plan: any SchemaMigrationPlan.Type, _ store: Store) { (self.plan, self.store) = (plan, store) }

  package func run(_ steps: [PlanVersions.Step]) throws {
    for (number, step) in steps.enumerated() {
      let progress = MigrationProgress(
        from: step.from.schema.version, to: step.to.schema.version, step: number + 1, steps: steps.count)
      try carryOut(step, progress)
    }
    try Task.checkCancellation()
  }

  private func carryOut(_ step: PlanVersions.Step, _ progress: MigrationProgress) throws {
    do {
      try tell(progress)
      // The store may lack an entity of the version, if no program has named it.
      let isCompleted = try step.hasCode && store.settle(step.from)
      if let will = step.will { try store.withContainer(step.from) { try Self.run(will, $0) } }
      for removal in step.removals { try store.withContainer(step.from) { try store.remove(removal, in: $0) } }
      let source =
        step.transforms.isEmpty
        ? nil
        : try store.freeze(
          step.from, isChanged: isCompleted || step.will != nil || !step.removals.isEmpty || progress.step > 1)
      if step.hasCode {
        try store.withContainer(step.to) { new in
          if let source { try transform(step, source, into: new, at: progress) }
          if let did = step.did { try Self.run(did, new) }
          try store.checkFilled(new)
        }
      }
      // New unique rules come last, because the code may have to prepare the values for them.
      _ = try store.settle(step.to)
    } catch let error as CancellationError {
      throw error
    } catch let failure as TransformFailure {
      throw failed(step, "\(failure)", because: failure.error)
    } catch {
      throw store.isWhole(error) ? error : failed(step, "\(error)", because: error)
    }
  }

  private func transform(
    _ step: PlanVersions.Step, _ source: Store.Source, into new: ModelContainer, at progress: MigrationProgress
  ) throws {
    for transform in step.transforms {
      try store.transform(transform, step, from: source, into: new) { done, total in
        var now = progress
        (now.models, now.total) = (done, total)
        try tell(now)
      }
    }
  }

  private func failed(_ step: PlanVersions.Step, _ reason: String, because error: any Error) -> SwiftDataError {
    SwiftDataError.loadIssueModelContainer.about(
      "the migration by \(plan) from version \(step.from.number) to \(step.to.number) failed, and the store is as it was: "
        + Doorway.text(reason, "loadIssueModelContainer") + " [\(store.place)]",
      error)
  }

  private func tell(_ progress: MigrationProgress) throws {
    try Task.checkCancellation()
    plan.report(progress)
  }

  /// Runs the code of a stage in a context, and saves changes that it left unsaved.
  private static func run(_ body: (ModelContext) throws -> Void, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    // The whole migration is synced at its end.
    context.durability = .relaxed
    try body(context)
    if context.hasChanges { try context.save() }
  }
}
