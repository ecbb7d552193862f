internal import RoostRecords

/// A checked sort key.
struct SortTerm: Sendable {
  var key: Term
  var isDescending: Bool
  var collation = Collation.plain

  /// The row's own field, if the key is only that and an index has its order.
  var field: FieldID? {
    if collation == .plain, case .field(.variable(0), let id) = key.expression { id } else { nil }
  }
}

enum Direction { case forward, backward }

/// The cost of a candidate for a whole query, with its order and its limit.
struct Choice {
  var candidate: Candidate
  /// The direction in which the access yields the query's order; nil if the rows must be sorted.
  let direction: Direction?
  let cost: Double
  /// The number of rows that it will read.
  let visited: Double
  /// The number of rows that fulfil the condition.
  let expected: Double

  init(
    _ candidate: Candidate, _ conjunction: Conjunction, offset: Int, limit: Int?, order: [SortTerm],
    table: TableReader, ground: Ground
  ) throws {
    self.candidate = candidate
    direction = Self.direction(candidate.access, order, table: table)
    let share = try Selectivity.share(
      of: conjunction, without: candidate.covered, table: table, ground: ground)
    let count = Double(candidate.count)
    expected = count * candidate.readShare * share
    let reading =
      switch candidate.access {
      case .all: Cost.test
      case .filtered: Cost.lookup + candidate.readShare * (Cost.row + Cost.test)
      default: Cost.row + Cost.test
      }
    let wanted = limit.map { Double($0) + Double(offset) }
    if direction != nil {
      visited = min(count, wanted.map { $0 / max(share * candidate.readShare, 1 / max(count, 1)) } ?? count)
      // An access that finds rows one by one searches only as far as needed.
      let part = candidate.isStreamed && count > 0 ? visited / count : 1
      cost = candidate.fixedCost + (candidate.cost - candidate.fixedCost) * part + visited * reading
    } else {
      visited = count
      cost = candidate.cost + count * reading + expected * Cost.sort + min(expected, wanted ?? expected) * Cost.row
    }
  }

  /// A choice with at most one row, which needs no sorting.
  init(single candidate: Candidate) {
    self.candidate = candidate
    direction = .forward
    cost = candidate.cost
    visited = Double(candidate.count)
    expected = visited
  }

  /// The direction in which the rows must be read to be in the query's order; nil if no direction
  /// is.
  private static func direction(_ access: Access, _ order: [SortTerm], table: TableReader) -> Direction? {
    guard let first = order.first else { return .forward }
    let way: Direction = first.isDescending ? .backward : .forward
    switch access {
    case .nothing, .single, .ranked: return .forward
    case .all, .rows, .either, .both, .searched: return order.count == 1 && first.key.isRow ? way : nil
    case .through: return nil
    case .following: return .forward
    case .filtered(let base, _): return Self.direction(base.access, order, table: table)
    case .index(let access):
      let parts = access.index.index.parts
      // Rows with the same lowercased text may have different texts.
      let fixed = Set(parts.prefix(access.fixedParts).filter { $0.form == .value }.map(\.field))
      let free = parts.dropFirst(access.fixedParts)
      // Keys with the same value in all rows do not affect the order. Rows with equal keys sort by
      // their numbers, so the index must have no parts after these keys.
      let keys = order.filter { key in key.field.map { !fixed.contains($0) } ?? true }
      guard keys.count == free.count, free.dropLast().allSatisfy({ !$0.mayBeCut(table.entity) }) else { return nil }
      for (key, part) in zip(keys, free) {
        guard key.field == part.field, part.form == .value else { return nil }
        // Rows with equal keys follow their numbers, ascending when the index is read forwards.
        guard (key.isDescending != part.isDescending) == (way == .backward) else { return nil }
      }
      return way
    }
  }
}

extension Choice {
  /// Begins after a position in the order, if an index allows that.
  mutating func seek(_ point: SeekPoint, _ order: [SortTerm], entity: Entity, conjunction: Conjunction) {
    guard let direction else { return }
    switch candidate.access {
    case .index(let use):
      candidate.access = .index(
        use.behind(point, order, direction: direction, entity: entity, conjunction: conjunction))
    case .filtered(var base, let filter):
      guard case .index(let use) = base.access else { return }
      base.access = .index(use.behind(point, order, direction: direction, entity: entity, conjunction: conjunction))
      candidate.access = .filtered(base, by: filter)
    case .nothing, .all, .rows, .single, .through, .following, .either, .both, .searched, .ranked: return
    }
  }
}

extension Index.Part {
  /// Whether an index may truncate its keys, so that entries with equal truncated keys may be out
  /// of order.
  func mayBeCut(_ entity: Entity) -> Bool { KeyField(self, entity)?.isText ?? false }
}

extension Candidate {
  /// Whether it yields rows while it still searches.
  var isStreamed: Bool {
    switch access {
    case .nothing, .all, .rows, .single, .index, .filtered, .following, .searched, .ranked: true
    case .through, .either, .both: false
    }
  }
}

/// Estimates the share of rows that fulfils parts of a condition.
enum Selectivity {
  static func share(
    of conjunction: Conjunction, without covered: PartSet, table: TableReader, ground: Ground
  ) throws -> Double {
    let left = PartSet(first: conjunction.parts.count).subtracting(covered)
    var share = 1.0
    var known = PartSet()
    for constraint in conjunction.constraints where !constraint.conjuncts.isDisjoint(with: left) {
      share *= try self.share(constraint.path, constraint, table: table)
      known.formUnion(constraint.conjuncts)
    }
    for (number, part) in conjunction.parts.enumerated() where part.isOwnSearch {
      guard left.contains(number), table.count > 0 else { continue }
      share *= min(1, Double(try ground.answer(part).estimate()) / Double(table.count))
      known.insert(number)
    }
    for _ in 0..<left.subtracting(known).count { share *= 0.33 }
    return share
  }

  private static func share(_ path: Path, _ constraint: Constraint, table: TableReader) throws -> Double {
    let index = table.indexes.first {
      path.isOwn && path.form == .value && Related.serves($0, path.first)
    }
    if let index, table.count > 0, constraint.bounds.count <= 16 {
      var count = 0
      for bound in constraint.bounds(cutBehind: index.index.textBytes) {
        let range = bound.range(behind: KeyBytes(), isDescending: index.index.parts[0].isDescending)
        count += try range?.count(in: index) ?? 0
      }
      return Double(count) / Double(table.count)
    }
    if constraint.bounds.allSatisfy(\.isPoint) {
      let one = path.field.type == .bool ? 0.5 : 0.1
      return min(0.9, one * Double(constraint.bounds.count))
    }
    return 0.33
  }
}
