internal import Foundation
internal import Roost

extension Maker {
  /// Makes a condition. The first choices are the simplest.
  func bool(_ depth: Int, _ scope: Scope) -> RandomPart<Bool> {
    guard depth > 0 else {
      if let thing = thing(scope) {
        note("property")
        return thing.property("flag", \Thing.flag)
      }
      return constant(Bool.self)
    }
    switch choices.below(30) {
    case 0: return bool(0, scope)
    case 1: return constant(Bool.self)
    case 2, 3, 4:
      note("and")
      return .and(bool(depth - 1, scope), bool(depth - 1, scope))
    case 5, 6:
      note("or")
      return .or(bool(depth - 1, scope), bool(depth - 1, scope))
    case 7:
      note("not")
      return .not(bool(depth - 1, scope))
    case 8:
      note("choice")
      return .choice(bool(depth - 1, scope), bool(depth - 1, scope), other: bool(depth - 1, scope))
    case 9, 10, 11:
      note("compare")
      return number(depth - 1, scope).compares(choices.pick(Sign.allCases), number(depth - 1, scope))
    case 12, 13:
      note("compare")
      return real(depth - 1, scope).compares(choices.pick(Sign.allCases), real(depth - 1, scope))
    case 14:
      note("compare")
      return text(depth - 1, scope).compares(choices.pick(Sign.allCases), text(depth - 1, scope))
    case 15:
      note("text")
      return text(depth - 1, scope).asks(choices.pick(TextTest.allCases), text(depth - 1, scope))
    case 16 where choices.coin():
      return price(depth - 1, scope).compares(choices.pick(Sign.allCases), price(depth - 1, scope))
    case 16: return date(depth - 1, scope).compares(choices.pick(Sign.allCases), date(depth - 1, scope))
    case 17: return same(scope)
    case 18, 19, 20: return optionals(depth, scope)
    case 21: return ranges(depth, scope)
    case 22, 23: return lists(depth, scope)
    case 24, 25, 26: return many(depth, scope)
    case 27: return classes(depth, scope)
    case 28: return small(scope)
    default: return computed(depth, scope)
    }
  }

  /// Compares values that have equality and no order.
  private func same(_ scope: Scope) -> RandomPart<Bool> {
    guard let thing = thing(scope) else { return bool(0, scope) }
    let isNot = choices.coin()
    note("equal")
    switch choices.below(9) {
    case 5:
      note("own equality")
      return thing.property("badge", \Thing.badge).equals(constant(Badge.self), isNot: isNot)
    case 6:
      note("own equality")
      return thing.property("obadge", \Thing.obadge).equals(perhaps(Badge.self), isNot: isNot)
    case 7:
      note("own equality")
      return RandomPart<[Badge]>.constant(pool.list(Badge.self)).holds(thing.property("badge", \Thing.badge))
    case 8: return RandomPart<[Data]>.constant(pool.list(Data.self)).holds(thing.property("bytes", \Thing.bytes))
    case 0: return thing.property("code", \Thing.code).equals(constant(UUID.self), isNot: isNot)
    case 1: return thing.property("bytes", \Thing.bytes).equals(constant(Data.self), isNot: isNot)
    case 2: return thing.property("flag", \Thing.flag).equals(constant(Bool.self), isNot: isNot)
    case 3:
      note("case")
      return thing.property("mood", \Thing.mood).equals(constant(Mood.self), isNot: isNot)
    default: return thing.property("tags", \Thing.tags).equals(.constant(pool.list(String.self)), isNot: isNot)
    }
  }

