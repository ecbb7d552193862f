internal import Foundation
internal import Roost
package import RoostTestSupport

/// Random predicates through the public module.
///
/// Each seed makes a store. Each three steps use one kind of predicate, with different values each
/// time, on saved models and on models with unsaved changes.
struct AskTrial {
  let seed: UInt64
  var store = StageStore.inMemory
  static let kinds = 20
  /// The kinds before this one have no aggregates of related models. All later ones do.
  private static let plainKinds = 16
  static let values = 3
  private static let depth = 4

  func run(_ record: TortureRecord) {
    do {
      let stage = try Stage(seed: seed, in: store)
      for kind in 0..<Self.kinds {
        for value in 0..<Self.values {
          let step = kind * Self.values + value + 1
          guard record.wants(step: step), !record.isFull else { continue }
          record.place(seed, step, image: "predicate")
          record.count += 2
          look(step, kind, value: value, stage: stage, record: record)
        }
      }
      let step = Self.kinds * Self.values + 1
      guard record.wants(step: step) else { return }
      record.place(seed, step, image: "protocol")
      record.count += 2
      if let complaint = askGenerically(stage) { record.fail(seed: seed, step: step, complaint) }
    } catch { record.fail(seed: seed, "the stage cannot be made: \(error)") }
  }

  private func look(_ step: Int, _ kind: Int, value: Int, stage: Stage, record: TortureRecord) {
    let choices = Choices(seed: seed &* 1000 &+ UInt64(kind))
    let aggregates = kind >= Self.plainKinds
    let found = ask(choices, value, stage: stage, aggregates: aggregates) { census in
      for (name, count) in census { record.note(name, count) }
    }
    record.trace?("\(step): \(found.text)")
    guard let complaint = found.complaint else { return }
    let small = reduce(choices.taken, value, stage: stage, aggregates: aggregates) ?? found
    record.fail(
      seed: seed, step: step,
      "\(complaint), in \(found.text). Smaller: \(small.complaint ?? "") in \(small.text)")
  }

  private struct Finding {
    var text: String
    var complaint: String?
  }

  /// Makes the predicate of some choices, and evaluates it in both contexts.
  private func ask(
    _ choices: Choices, _ value: Int, stage: Stage, aggregates: Bool, census: ([String: Int]) -> Void = { _ in }
  ) -> Finding {
    let maker = Maker(choices, Pool(seed: seed &* 77 &+ UInt64(value)))
    maker.makesAggregates = aggregates
    let variable = maker.newVariable()
    var finding: Finding
    if choices.below(5) < 4 {
      let node = maker.root(Self.depth, Maker.Scope(things: [.variable(variable)]), variable: variable, stage: stage)
      finding = Finding(text: node.text)
      let order = Self.order(choices)
      let (limit, offset) = Self.window(choices)
      for context in [stage.saved, stage.pending] where finding.complaint == nil {
        finding.complaint = Judge(
          context: context, predicate: Self.predicate(node, variable, type: Thing.self), node: node, variable: variable
        ).complaint(order, limit: limit, offset: offset)
        if context === stage.pending { finding.complaint = finding.complaint.map { "pending: \($0)" } }
      }
      // Opening a store takes longer than a fetch.
      if finding.complaint == nil, value == 0 {
        finding.complaint = Judge(
          context: stage.saved, predicate: Self.predicate(node, variable, type: Thing.self), node: node,
          variable: variable
        ).complaint(of: stage)
      }
    } else {
      let node = maker.bool(Self.depth, Maker.Scope(owners: [.variable(variable)]))
      finding = Finding(text: node.text)
      for context in [stage.saved, stage.pending] where finding.complaint == nil {
        finding.complaint = Judge(
          context: context, predicate: Self.predicate(node, variable, type: Owner.self), node: node, variable: variable
        ).complaint([SortDescriptor(\.age)], limit: nil, offset: nil)
      }
    }
    census(maker.census)
    return finding
  }

  private static func predicate<Model: PersistentModel>(
    _ node: RandomPart<Bool>, _ variable: Int, type: Model.Type
  ) -> Predicate<Model> {
    Predicate<Model> { (input: PredicateExpressions.Variable<Model>) in
      let variables = Variables()
      variables.set(variable, input)
      return node.build(variables)
    }
  }

