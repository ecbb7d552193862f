package import RoostQuery
package import RoostRecords

/// Makes random valid conditions for a catalog: every part has the required kind.
package struct ConditionMaker {
  package var generator: SplitMix64
  let catalog: Catalog
  let pool: ValuePool
  /// Whether it makes sums, averages and bounds of the elements of collections.
  package var makesAggregates = false
  /// The bound variables at the present position, the newest last.
  var scope: [(variable: Int, kind: Kind)] = []
  private var next = 1
  /// Kinds of fields, which comparisons and collections use.
  private let kinds: [Kind]
  /// The to-many relationships.
  let manies: [Relationship]

  package init(seed: UInt64, _ catalog: Catalog, _ pool: ValuePool) {
    generator = SplitMix64(seed: seed)
    self.catalog = catalog
    self.pool = pool
    kinds = catalog.entities.flatMap { $0.fields.map { Kind($0) } }
    manies = catalog.relationships.filter { if case .one = $0.shape { false } else { true } }
  }

  package mutating func condition(_ entity: EntityID) -> Expression {
    scope = [(0, .plain(.reference(entity)))]
    next = 1
    return bool(1 + generator.below(4))
  }

  /// A sort key.
  package mutating func sortKey(_ entity: EntityID) -> Expression? {
    scope = [(0, .plain(.reference(entity)))]
    if generator.chance(4, in: 5) {
      let fields = catalog.entity(entity)?.fields.filter { Kind($0).isSortable } ?? []
      return fields.isEmpty ? nil : .field(.row, generator.pick(fields).id)
    }
    let sortable = kinds.filter { $0.isSortable }
    return sortable.isEmpty ? nil : make(generator.pick(sortable), 2)
  }

  mutating func one(in whole: Int) -> Bool { generator.chance(1, in: whole) }

  mutating func within<Result>(
    _ kind: Kind, _ body: (inout ConditionMaker, Int) -> Result
  ) -> Result {
    // Sometimes the number of an outer variable, which it then hides.
    let known = scope.map(\.variable).filter { $0 != 0 }
    let variable = !known.isEmpty && one(in: 8) ? generator.pick(known) : next
    if variable == next { next += 1 }
    let before = scope
    scope.removeAll { $0.variable == variable }
    scope.append((variable, kind))
    defer { scope = before }
    return body(&self, variable)
  }

  // MARK: Any kind

  package mutating func make(_ kind: Kind, _ depth: Int) -> Expression {
    if kind == .bool { return bool(depth) }
    if depth <= 0 || one(in: 3) { return leaf(kind) }
    switch generator.below(12) {
    case 0: return .conditional(bool(depth - 1), make(kind, depth - 1), make(kind, depth - 1))
    case 1...2: return orElse(kind, depth)
    case 3: return bound(kind, depth)
    case 4: return demanded(kind, depth)
    case 5...10: return special(kind, depth) ?? leaf(kind)
    default: return leaf(kind)
    }
  }

  mutating func orElse(_ kind: Kind, _ depth: Int) -> Expression {
    if kind.isOptional || kind.isNestable {
      return .coalesce(make(kind.optional, depth - 1), make(kind, depth - 1))
    }
    return leaf(kind)
  }

  /// `if let`: bound to an optional value.
  mutating func bound(_ kind: Kind, _ depth: Int) -> Expression {
    let isRows = !manies.isEmpty && one(in: 4)
    let source = (isRows ? Kind.rows(generator.pick(manies).target) : generator.pick(kinds)).optional
    let value = make(source, depth - 1)
    let one = within(source.whole) { maker, variable in (variable, maker.make(kind, depth - 1)) }
    return .ifLet(one.0, value, one.1, make(kind, depth - 1))
  }

  /// An expression that fails for some rows: `!` of nil, or a missing element.
  mutating func demanded(_ kind: Kind, _ depth: Int) -> Expression {
    if one(in: 3), kind.whole.isPlain {
      return .element(make(.array(kind), depth - 1), one(in: 2) ? .constant(.int(0), .int) : make(.int, depth - 1))
    }
    guard kind.isNestable else { return leaf(kind) }
    let inner = make(kind.optional, depth - 1)
    return one(in: 3) ? .unwrap(inner) : .coalesce(inner, leaf(kind))
  }

  /// An expression that only this kind has.
  private mutating func special(_ kind: Kind, _ depth: Int) -> Expression? {
    if makesAggregates, one(in: 2), let found = aggregate(kind, depth) { return found }
    switch kind {
    case .optional(let inner): return single(inner, depth)
    case .plain(.string):
      return .changed(generator.pick(Expression.TextChange.allCases), make(kind, depth - 1))
    case .plain:
      if kind == .int, one(in: 6) {
        return .datePart(generator.pick(DatePart.allCases), make(.date, depth - 1))
      }
      if kind == .int, one(in: 2) { return count(depth) }
      guard kind.isInteger || kind.isFloating else { return nil }
      if one(in: 6), !isUnsigned(kind) { return .negate(make(kind, depth - 1)) }
      let operations: [Expression.Arithmetic] =
        kind.isInteger ? Expression.Arithmetic.allCases : [.add, .subtract, .multiply, .divide]
      return .arithmetic(generator.pick(operations), make(kind, depth - 1), small(kind, depth - 1))
    case .array(let element), .set(let element): return filter(kind, element, depth: depth)
    case .rows(let entity): return filter(kind, .plain(.reference(entity)), depth: depth)
    case .dictionary, .structure: return nil
    }
  }

  private func isUnsigned(_ kind: Kind) -> Bool {
    [.plain(.uint8), .plain(.uint16), .plain(.uint32), .plain(.uint64)].contains(kind)
  }

  /// Usually a small number, so that few sums overflow.
  private mutating func small(_ kind: Kind, _ depth: Int) -> Expression {
    if one(in: 3) { return make(kind, depth) }
    let number = 1 + generator.below(3)
    switch kind {
    case .plain(.float): return .constant(.float(Float(number)), kind)
    case .plain(.double): return .constant(.double(Double(number)), kind)
    default: return .constant(isUnsigned(kind) ? .uint(UInt64(number)) : .int(Int64(number)), kind)
    }
  }

  private mutating func filter(_ kind: Kind, _ element: Kind, depth: Int) -> Expression {
    let source = make(kind, depth - 1)
    let (variable, test) = within(element) { maker, variable in (variable, maker.bool(depth - 1)) }
    return .filter(variable, source, test)
  }

  /// One element of a collection, or nil.
  private mutating func single(_ inner: Kind, _ depth: Int) -> Expression? {
    if let entity = inner.entity, one(in: 2), hasMany(entity) {
      let rows = make(.rows(entity), depth - 1)
      return one(in: 2) ? .first(rows) : .last(rows)
    }
    guard inner.isPlain else { return nil }
    switch generator.below(inner.isComparable ? 5 : 3) {
    case 0: return .first(make(.array(inner), depth - 1))
    case 1: return .last(make(.array(inner), depth - 1))
    case 2:
      let key: Kind = one(in: 2) ? .string : .int
      return .lookup(make(.dictionary(key, inner), depth - 1), make(key, depth - 1))
    case 3: return .minimum(make(one(in: 2) ? .array(inner) : .set(inner), depth - 1))
    default: return .maximum(make(one(in: 2) ? .array(inner) : .set(inner), depth - 1))
    }
  }

  private mutating func count(_ depth: Int) -> Expression {
    if one(in: 3) {
      let order = generator.pick(Expression.TextOrder.allCases)
      return .textOrder(order, make(.string, depth - 1), make(.string, depth - 1))
    }
    return .count(one(in: 3) ? make(.string, depth - 1) : collection(depth).0)
  }

  /// A collection, and the kind of its elements; nil for a dictionary.
  mutating func collection(_ depth: Int) -> (Expression, element: Kind?) {
    let known = kinds.map(\.whole).filter { if case .plain = $0 { false } else { true } }
    if one(in: 3), let relationship = manies.isEmpty ? nil : generator.pick(manies) {
      let kind = Kind.rows(relationship.target)
      return (make(kind, depth - 1), kind.element)
    }
    let kind = known.isEmpty || one(in: 5) ? Kind.array(generator.pick(kinds.filter(\.isPlain))) : generator.pick(known)
    return (make(kind, depth - 1), kind.element)
  }

  private func hasMany(_ entity: EntityID) -> Bool { manies.contains { $0.target == entity } }

  mutating func someKind(_ isFit: (Kind) -> Bool) -> Kind? {
    let fit = kinds.filter(isFit)
    return fit.isEmpty ? nil : generator.pick(fit)
  }
}

extension Kind {
  var isPlain: Bool { if case .plain = self { true } else { false } }

  /// Whether it may become optional.
  var isNestable: Bool { if case .rows = self { false } else { !isOptional } }
}