  private func optionals(_ depth: Int, _ scope: Scope) -> RandomPart<Bool> {
    let isNot = choices.coin()
    note("optional equal")
    switch choices.below(9) {
    case 8:
      guard let thing = thing(scope) else { return bool(0, scope) }
      return thing.property("oprice", \Thing.oprice).equals(perhaps(Decimal.self), isNot: isNot)
    case 0: return maybeNumber(depth, scope).equals(perhaps(Int.self), isNot: isNot)
    case 1: return maybeText(depth, scope).equals(perhaps(String.self), isNot: isNot)
    case 2: return maybeNumber(depth, scope).equals(maybeNumber(depth, scope), isNot: isNot)
    case 3:
      guard let thing = thing(scope) else { return bool(0, scope) }
      return thing.property("odate", \Thing.odate).equals(perhaps(Date.self), isNot: isNot)
    case 4:
      guard let thing = thing(scope) else { return bool(0, scope) }
      note("case")
      return thing.property("omood", \Thing.omood).equals(perhaps(Mood.self), isNot: isNot)
    case 5:
      guard let thing = thing(scope) else { return bool(0, scope) }
      return thing.property("oflag", \Thing.oflag).equals(perhaps(Bool.self), isNot: isNot)
    case 6:
      guard let owner = owner(scope) else { return bool(0, scope) }
      let number = newVariable()
      let body = bool(depth - 1, scope.with(owner: number))
      return .coalesce(owner.then(number, body), .constant(isNot))
    default:
      let number = newVariable()
      let body = bool(depth - 1, scope.with(number: number))
      return .coalesce(maybeNumber(depth, scope).then(number, body), .constant(isNot))
    }
  }

  private func ranges(_ depth: Int, _ scope: Scope) -> RandomPart<Bool> {
    note("within")
    let isClosed = choices.coin()
    switch choices.below(5) {
    case 4:
      let price = price(depth - 1, scope)
      return price.isWithin(constant(Decimal.self), constant(Decimal.self), isClosed: isClosed)
    case 0:
      let number = number(depth - 1, scope)
      return number.isWithin(constant(Int.self), constant(Int.self), isClosed: isClosed)
    case 1:
      let real = real(depth - 1, scope)
      return real.isWithin(constant(Double.self), self.real(depth - 1, scope), isClosed: isClosed)
    case 2:
      let date = date(depth - 1, scope)
      return date.isWithin(constant(Date.self), constant(Date.self), isClosed: isClosed)
    default:
      note("captured range")
      let (one, other) = (pool.value(Int.self), pool.value(Int.self))
      let (low, high) = (min(one, other), max(one, other))
      return isClosed
        ? number(depth - 1, scope).isIn(low...high) : number(depth - 1, scope).isIn(low..<high)
    }
  }

  private func lists(_ depth: Int, _ scope: Scope) -> RandomPart<Bool> {
    switch choices.below(10) {
    case 9: return RandomPart<[Decimal]>.constant(pool.list(Decimal.self)).holds(price(depth - 1, scope))
    case 0:
      note("captured list")
      return RandomPart<[Int]>.constant(pool.list(Int.self)).holds(number(depth - 1, scope))
    case 1:
      note("captured set")
      return RandomPart<Set<Int>>.constant(Set(pool.list(Int.self))).holds(number(depth - 1, scope))
    case 2: return RandomPart<[String]>.constant(pool.list(String.self)).holds(text(depth - 1, scope))
    case 3:
      return RandomPart<[String?]>.constant((0..<3).map { _ in pool.optional(String.self) }).holds(
        maybeText(depth - 1, scope))
    case 4:
      guard let thing = thing(scope) else { return bool(0, scope) }
      note("stored list")
      return thing.property("tags", \Thing.tags).holds(text(depth - 1, scope))
    case 5:
      guard let thing = thing(scope) else { return bool(0, scope) }
      return thing.property("bag", \Thing.bag).holds(number(depth - 1, scope))
    case 6:
      guard let thing = thing(scope) else { return bool(0, scope) }
      let number = newVariable()
      return thing.property("tags", \Thing.tags)
        .asks(choices.coin(), number, test: bool(depth - 1, scope.with(text: number)))
    case 7:
      guard let thing = thing(scope) else { return bool(0, scope) }
      let number = newVariable()
      return thing.property("numbers", \Thing.numbers)
        .asks(choices.coin(), number, test: bool(depth - 1, scope.with(number: number)))
    default:
      guard let thing = thing(scope) else { return bool(0, scope) }
      return choices.coin()
        ? thing.property("tags", \Thing.tags).property("isEmpty", \[String].isEmpty)
        : thing.property("table", \Thing.table).property("isEmpty", \[String: Int].isEmpty)
    }
  }