  /// Returns an order that is total.
  private static func order(_ choices: Choices) -> [SortDescriptor<Thing>] {
    let direction: SortOrder = choices.coin() ? .reverse : .forward
    let last = SortDescriptor<Thing>(\.k)
    switch choices.below(6) {
    case 5: return [SortDescriptor(\.price, order: direction), last]
    case 0: return [last]
    case 1: return [SortDescriptor(\.k, order: direction)]
    case 2: return [SortDescriptor(\.date, order: direction), last]
    case 3: return [SortDescriptor(\.flag, order: direction), last]
    default: return [SortDescriptor(\.ok, order: direction), last]
    }
  }

  private static func window(_ choices: Choices) -> (limit: Int?, offset: Int?) {
    (choices.below(3) == 2 ? choices.below(5) + 1 : nil, choices.below(4) == 3 ? choices.below(4) : nil)
  }

  // MARK: Reduction

  /// Finds the same complaint with fewer choices, or with earlier ones.
  private func reduce(_ taken: [Int], _ value: Int, stage: Stage, aggregates: Bool) -> Finding? {
    var (best, finding): ([Int], Finding?) = (taken, nil)
    var tries = 0
    func attempt(_ choices: [Int]) -> Bool {
      tries += 1
      let made = Choices(choices)
      let found = ask(made, value, stage: stage, aggregates: aggregates)
      guard found.complaint != nil, found.text.count < (finding?.text.count ?? .max) else { return false }
      (best, finding) = (choices, found)
      return true
    }
    var width = max(1, taken.count / 2)
    while tries < 400 {
      var isSmaller = false
      var start = 0
      while start < best.count, tries < 400 {
        var without = best
        without.removeSubrange(start..<min(best.count, start + width))
        if attempt(without) {
          isSmaller = true
          continue
        }
        var simple = best
        for place in start..<min(best.count, start + width) { simple[place] = 0 }
        if simple != best, attempt(simple) { isSmaller = true }
        start += width
      }
      if width == 1, !isSmaller { break }
      width = max(1, width / 2)
    }
    return finding
  }
}

extension Maker {
  /// Makes a whole condition, sometimes on identifiers.
  func root(_ depth: Int, _ scope: Scope, variable: Int, stage: Stage) -> RandomPart<Bool> {
    let body = bool(depth, scope)
    guard choices.below(8) == 7 else { return body }
    let all = (try? stage.saved.fetch(FetchDescriptor<Thing>(sortBy: [SortDescriptor(\.k)]))) ?? []
    guard !all.isEmpty else { return body }
    let thing = RandomPart<Thing>.variable(variable)
    let identifier = thing.property("persistentModelID", \Thing.persistentModelID)
    let test: RandomPart<Bool>
    switch choices.below(3) {
    case 0:
      note("identifier")
      test = identifier.equals(.constant(pool.pick(all).persistentModelID, "an identifier"), isNot: choices.coin())
    case 1:
      note("identifiers")
      let some = (0..<3).map { _ in pool.pick(all).persistentModelID }
      test = RandomPart<[PersistentIdentifier]>.constant(some, "identifiers").holds(identifier)
    default:
      note("identifiers")
      let some = Set((0..<3).map { _ in pool.pick(all).persistentModelID })
      test = RandomPart<Set<PersistentIdentifier>>.constant(some, "a set of identifiers").holds(identifier)
    }
    return choices.coin() ? .and(test, body) : .or(test, body)
  }
}

extension Trial {
  /// Trial 18: random predicates of random models, through the public module.
  package static let predicates = Trial(18, "predicates", unit: "predicates", quota: 100_000) { seed, record in
    AskTrial(seed: seed).run(record)
  }

  /// The predicates of trial 18, in a container of another store.
  package static func predicates(
    _ seed: UInt64, _ record: TortureRecord, in store: StageStore
  ) {
    AskTrial(seed: seed, store: store).run(record)
  }

  /// The parts of predicates, to check that all of them are made.
  package static let predicateParts = Maker.names
}
