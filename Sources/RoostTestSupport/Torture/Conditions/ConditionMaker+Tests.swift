internal import RoostQuery
internal import RoostRecords

/// Boolean expressions.
extension ConditionMaker {
  mutating func bool(_ depth: Int) -> Expression {
    if depth <= 0 { return simple() }
    if makesAggregates, one(in: 3), let found = aggregateTest(depth) { return found }
    switch generator.below(24) {
    case 0...3: return .and((0..<(1 + generator.below(3))).map { _ in bool(depth - 1) })
    case 4...6: return .or((0..<(1 + generator.below(3))).map { _ in bool(depth - 1) })
    case 7...8: return .not(bool(depth - 1))
    case 9...12: return simple()
    case 13...14: return comparison(depth)
    case 15: return range(depth)
    case 16: return text(depth)
    case 17...18: return membership(depth)
    case 19: return quantified(depth)
    case 20: return .isEmpty(one(in: 3) ? make(.string, depth - 1) : collection(depth).0)
    case 21: return .conditional(bool(depth - 1), bool(depth - 1), bool(depth - 1))
    case 22: return one(in: 2) ? bound(.bool, depth) : orElse(.bool, depth)
    default: return one(in: 3) ? demanded(.bool, depth) : leaf(.bool)
    }
  }

  /// A condition that a plan can look up in an index: a field and a constant.
  mutating func simple() -> Expression {
    guard let entity = scope[0].kind.entity.flatMap({ catalog.entity($0) }), scope[0].variable == 0 else {
      return leaf(.bool)
    }
    let newest = scope[scope.count - 1]
    if case .structure(let parts) = newest.kind, generator.chance(2, in: 3) {
      let part = generator.below(parts.count)
      return about(.part(.variable(newest.variable), part), Kind(parts[part].type))
    }
    if newest.kind.isPlain, newest.variable != 0, one(in: 2) { return about(.variable(newest.variable), newest.kind) }
    let row = one(in: 3) ? newest : scope[0]
    let base = row.kind.isOptional ? nil : row.kind.entity.flatMap { catalog.entity($0) }
    let owner = base ?? entity
    var field = generator.pick(owner.fields)
    let indexes = catalog.indexes(of: owner.id)
    if !indexes.isEmpty, one(in: 2) {
      let part = generator.pick(generator.pick(indexes).parts).field
      field = owner.field(part) ?? field
    }
    let test = about(.field(base == nil ? .row : .variable(row.variable), field.id), Kind(field))
    return one(in: 6) ? .not(test) : test
  }

  /// A condition on a value and constants.
  private mutating func about(_ name: Expression, _ kind: Kind) -> Expression {
    let whole = kind.whole
    if kind.isOptional, one(in: 4) {
      return .compare(one(in: 2) ? .equal : .notEqual, name, .constant(.null, kind))
    }
    guard whole.isPlain else {
      if let element = whole.element, element.isPlain, !kind.isOptional { return .contains(name, constant(element)) }
      return .compare(one(in: 2) ? .equal : .notEqual, name, constant(kind))
    }
    switch generator.below(whole == .string ? 9 : whole.isComparable ? 7 : 4) {
    case 0...1: return turned(.equal, name, two: constant(one(in: 3) ? kind : whole))
    case 2: return turned(.notEqual, name, two: constant(one(in: 3) ? kind : whole))
    case 3: return .contains(constant(one(in: 2) ? .array(one(in: 3) ? kind.optional : whole) : .set(whole)), name)
    case 4...5:
      let order: [Expression.Comparison] = [.less, .lessOrEqual, .greater, .greaterOrEqual]
      let comparison = generator.pick(order)
      return whenThere(name, kind) { maker, name in maker.turned(comparison, name, two: maker.constant(whole)) }
    case 6:
      return whenThere(name, kind) { maker, name in
        .within(maker.constant(whole), maker.constant(whole), maker.one(in: 2), name)
      }
    default:
      let test = generator.pick(Expression.TextTest.allCases)
      return whenThere(name, kind) { maker, name in .text(test, name, maker.constant(.string)) }
    }
  }

  private mutating func turned(_ comparison: Expression.Comparison, _ one: Expression, two: Expression) -> Expression {
    self.one(in: 4) ? .compare(comparison, two, one) : .compare(comparison, one, two)
  }

