/// A store while the steps of a plan change it. Nothing of that is seen outside before all of them are done.
package protocol StagedStore {
  /// What a transform reads: the store as it was before the models of the step changed.
  associatedtype Source

  /// Where the store is, for errors.
  var place: String { get }
  /// Brings the store to a version. True if anything changed.
  func settle(_ version: PlanVersions.Version) throws -> Bool
  /// Keeps the store as it is now, for transforms.
  ///
  /// - Parameters:
  ///   - version: the one that it has.
  ///   - isChanged: whether an earlier part of the migration changed it.
  func freeze(_ version: PlanVersions.Version, isChanged: Bool) throws -> Source
  /// Runs code over a container of a version's models. What the version requires may be missing until ``settle(_:)``.
  func withContainer(_ version: PlanVersions.Version, _ body: (ModelContainer) throws -> Void) throws
  /// Calls the code of a transform for each model of its class.
  ///
  /// - Parameter report: called before each batch, with the number of models that are done, and of all.
  func transform(
    _ transform: ModelTransform, _ step: PlanVersions.Step, from source: Source, into new: ModelContainer,
    report: (Int, Int) throws -> Void
  ) throws
  func remove(_ removal: DuplicateRemoval, in container: ModelContainer) throws
  /// Throws if code left models without a value that the version requires.
  func checkFilled(_ container: ModelContainer) throws
  /// Whether an error is thrown unchanged.
  func isWhole(_ error: any Error) -> Bool
}

extension StagedStore {
  package func isWhole(_ error: any Error) -> Bool { false }
}

/// Carries out the steps of a plan, in their order.
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
      // The store may lack an entity of the version that no program had named.
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
      // What the code had to prepare comes last: new unique values.
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

  /// Runs the code of a stage in a context, and saves what it left unsaved.
  private static func run(_ body: (ModelContext) throws -> Void, _ container: ModelContainer) throws {
    let context = ModelContext(container)
    // The migration is made durable as a whole.
    context.durability = .relaxed
    try body(context)
    if context.hasChanges { try context.save() }
  }
}
