internal import Foundation
internal import Roost
package import RoostTestSupport

/// Random selections, joins, windows and groups through the public module.
///
/// Each seed makes a store, and each step makes one call on saved models and on models with unsaved
/// changes. The result must equal that of plain Swift on arrays of the models.
struct SelectTrial {
  let seed: UInt64
  var store = StageStore.inMemory
  static let steps = 50

  func run(_ record: TortureRecord) {
    do {
      let stage = try Stage(seed: seed, in: store)
      for step in 1...Self.steps {
        guard record.wants(step: step), !record.isFull else { continue }
        record.place(seed, step, image: "question")
        record.count += 1
        let choices = Choices(seed: seed &* 1000 &+ UInt64(step))
        let way = choices.pick(SelectQuestion.Way.allCases)
        let asked = try SelectQuestion(way, choices, pool: Pool(seed: seed &* 77 &+ UInt64(step)), stage: stage)
        let complaint = asked.complaint()
        record.note(asked.kind)
        record.trace?("\(step): \(asked.text)")
        if let complaint {
          record.fail(seed: seed, step: step, "\(way): \(complaint), in \(asked.text)")
        }
      }
    } catch { record.fail(seed: seed, "the stage cannot be made: \(error)") }
  }
}

/// One call, and the fault in its result.
final class SelectQuestion {
  enum Way: CaseIterable {
    /// On saved models, with unsaved changes, and on saved models while there are unsaved changes.
    case saved, pending, beside
    /// With unsaved changes, in a new child context, which has fetched nothing.
    case stranger
  }

  let context: ModelContext
  /// The context whose models the result must show.
  let shown: ModelContext
  let includesPending: Bool
  let choices: Choices
  var pool: Pool
  /// A description of the call.
  private(set) var text = ""
  private(set) var kind = ""

  init(_ way: Way, _ choices: Choices, pool: Pool, stage: Stage) throws {
    (context, shown) =
      switch way {
      case .saved: (stage.saved, stage.saved)
      case .pending: (stage.pending, stage.pending)
      case .beside: (stage.pending, stage.saved)
      case .stranger: (try ModelContext(parent: stage.pending), stage.pending)
      }
    includesPending = way != .beside
    (self.choices, self.pool) = (choices, pool)
  }

  /// Returns the first fault; nil if there is none.
  func complaint() -> String? {
    do {
      let rows = try randomRows()
      let forced = choices.pick([true, false, nil])
      if let forced { add(forced ? "along indexes" : "in tables") }
      return try ForcedWay.$streamsGroups.withValue(forced) {
        try ForcedWay.$mergesJoins.withValue(forced) { try complaint(of: rows) }
      }
    } catch let error as RoostError where error.code == .pendingChanges && !includesPending {
      // A call that reads values from models cannot show stored values.
      return nil
    } catch { return "it throws \(error)" }
  }

  private func complaint(of rows: Rows) throws -> String? {
    switch choices.below(8) {
    case 0, 1: return try projection(rows)
    case 2: return try joined(rows)
    case 3: return try window(rows)
    case 4: return try distinct(rows)
    case 5: return try union(rows)
    case 6: return try related(rows)
    default: return try groups(rows)
    }
  }

  func say(_ kind: String, _ text: String) {
    self.kind = kind
    self.text = "\(kind) \(text)\(self.text)"
  }

  func add(_ text: String) { self.text += " " + text }

  /// The things of a call: a predicate and an order, and the models that plain Swift finds.
  struct Rows {
    var predicate: Predicate<Thing>?
    var predicateText: String
    var order: [SortDescriptor<Thing>]
    var models: [Thing]
  }

  private func randomRows() throws -> Rows {
    let direction: SortOrder = choices.coin() ? .reverse : .forward
    let last = SortDescriptor<Thing>(\.k, order: choices.coin() ? .reverse : .forward)
    let order: [SortDescriptor<Thing>]
    switch choices.below(7) {
    case 0, 1: order = [last]
    case 2: order = [SortDescriptor(\.date, order: direction), last]
    case 3: order = [SortDescriptor(\.ok, order: direction), last]
    case 4: order = [SortDescriptor(\.name, order: direction), last]
    case 5: order = [SortDescriptor(\.owner?.age, order: direction), last]
    default: order = [SortDescriptor(\.ratio, order: direction), last]
    }
    let all = try shown.fetch(FetchDescriptor<Thing>(sortBy: order))
    let none = Rows(predicate: nil, predicateText: "all", order: order, models: all)
    guard choices.below(3) > 0 else { return none }
    let maker = Maker(choices, pool)
    let variable = maker.newVariable()
    let node = maker.bool(2, Maker.Scope(things: [.variable(variable)]))
    var models: [Thing] = []
    do {
      for model in all where try node.value(Frame().with(variable, model)) { models.append(model) }
    } catch is NodeFault {
      // Plain Swift would trap at this predicate; trial 18 tests such predicates.
      return none
    }
    let predicate = Predicate<Thing> { (input: PredicateExpressions.Variable<Thing>) in
      let variables = Variables()
      variables.set(variable, input)
      return node.build(variables)
    }
    return Rows(predicate: predicate, predicateText: node.text, order: order, models: models)
  }

  func range() -> (offset: Int, limit: Int?) {
    let offset = choices.below(3) == 0 ? choices.below(5) : 0
    let limit = choices.below(3) == 0 ? choices.below(6) : nil
    if offset > 0 || limit != nil { add("from \(offset), \(limit.map { "\($0)" } ?? "all")") }
    return (offset, limit)
  }

  func cut<Row>(_ rows: [Row], _ range: (offset: Int, limit: Int?)) -> [Row] {
    Array(rows.dropFirst(range.offset).prefix(range.limit ?? .max))
  }

  func compare(_ found: [String], _ expected: [String]) -> String? {
    if found == expected { return nil }
    let place = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    let at = place ?? min(found.count, expected.count)
    func row(_ rows: [String]) -> String { rows.indices.contains(at) ? Self.short(rows[at]) : "nothing" }
    return
      "it gives \(found.count) rows instead of \(expected.count), and in row \(at) '\(row(found))' instead of '\(row(expected))'"
  }

  /// Returns a row without the middle of its long texts.
  private static func short(_ row: String) -> String {
    row.count > 400 ? "\(row.prefix(200))…\(row.suffix(200))" : row
  }
}

extension Trial {
  /// Trial 22: random selections, joins, windows and groups of random models, through the public
  /// module.
  package static let questions = Trial(22, "questions", unit: "questions", quota: 100_000) { seed, record in
    SelectTrial(seed: seed).run(record)
  }
  /// The questions of trial 22, to a container of another store.
  package static func questions(_ seed: UInt64, _ record: TortureRecord, in store: StageStore) {
    SelectTrial(seed: seed, store: store).run(record)
  }
}
