internal import Foundation
internal import Roost

/// Groups with aggregates.
extension SelectQuestion {
  func groups(_ rows: Rows) throws -> String? {
    let (first, second) = (pick(), pick())
    // An index has these two in this order.
    if choices.below(6) == 0 {
      return try groups(by: PlainField("mood", \Thing.mood), and: PlainField("k", \Thing.k), rows: rows)
    }
    return choices.coin() ? try groups(by: first, rows) : try groups(by: first, and: second, rows: rows)
  }

  private func groups<One: AskField>(by one: One, _ rows: Rows) throws -> String? where One.Model == Thing {
    let kind = choices.below(4)
    say("groups", "\(kind) by \(one.name) where \(rows.predicateText)")
    let expected = expected(kind, rows) { self.key([$0[keyPath: one.keyPath]]) }
    var texts: [String] = []
    switch kind {
    case 0:
      let most = choices.below(3)
      let found = try context.aggregate(
        Thing.self, where: rows.predicate, includePendingChanges: includesPending, .count, .sum(\.small), .average(\.k),
        by: one.keyPath,
        having: { $0.values.0 > most })
      for group in found {
        let (count, sum, average) = group.values
        texts.append(key([group.key]) + ": " + row([count, sum, average as Any]))
      }
      let wanted = expected.filter { $0.count > most }
      return compare(texts.sorted(), wanted.map(\.text).sorted()) ?? unsorted(found.map(\.key))
    case 1:
      let found = try context.aggregate(
        Thing.self, where: rows.predicate, includePendingChanges: includesPending, .min(\.name), .max(\.date),
        .max(\Thing.ok), .min(\.ratio), by: one.keyPath)
      for group in found {
        let (name, date, ok, ratio) = group.values
        texts.append(key([group.key]) + ": " + key([name as Any, date as Any, ok as Any, ratio as Any]))
      }
      return compare(texts.sorted(), expected.map(\.text).sorted()) ?? unsorted(found.map(\.key))
    case 2:
      let found = try context.aggregate(
        Thing.self, where: rows.predicate, includePendingChanges: includesPending, .countDistinct(\.oname),
        .first(\.name, by: \.k), .last(\.oname, by: \.k),
        by: one.keyPath)
      for group in found {
        let (count, first, last) = group.values
        texts.append(key([group.key]) + ": " + row([count, first as Any, last as Any]))
      }
      return compare(texts.sorted(), expected.map(\.text).sorted()) ?? unsorted(found.map(\.key))
    default:
      let limit = choices.below(4)
      let found: [AggregateGroup<(One.Value), (Int, Int)>] = try context.aggregate(
        Thing.self, where: rows.predicate, includePendingChanges: includesPending, .count, .sum(\.k), by: one.keyPath,
        sortedBy: { one, two in one.values > two.values }, limit: limit)
      // Groups with equal numbers are in the order of their keys, which this order does not
      // contain.
      let numbers = expected.sorted { ($0.count, $0.sum) > ($1.count, $1.sum) }.prefix(limit)
      return compare(found.map { "\($0.values.0) \($0.values.1)" }, numbers.map { "\($0.count) \($0.sum)" })
    }
  }

  private func groups<One: AskField, Two: AskField>(by one: One, and two: Two, rows: Rows) throws -> String?
  where One.Model == Thing, Two.Model == Thing {
    say("groups", "by \(one.name), \(two.name) where \(rows.predicateText)")
    let found: [AggregateGroup<(One.Value, Two.Value), (Int, Int, Double?)>] = try context.aggregate(
      Thing.self, where: rows.predicate, includePendingChanges: includesPending, .count, .sum(\.small), .average(\.k),
      by: one.keyPath, two.keyPath)
    let expected = expected(0, rows) { self.key([$0[keyPath: one.keyPath], $0[keyPath: two.keyPath]]) }
    var texts: [String] = []
    for group in found {
      let (count, sum, average) = group.values
      texts.append(key([group.key.0, group.key.1]) + ": " + row([count, sum, average as Any]))
    }
    return compare(texts.sorted(), expected.map(\.text).sorted()) ?? unsorted(found.map { $0.key.0 })
  }

  private struct Group {
    var text: String
    var count: Int
    var sum: Int
  }

  /// Computes the result in plain Swift.
  private func expected(_ kind: Int, _ rows: Rows, name: (Thing) -> String) -> [Group] {
    Dictionary(grouping: rows.models, by: name).map { name, own in
      let text: String
      let sorted = own.sorted { $0.k < $1.k }
      switch kind {
      case 0:
        let (sum, total) = (own.reduce(0) { $0 + Int($1.small) }, own.reduce(0) { $0 + $1.k })
        text = row([own.count, sum, Optional(Double(total) / Double(own.count)) as Any])
      case 1:
        let numbers = own.map(\.ratio).filter { !$0.isNaN }
        text = key([
          own.map(\.name).min() as Any, own.map(\.date).max() as Any, own.compactMap(\.ok).max() as Any,
          (numbers.min() ?? .nan) as Any,
        ])
      default:
        let names = Set(own.compactMap(\.oname))
        text = row([names.count, sorted[0].name, sorted[sorted.count - 1].oname as Any])
      }
      return Group(text: "\(name): \(text)", count: own.count, sum: own.reduce(0) { $0 + $1.k })
    }
  }
}
