internal import Foundation
internal import Roost

/// Projections, distinct values and windows.
extension SelectQuestion {
  func projection(_ rows: Rows) throws -> String? {
    let (first, second, third) = (pick(), pick(), pick())
    switch choices.below(3) {
    case 0: return try one(first, rows)
    case 1: return try two(first, second, rows: rows)
    default: return try three(first, second, third: third, rows: rows)
    }
  }

  private func one<One: AskField>(_ one: One, _ rows: Rows) throws -> String? where One.Model == Thing {
    say("select", "\(one.name) where \(rows.predicateText) by \(rows.order.count)")
    let range = range()
    let found = try context.select(
      Thing.self, one.keyPath, where: rows.predicate, sortBy: rows.order, offset: range.offset, limit: range.limit,
      includePendingChanges: includesPending)
    return compare(
      found.map { Shown.exactly($0) }, cut(rows.models, range).map { Shown.exactly($0[keyPath: one.keyPath]) })
  }

  private func two<One: AskField, Two: AskField>(_ one: One, _ two: Two, rows: Rows) throws -> String?
  where One.Model == Thing, Two.Model == Thing {
    say("select", "\(one.name), \(two.name) where \(rows.predicateText)")
    let range = range()
    let found = try context.select(
      Thing.self, one.keyPath, two.keyPath, where: rows.predicate, sortBy: rows.order, offset: range.offset,
      limit: range.limit, includePendingChanges: includesPending)
    let expected = cut(rows.models, range).map { row([$0[keyPath: one.keyPath], $0[keyPath: two.keyPath]]) }
    return compare(found.map { row([$0.0, $0.1]) }, expected)
  }

  private func three<One: AskField, Two: AskField, Three: AskField>(
    _ one: One, _ two: Two, third three: Three, rows: Rows
  ) throws -> String? where One.Model == Thing, Two.Model == Thing, Three.Model == Thing {
    say("select", "\(one.name), \(two.name), \(three.name) where \(rows.predicateText)")
    let range = range()
    let found = try context.select(
      Thing.self, one.keyPath, two.keyPath, three.keyPath, where: rows.predicate, sortBy: rows.order,
      offset: range.offset, limit: range.limit, includePendingChanges: includesPending)
    let expected = cut(rows.models, range).map {
      row([$0[keyPath: one.keyPath], $0[keyPath: two.keyPath], $0[keyPath: three.keyPath]])
    }
    return compare(found.map { row([$0.0, $0.1, $0.2]) }, expected)
  }

  func pick() -> any AskField<Thing> { choices.pick(AskFields.all) }

  func row(_ values: [Any]) -> String { values.map { Shown.exactly($0) }.joined(separator: " | ") }
  func key(_ values: [Any]) -> String { values.map { Shown.alike($0) }.joined(separator: " | ") }

  // MARK: Distinct

  func distinct(_ rows: Rows) throws -> String? {
    let (first, second) = (pick(), pick())
    return choices.coin() ? try distinct(of: first, rows) : try distinct(of: first, and: second, rows: rows)
  }

  private func distinct<One: AskField>(of one: One, _ rows: Rows) throws -> String? where One.Model == Thing {
    say("distinct", "\(one.name) where \(rows.predicateText)")
    let found = try context.selectDistinct(
      Thing.self, one.keyPath, where: rows.predicate, includePendingChanges: includesPending)
    let expected = Set(rows.models.map { key([$0[keyPath: one.keyPath]]) })
    if let complaint = compare(found.map { key([$0]) }.sorted(), expected.sorted()) { return complaint }
    let few = try context.selectDistinct(
      Thing.self, one.keyPath, where: rows.predicate, limit: 2, includePendingChanges: includesPending)
    return compare(few.map { key([$0]) }, found.prefix(2).map { key([$0]) }) ?? unsorted(found)
  }

