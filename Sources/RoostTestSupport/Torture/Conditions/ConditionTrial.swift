internal import RoostQuery
internal import RoostRecords

/// One condition of a stage: the number of its step determines it.
struct ConditionTrial {
  let seed: UInt64
  var misreading: Misreading?
  /// Steps up to this one read committed rows, later ones an open transaction.
  static let committed = 40
  static let steps = 50
  /// More steps, which read committed rows. Their conditions have aggregates.
  static let aggregated = 51...60

  private struct Over: Error {}

  func run(_ record: TortureRecord) {
    do {
      var stage = try ConditionStage(seed: seed)
      try stage.store.read { reader in
        for step in Array(1...Self.committed) + Self.aggregated {
          judge(step, stage, ground: Ground(reader), record: record)
        }
      }
      let store = stage.store
      do {
        try store.write { writer in
          try stage.disturb(writer)
          for step in Self.committed + 1...Self.steps { judge(step, stage, ground: Ground(writer), record: record) }
          throw Over()
        }
      } catch is Over {}
    } catch { record.fail(seed: seed, "the stage cannot be made: \(error)") }
  }

  /// Makes the step's query and checks it.
  private func judge(_ step: Int, _ stage: ConditionStage, ground: Ground, record: TortureRecord) {
    guard record.wants(step: step), !record.isFull else { return }
    record.place(seed, step, image: "condition")
    record.count += 1
    let (query, isWrong) = query(step, stage, catalog: ground.catalog)
    if let condition = query.condition { record.census.count(condition) }
    record.trace?("\(step): \(QueryText.text(query, ground.catalog))")
    do {
      var judge = ConditionJudge(ground, misreading)
      let complaint = try judge.complaint(query)
      for (name, count) in judge.notes { record.note(name, count) }
      guard let complaint else { return }
      if misreading != nil { return record.fail(seed: seed, step: step, complaint) }
      let reducer = ConditionReducer(seed: seed, isCommitted: !(Self.committed + 1...Self.steps).contains(step))
      record.fail(seed: seed, step: step, "\(complaint). Smaller: \(reducer.reduce(query))")
    } catch let fault as ConditionFault {
      if isWrong { return record.note("refused") }
      record.fail(seed: seed, step: step, "a query that is right is refused: \(fault)")
    } catch { record.fail(seed: seed, step: step, "\(error)") }
  }

  private func query(_ step: Int, _ stage: ConditionStage, catalog: Catalog) -> (Query, isWrong: Bool) {
    var generator = SplitMix64(seed: seed &* 1000 &+ UInt64(step))
    var maker = ConditionMaker(seed: generator.next(), catalog, stage.pool)
    maker.makesAggregates = Self.aggregated.contains(step)
    let entity = generator.pick(catalog.entities)
    var query = Query(entity.name)
    if !generator.chance(1, in: 20) { query.condition = maker.condition(entity.id) }
    if generator.chance(1, in: 2) {
      for _ in 0...generator.below(3) {
        if let key = maker.sortKey(entity.id) {
          query.order.append(Order(key, isDescending: generator.chance(2, in: 5)))
        }
      }
      // By the fields of an index, so that the query can be read in its order.
      if generator.chance(1, in: 3), let index = catalog.indexes(of: entity.id).randomElement(using: &generator) {
        let turns = generator.chance(1, in: 2)
        let ordered = index.parts.filter { part in
          entity.field(part.field).map { ConditionStage.isOrdered($0.type) } ?? false
        }
        query.order = ordered.map { Order(.field(.row, $0.field), isDescending: $0.isDescending != turns) }
      }
    }
    if generator.chance(1, in: 5) {
      query.order = Self.behindReference(entity, catalog, generator: &generator) + query.order
    }
    if generator.chance(1, in: 3) { query.limit = generator.below(6) }
    if generator.chance(1, in: 5) { query.offset = generator.below(5) }
    if generator.chance(1, in: 60) { query.limit = generator.pick([-1, .max, .min]) }
    if generator.chance(1, in: 60) { query.offset = generator.pick([-1, .max, .min]) }
    guard generator.chance(1, in: 10), let condition = query.condition else { return (query, false) }
    // Replaces a part by a part of another condition. The result is usually invalid, and must be
    // refused or evaluated.
    let other = maker.condition(generator.pick(catalog.entities).id)
    let part = other.part(generator.below(other.size))
    query.condition = condition.replacing(generator.below(condition.size), by: part)
    return (query, true)
  }

  /// Keys of rows that a reference names, so that the plan can follow it.
  private static func behindReference(
    _ entity: Entity, _ catalog: Catalog, generator: inout SplitMix64
  ) -> [Order] {
    let ways = entity.fields.compactMap { field -> (FieldID, Entity)? in
      guard case .reference(let target) = field.type else { return nil }
      return catalog.entity(target).map { (field.id, $0) }
    }
    guard !ways.isEmpty else { return [] }
    let (reference, target) = generator.pick(ways)
    let fields = target.fields.filter { ConditionStage.isOrdered($0.type) }
    guard !fields.isEmpty else { return [] }
    let isDescending = generator.chance(1, in: 2)
    return (0...generator.below(2)).map { _ in
      Order(.field(.field(.row, reference), generator.pick(fields).id), isDescending: isDescending)
    }
  }
}

extension Trial {
  /// Trial 15: random conditions over random rows, evaluated in every possible way.
  package static let conditions = Trial(15, "conditions", unit: "conditions", quota: 100_000) { seed, record in
    ConditionTrial(seed: seed).run(record)
  }
}