  /// Tests an optional value in one of the possible ways.
  private mutating func whenThere(
    _ name: Expression, _ kind: Kind, test: (inout ConditionMaker, Expression) -> Expression
  ) -> Expression {
    guard kind.isOptional else { return test(&self, name) }
    switch generator.below(5) {
    case 0: return test(&self, .coalesce(name, constant(kind.whole)))
    case 1: return .and([.compare(.notEqual, name, .constant(.null, kind)), test(&self, .unwrap(name))])
    case 2:
      let (variable, inner) = within(kind.whole) { maker, variable in (variable, test(&maker, .variable(variable))) }
      let mapped = Expression.ifLet(variable, name, inner, .constant(.null, Kind.bool.optional))
      return one(in: 2)
        ? .compare(.equal, mapped, .constant(.bool(true), .bool))
        : .coalesce(mapped, .constant(.bool(one(in: 2)), .bool))
    default:
      let (variable, inner) = within(kind.whole) { maker, variable in (variable, test(&maker, .variable(variable))) }
      return .ifLet(variable, name, inner, .constant(.bool(one(in: 4)), .bool))
    }
  }

  // MARK: With more depth

  private mutating func comparison(_ depth: Int) -> Expression {
    let comparison = generator.pick(Expression.Comparison.allCases)
    if one(in: 8) {
      let part = generator.pick(DatePart.allCases)
      return .compare(
        comparison, .datePart(part, make(.date, 0)), .constant(.int(Int64(generator.below(13))), .int))
    }
    if comparison == .equal || comparison == .notEqual {
      if one(in: 6) { return .compare(comparison, .changed(.folded, make(.string, 0)), constant(.string)) }
      let kind = someKind { _ in true } ?? .bool
      let other = kind.whole.isNestable && one(in: 2) ? (one(in: 2) ? kind.whole : kind.optional) : kind
      return .compare(comparison, make(kind, depth - 1), make(other, depth - 1))
    }
    let kind = someKind { $0.whole.isComparable }?.whole ?? .int
    return .compare(comparison, make(kind, depth - 1), make(kind, depth - 1))
  }

  private mutating func range(_ depth: Int) -> Expression {
    let kind = someKind { $0.whole.isComparable }?.whole ?? .int
    let low = one(in: 4) ? make(kind, depth - 1) : constant(kind)
    let high = one(in: 4) ? make(kind, depth - 1) : constant(kind)
    return .within(low, high, one(in: 2), make(kind, depth - 1))
  }

  // A search for `x+a` in a long text of x takes quadratic time: half a second for 3,000
  // characters.
  private static let patterns = ["a", "^a", "b$", "x{1,9}a", "[a-c]", "", "\\d", "(?i)AB", ".", "\u{e9}", "^$", "a.b"]

  private mutating func text(_ depth: Int) -> Expression {
    if one(in: 6) { return .matches(make(.string, depth - 1), generator.pick(Self.patterns)) }
    if one(in: 4) {
      let order = generator.pick(Expression.TextOrder.allCases)
      let comparison = generator.pick(Expression.Comparison.allCases)
      return .compare(
        comparison, .textOrder(order, make(.string, depth - 1), make(.string, depth - 1)), .constant(.int(0), .int))
    }
    let test = generator.pick(Expression.TextTest.allCases)
    let other = one(in: 3) ? make(.string, depth - 1) : constant(.string)
    return .text(test, make(.string, depth - 1), other)
  }

  /// Whether a dictionary has a key, or has a value for it.
  private mutating func keyTest() -> Expression? {
    let table = someKind { kind in if case .dictionary = kind.whole { true } else { false } }
    guard case .dictionary(let key, let value)? = table?.whole, !value.isOptional else { return nil }
    let found = Expression.lookup(make(.dictionary(key, value), 0), constant(key))
    if one(in: 2) { return .compare(.notEqual, found, .constant(.null, value.optional)) }
    return .compare(one(in: 3) ? .notEqual : .equal, found, constant(value))
  }

  private mutating func membership(_ depth: Int) -> Expression {
    if one(in: 4), let found = keyTest() { return found }
    if one(in: 2) {
      let (collection, element) = collection(depth)
      if let element {
        let other = element.whole.isNestable && one(in: 3) ? element.optional : element
        return .contains(collection, make(other, depth - 1))
      }
      return .not(.isEmpty(collection))
    }
    let kind = someKind(\.whole.isPlain) ?? .int
    let element = one(in: 3) ? kind.optional : kind.whole
    return .contains(constant(one(in: 2) ? .array(element) : .set(element)), make(kind, depth - 1))
  }

  private mutating func quantified(_ depth: Int) -> Expression {
    let (collection, element) = collection(depth)
    guard let element else { return .isEmpty(collection) }
    let quantifier = generator.pick(Expression.Quantifier.allCases)
    let (variable, test) = within(element) { maker, variable in (variable, maker.bool(depth - 1)) }
    return .quantified(quantifier, variable, collection, test)
  }
}