  private func distinct<One: AskField, Two: AskField>(of one: One, and two: Two, rows: Rows) throws -> String?
  where One.Model == Thing, Two.Model == Thing {
    say("distinct", "\(one.name), \(two.name) where \(rows.predicateText)")
    let found = try context.selectDistinct(
      Thing.self, one.keyPath, two.keyPath, where: rows.predicate, includePendingChanges: includesPending)
    let expected = Set(rows.models.map { key([$0[keyPath: one.keyPath], $0[keyPath: two.keyPath]]) })
    return compare(found.map { key([$0.0, $0.1]) }.sorted(), expected.sorted()) ?? unsorted(found.map { $0.0 })
  }

  /// Describes a fault in the order of values: nil must come first, and NaN last.
  func unsorted<Value>(_ values: [Value]) -> String? {
    func open<Known: Comparable>(_ sample: Known) -> String? {
      let known = values.map { $0 as? Known }
      for (one, two) in zip(known, known.dropFirst()) {
        guard let one else { continue }
        guard let two else { return "nil comes after \(one)" }
        if two < one || one != one && two == two { return "\(two) comes after \(one)" }
      }
      return nil
    }
    // Foundation's order of decimals begins with NaN.
    guard let first = values.compactMap({ flat($0) }).first, !(first is Decimal), let known = first as? any Comparable
    else { return nil }
    return open(known)
  }

  private func flat(_ value: Any) -> Any? {
    guard Mirror(reflecting: value).displayStyle == .optional else { return value }
    return Mirror(reflecting: value).children.first?.value
  }

  // MARK: Windows

  func window(_ rows: Rows) throws -> String? {
    let group = pick()
    return try window(group, rows)
  }

  private func window<Group: AskField>(_ group: Group, _ rows: Rows) throws -> String? where Group.Model == Thing {
    let hasGroups = choices.coin()
    let most = choices.below(3) == 0 ? choices.below(3) + 1 : nil
    let kind = choices.below(5)
    say("window", "\(kind)\(hasGroups ? " per \(group.name)" : "") at most \(most ?? 0) where \(rows.predicateText)")
    let range = range()
    var expected: [(Thing, String)] = []
    var groups: [String: [Thing]] = [:]
    var ranks: [String: Int] = [:]
    for model in rows.models {
      let name = hasGroups ? key([model[keyPath: group.keyPath]]) : ""
      let own = groups[name, default: []] + [model]
      let isTied = groups[name]?.last.map { last in rows.order.allSatisfy { $0.compare(last, model) == .orderedSame } }
      groups[name] = own
      if isTied != true { ranks[name] = own.count }
      if let most, own.count > most { continue }
      expected.append((model, windowText(kind, own, rank: ranks[name] ?? 0)))
    }
    func ask<Result: Sendable>(_ window: Window<Thing, Result>) throws -> [String] {
      let found: [(Int, Result)] = try context.select(
        Thing.self, \.k, over: window, atMost: most, where: rows.predicate, sortBy: rows.order, offset: range.offset,
        limit: range.limit, includePendingChanges: includesPending)
      return found.map { (pair: (Int, Result)) in row([pair.0, pair.1 as Any]) }
    }
    let found: [String]
    switch kind {
    case 0: found = try ask(hasGroups ? .position(per: group.keyPath) : .position())
    case 1: found = try ask(hasGroups ? .rank(per: group.keyPath) : .rank())
    case 2: found = try ask(hasGroups ? .running(.sum(\.k), per: group.keyPath) : .running(.sum(\.k)))
    case 3: found = try ask(hasGroups ? .running(.max(\.name), per: group.keyPath) : .running(.max(\.name)))
    default: found = try ask(hasGroups ? .running(.count(\.ok), per: group.keyPath) : .running(.count(\.ok)))
    }
    return compare(found, cut(expected, range).map { row([$0.0.k]) + " | " + $0.1 })
  }

  /// Computes the rows of a group so far in plain Swift.
  private func windowText(_ kind: Int, _ own: [Thing], rank: Int) -> String {
    switch kind {
    case 0: row([own.count])
    case 1: row([rank])
    case 2: row([own.reduce(0) { $0 + $1.k }])
    // Of equal texts the first one is kept.
    case 3: row([own.dropFirst().reduce(own[0].name) { $0 < $1.name ? $1.name : $0 }])
    default: row([own.filter { $0.ok != nil }.count])
    }
  }
}
