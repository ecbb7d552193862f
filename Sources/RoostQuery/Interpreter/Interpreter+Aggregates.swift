internal import RoostRecords

/// Aggregates of the rows of a relationship.
extension Interpreter {
  /// Computes an aggregate. If it depends only on the row that owns the list, it is computed once
  /// for each owner.
  mutating func aggregate(_ term: Term) throws -> Value {
    let cache = aggregates ?? AggregateCache()
    aggregates = cache
    guard let list = cache.list(of: term), case .reference(let owner) = try value(list.operands[0]) else {
      return try computed(term)
    }
    if let known = cache.value(term, of: owner) { return known }
    let found = try computed(term)
    cache.keep(found, term, of: owner)
    return found
  }

  private mutating func computed(_ term: Term) throws -> Value {
    guard case .aggregate(let kind, let variable, _, _) = term.expression else { return .null }
    var (count, integers, floats): (Int, Int128, FloatSum) = (0, 0, FloatSum())
    var best = Value.null
    for element in elements(try value(term.operands[0])) {
      let found = try value(term.operands[1], binding: variable, to: element)
      if found.isNull { continue }
      count += 1
      switch (kind, found) {
      case (.min, _), (.max, _): if Self.isBetter(found, best, for: kind) { best = found }
      case (_, .int(let number)): integers += Int128(number)
      case (_, .uint(let number)): integers += Int128(number)
      case (_, .float(let number)): floats.add(Double(number))
      case (_, .double(let number)): floats.add(number)
      default: break
      }
    }
    switch kind {
    case .min, .max: return best
    case .average:
      return count == 0 ? .null : .double((integers == 0 ? floats.total : Double(integers)) / Double(count))
    case .sum:
      if term.kind == .double { return .double(floats.total) }
      if term.kind == .plain(.uint64), let sum = UInt64(exactly: integers) { return .uint(sum) }
      guard term.kind == .int, let sum = Int64(exactly: integers) else {
        throw fault(.overflow, "the sum is \(integers), which does not fit", term: term)
      }
      return .int(sum)
    }
  }

  /// Prefers every value to NaN.
  private static func isBetter(_ value: Value, _ best: Value, for kind: Expression.Aggregation) -> Bool {
    if best.isNull { return true }
    if ValueOrder.isUnordered(best) { return !ValueOrder.isUnordered(value) }
    return ValueOrder.holds(kind == .min ? .less : .greater, value, other: best)
  }
}

/// Caches the values of aggregates by the rows that own the lists, while a plan runs.
///
/// A value is cached only if it depends on nothing but that row. Like the plan, the cache belongs
/// to one snapshot.
final class AggregateCache {
  private struct Known {
    /// The list without filters; nil if the aggregate depends on more than the owner's row.
    var list: Term?
    var values: [RowID: Value] = [:]
  }

  private var known: [ObjectIdentifier: Known] = [:]
  /// Keeps the terms alive, so that no other term gets their addresses.
  private var terms: [Term] = []
  private var bytes = 0

  /// The limit on the memory of all values. Values beyond it are computed each time.
  private static var most: Int { 8 << 20 }

  /// The relationship over which an aggregate is computed; nil if its values cannot be cached.
  func list(of term: Term) -> Term? {
    if let known = known[ObjectIdentifier(term)] { return known.list }
    var list = term.operands[0]
    var isAlone = term.expression.operands[1].isAlone(with: Self.variable(term))
    while case .filter(let variable, _, let test) = list.expression {
      isAlone = isAlone && test.isAlone(with: variable)
      list = list.operands[0]
    }
    var found: Term?
    if case .many = list.expression, isAlone { found = list }
    terms.append(term)
    known[ObjectIdentifier(term)] = Known(list: found)
    return found
  }

  private static func variable(_ term: Term) -> Int {
    if case .aggregate(_, let variable, _, _) = term.expression { variable } else { 0 }
  }

  func value(_ term: Term, of owner: RowID) -> Value? { known[ObjectIdentifier(term)]?.values[owner] }

  func keep(_ value: Value, _ term: Term, of owner: RowID) {
    let size = 64 + value.heapBytes
    guard bytes + size <= Self.most else { return }
    bytes += size
    known[ObjectIdentifier(term)]?.values[owner] = value
  }
}

extension Expression {
  /// Whether the expression has no parameters, and no variables except this one and those that it
  /// binds itself.
  fileprivate func isAlone(with variable: Int) -> Bool {
    var bound: Set<Int> = [variable]
    return isAlone(&bound)
  }

  private func isAlone(_ bound: inout Set<Int>) -> Bool {
    switch self {
    case .parameter: return false
    case .variable(let number): return bound.contains(number)
    case .ifLet(let number, _, _, _), .quantified(_, let number, _, _), .filter(let number, _, _),
      .aggregate(_, let number, _, _):
      // No two expressions bind the same number.
      bound.insert(number)
    default: break
    }
    for operand in operands where !operand.isAlone(&bound) { return false }
    return true
  }
}
