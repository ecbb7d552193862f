internal import Foundation
internal import Roost

/// Joins and conditions on other models.
extension SelectQuestion {
  func joined(_ rows: Rows) throws -> String? {
    switch choices.below(6) {
    case 4, 5: try merged(rows)
    case 0: try joined(AskPair<Owner>.owners, rows, other: \.name)
    case 1: try joined(AskPair<Piece>.pieces, rows, other: \.n)
    default: try joined(AskPair<Thing>.things, rows, other: \.k)
    }
  }

  private func joined<Other: PersistentModel, Value: Hashable & Sendable>(
    _ pairs: [AskPair<Other>], _ rows: Rows, other keyPath: KeyPath<Other, Value>
  ) throws -> String? {
    let (first, second) = (choices.pick(pairs), choices.pick(pairs))
    // Two equal keys are one.
    let last = choices.coin() ? second : first
    let isAll = choices.below(12) == 0
    let keys: (JoinKey<Thing, Other>, JoinKey<Thing, Other>) = isAll ? (.all, .all) : (first.key, last.key)
    func belong(_ thing: Thing, _ other: Other) -> Bool {
      isAll || first.holds(thing, other) && last.holds(thing, other)
    }
    let way = choices.below(5)
    say(
      "join", "\(way) \(Other.self) on \(isAll ? "all" : "\(first.name), \(last.name)") where \(rows.predicateText)")
    let others = try shown.fetch(FetchDescriptor<Other>())
    func names(_ own: [Other]) -> [String] { own.map { Shown.exactly($0[keyPath: keyPath]) }.sorted() }
    switch way {
    case 0:
      let found = try context.select(
        Thing.self, \.k, joining: .inner(Other.self, on: keys.0, keys.1, select: keyPath), where: rows.predicate,
        sortBy: rows.order, includePendingChanges: includesPending)
      return compare(
        listed(found.map { ($0.0, Shown.exactly($0.1)) }),
        rows.models.flatMap { thing in names(others.filter { belong(thing, $0) }).map { "\(thing.k) \($0)" } })
    case 1:
      let found = try context.select(
        Thing.self, \.k, joining: .left(Other.self, on: keys.0, keys.1, select: keyPath), where: rows.predicate,
        sortBy: rows.order, includePendingChanges: includesPending)
      return compare(
        listed(found.map { ($0.0, $0.1.map { Shown.exactly($0) } ?? "-") }),
        rows.models.flatMap { thing -> [String] in
          let own = names(others.filter { belong(thing, $0) })
          return (own.isEmpty ? ["-"] : own).map { "\(thing.k) \($0)" }
        })
    case 2:
      let found = try context.select(
        Thing.self, \.k, joining: .full(Other.self, on: keys.0, keys.1, select: keyPath), where: rows.predicate,
        sortBy: rows.order, includePendingChanges: includesPending)
      let alone = others.filter { other in !rows.models.contains { belong($0, other) } }
      return compare(
        listed(found.map { ($0.0 ?? -1, $0.1.map { Shown.exactly($0) } ?? "-") }),
        rows.models.flatMap { thing -> [String] in
          let own = names(others.filter { belong(thing, $0) })
          return (own.isEmpty ? ["-"] : own).map { "\(thing.k) \($0)" }
        } + names(alone).map { "-1 \($0)" })
    default:
      let range = range()
      let found = try context.select(
        Thing.self, \.k, where: rows.predicate,
        matching: [
          way == 3 ? .exists(Other.self, on: keys.0, keys.1) : .none(Other.self, on: keys.0, keys.1)
        ], sortBy: rows.order, offset: range.offset, limit: range.limit,
        includePendingChanges: includesPending)
      let expected = rows.models.filter { thing in others.contains { belong(thing, $0) } == (way == 3) }
      return compare(found.map { "\($0)" }, cut(expected, range).map { "\($0.k)" })
    }
  }

  /// Joins by properties that have indexes on both sides, in the order of one of them or in any.
  private func merged(_ rows: Rows) throws -> String? {
    let (first, second) = (choices.pick(AskPair<Thing>.indexed), choices.pick(AskPair<Thing>.things))
    let last = choices.coin() ? first : second
    let (keepsAll, isSorted) = (choices.coin(), choices.coin())
    let order = isSorted ? [SortDescriptor(\Thing.k)] : []
    say(
      "merge",
      "\(keepsAll ? "left" : "inner") on \(first.name), \(last.name) \(isSorted ? "by k " : "")where \(rows.predicateText)"
    )
    let found: [(Int, Int?)]
    if keepsAll {
      found = try context.select(
        Thing.self, \.k, joining: .left(Thing.self, on: first.key, last.key, select: \.k), where: rows.predicate,
        sortBy: order, includePendingChanges: includesPending)
    } else {
      let pairs: [(Int, Int)] = try context.select(
        Thing.self, \.k, joining: .inner(Thing.self, on: first.key, last.key, select: \.k), where: rows.predicate,
        sortBy: order, includePendingChanges: includesPending)
      found = pairs.map { ($0.0, Optional($0.1)) }
    }
    let others = try shown.fetch(FetchDescriptor<Thing>())
    let expected = rows.models.flatMap { thing -> [String] in
      let own = others.filter { first.holds(thing, $0) && last.holds(thing, $0) }.map { "\(thing.k) \($0.k)" }
      return own.isEmpty && keepsAll ? ["\(thing.k) -"] : own
    }
    if isSorted, let complaint = unsorted(found.map(\.0)) { return complaint }
    return compare(found.map { "\($0.0) \($0.1.map { "\($0)" } ?? "-")" }.sorted(), expected.sorted())
  }

  /// Sorts the rows of each thing by their texts, because their order is not defined.
  private func listed(_ rows: [(Int, String)]) -> [String] {
    var listed: [String] = []
    var (key, own): (Int?, [String]) = (nil, [])
    for (next, text) in rows {
      if next != key {
        listed += own.sorted()
        own = []
      }
      key = next
      own.append("\(next) \(text)")
    }
    return listed + own.sorted()
  }
}
