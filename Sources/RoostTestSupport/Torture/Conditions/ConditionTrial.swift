internal import RoostQuery
internal import RoostRecords

/// One condition of a stage: the number of its step says how it is made.
struct ConditionTrial {
  let seed: UInt64
  /// Steps up to this one look at what is committed, those behind it at a transaction that is not.
  static let committed = 40
  static let steps = 50

  private struct Over: Error {}

  func run(_ record: TortureRecord) {
    do {
      var stage = try ConditionStage(seed: seed)
      try stage.store.read { reader in
        for step in 1...Self.committed { judge(step, stage, Ground(reader), record) }
      }
      let store = stage.store
      do {
        try store.write { writer in
          try stage.disturb(writer)
          for step in Self.committed + 1...Self.steps { judge(step, stage, Ground(writer), record) }
          throw Over()
        }
      } catch is Over {}
    } catch { record.fail(seed: seed, "the stage cannot be made: \(error)") }
  }

  /// Makes the step's condition and looks at it.
  private func judge(_ step: Int, _ stage: ConditionStage, _ ground: Ground, _ record: TortureRecord) {
    guard record.wants(step: step) else { return }
    record.place(seed, step, "condition")
    record.count += 1
    let (entity, expression, isWrong) = condition(step, stage, ground.catalog)
    record.census.count(expression)
    let describer = Describer(ground.catalog, entity)
    record.trace?("\(step): \(describer.text(expression))")
    do {
      var judge = ConditionJudge(ground, entity)
      let complaint = try judge.complaint(expression)
      for (name, count) in judge.notes { record.note(name, count) }
      guard let complaint else { return }
      let small = ConditionReducer(seed: seed, isCommitted: step <= Self.committed, entity).reduce(expression)
      record.fail(seed: seed, step: step, "\(complaint): \(small)")
    } catch let fault as ConditionFault {
      if isWrong { return record.note("refused") }
      record.fail(seed: seed, step: step, "a condition that is right is refused: \(fault)")
    } catch { record.fail(seed: seed, step: step, "\(error)") }
  }

  private func condition(
    _ step: Int, _ stage: ConditionStage, _ catalog: Catalog
  ) -> (EntityID, Expression, isWrong: Bool) {
    var generator = SplitMix64(seed: seed &* 1000 &+ UInt64(step))
    var maker = ConditionMaker(seed: generator.next(), catalog, stage.pool)
    let entity = generator.pick(catalog.entities).id
    let expression = maker.condition(entity)
    guard generator.chance(1, in: 10) else { return (entity, expression, false) }
    // A part of another condition in the place of one of this one: mostly nonsense, which must be refused or computed.
    let other = maker.condition(generator.pick(catalog.entities).id)
    let part = other.part(generator.below(other.size))
    return (entity, expression.replacing(generator.below(expression.size), by: part), true)
  }
}

extension Trial {
  /// Number 15: random conditions over random rows, computed in every way there is.
  package static let conditions = Trial(15, "conditions", unit: "conditions", quota: 100_000) { seed, record in
    ConditionTrial(seed: seed).run(record)
  }
}