  private func many(_ depth: Int, _ scope: Scope) -> RandomPart<Bool> {
    if let owner = scope.owners.last, scope.things.isEmpty || choices.below(3) == 2 {
      note("quantified")
      let number = newVariable()
      return owner.property("things", \Owner.things)
        .asks(choices.coin(), number, test: bool(depth - 1, scope.with(thing: number)))
    }
    guard let pieces = pieces(scope, depth) else { return bool(0, scope) }
    if choices.below(4) == 0 { return pieces.property("isEmpty", \[Piece].isEmpty) }
    note("quantified")
    let number = newVariable()
    return pieces.asks(choices.coin(), number, test: bool(depth - 1, scope.with(piece: number)))
  }

  private func classes(_ depth: Int, _ scope: Scope) -> RandomPart<Bool> {
    guard let thing = thing(scope) else { return bool(0, scope) }
    switch choices.below(3) {
    case 0:
      note("class")
      return thing.isOf(Special.self)
    default:
      note("cast")
      let number = newVariable()
      let body = bool(depth - 1, scope.with(special: number))
      return .coalesce(thing.cast(Special.self).then(number, body), .constant(choices.coin()))
    }
  }

  private func small(_ scope: Scope) -> RandomPart<Bool> {
    guard let thing = thing(scope) else { return bool(0, scope) }
    note("small numbers")
    let sign = choices.pick(Sign.allCases)
    switch choices.below(3) {
    case 0:
      let small = thing.property("small", \Thing.small)
      return small.computes(choices.pick(Operation.allCases), constant(Int8.self)).compares(sign, small.negated)
    case 1:
      let byte = thing.property("byte", \Thing.byte)
      return byte.computes(choices.pick(Operation.allCases), constant(UInt8.self)).compares(sign, constant(UInt8.self))
    default: return thing.property("single", \Thing.single).compares(sign, constant(Float.self))
    }
  }

  /// Makes conditions that the engine cannot express, and predicates within predicates.
  private func computed(_ depth: Int, _ scope: Scope) -> RandomPart<Bool> {
    guard let thing = thing(scope) else { return bool(0, scope) }
    switch choices.below(4) {
    case 0:
      note("memory")
      return thing.property("double", \Thing.double).compares(choices.pick(Sign.allCases), number(depth - 1, scope))
    case 1:
      note("memory")
      return thing.property("title", \Thing.title).asks(choices.pick(TextTest.allCases), text(depth - 1, scope))
    case 2:
      note("memory")
      return thing.property("extent", \Thing.extent).equals(.constant(pool.extent()))
    default:
      note("within another")
      let number = newVariable()
      return thing.evaluates(number, bool(depth - 1, Scope(things: [.variable(number)])))
    }
  }
}

extension RandomPart where Value == Int {
  func isIn<Bounds: RangeExpression & Codable & Sendable>(_ range: Bounds) -> RandomPart<Bool>
  where Bounds.Bound == Int {
    func open(_ value: some Known<Int>) -> any Known<Bool> { Words.build_contains(Words.build_Arg(range), value) }
    return RandomPart<Bool>(
      "(\(range)).contains(\(text))", { open(self.build($0)) }, value: { range.contains(try self.value($0)) })
  }
}

extension RandomPart where Value == Thing {
  /// Makes another predicate that is evaluated for the model.
  func evaluates(_ number: Int, _ body: RandomPart<Bool>) -> RandomPart<Bool> {
    func open(_ input: some Known<Thing>, _ predicate: Predicate<Thing>) -> any Known<Bool> {
      Words.build_evaluate(Words.build_Arg(predicate), input)
    }
    return RandomPart<Bool>(
      "{ $\(number) in \(body.text) }.evaluate(\(text))",
      { variables in
        let predicate = Predicate<Thing> { (variable: Words.Variable<Thing>) in
          variables.set(number, variable)
          return body.build(variables)
        }
        return open(self.build(variables), predicate)
      }, value: { try body.value($0.with(number, self.value($0))) })
  }
}
