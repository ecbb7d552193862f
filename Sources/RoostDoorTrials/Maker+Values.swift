internal import Foundation
internal import Roost

extension Maker {
  func number(_ depth: Int, _ scope: Scope) -> RandomPart<Int> {
    guard depth > 0 else { return plainNumber(scope) }
    if let found = aggregate({ total(depth, scope) }) { return found }
    switch choices.below(14) {
    case 0, 1, 2, 3: return plainNumber(scope)
    case 4, 5:
      note("arithmetic")
      return number(depth - 1, scope).computes(choices.pick(Operation.allCases), number(depth - 1, scope))
    case 6:
      note("negated")
      return number(depth - 1, scope).negated
    case 7:
      note("coalesce")
      return .coalesce(maybeNumber(depth - 1, scope), number(depth - 1, scope))
    case 8:
      note("unwrap")
      return .unwrapped(maybeNumber(depth - 1, scope))
    case 9:
      note("count")
      return text(depth - 1, scope).property("count", \String.count)
    case 10:
      guard let pieces = pieces(scope, depth) else { return plainNumber(scope) }
      note("count")
      return pieces.property("count", \[Piece].count)
    case 11:
      guard let thing = thing(scope) else { return plainNumber(scope) }
      if choices.coin() { return thing.property("tags", \Thing.tags).property("count", \[String].count) }
      note("element")
      return thing.property("numbers", \Thing.numbers).element(number(depth - 1, scope))
    case 12:
      guard let thing = thing(scope) else { return plainNumber(scope) }
      note("entry")
      return thing.property("table", \Thing.table).entry(text(0, scope), number(depth - 1, scope))
    default: return .choice(bool(depth - 1, scope), number(depth - 1, scope), other: number(depth - 1, scope))
    }
  }

  private func plainNumber(_ scope: Scope) -> RandomPart<Int> {
    if choices.below(3) == 0 { return constant(Int.self) }
    if !scope.numbers.isEmpty, choices.coin() { return choices.pick(scope.numbers) }
    note("property")
    if let piece = scope.pieces.last, choices.coin() { return piece.property("n", \Piece.n) }
    if let special = scope.specials.last, choices.coin() { return special.property("grade", \Special.grade) }
    if let thing = thing(scope) {
      note("part")
      switch choices.below(3) {
      case 0: return thing.property("k", \Thing.k)
      case 1: return thing.property("extent", \Thing.extent).property("width", \Extent.width)
      default:
        return thing.property("extent", \Thing.extent).property("depth", \Extent.depth).property("level", \Depth.level)
      }
    }
    if let owner = scope.owners.last { return owner.property("age", \Owner.age) }
    if let piece = scope.pieces.last { return piece.property("n", \Piece.n) }
    return constant(Int.self)
  }

  func maybeNumber(_ depth: Int, _ scope: Scope) -> RandomPart<Int?> {
    if depth > 0, let found = aggregate({ boundNumber(depth, scope) }) { return found }
    if depth > 0, choices.coin(), let owner = owner(scope) {
      note("chain")
      let (number, next) = (newVariable(), newVariable())
      let first = RandomPart<Owner>.variable(number)
      if choices.coin() { return owner.then(number, first.property("age", \Owner.age)) }
      let boss = first.property("boss", \Owner.boss)
      let age = boss.then(next, RandomPart<Owner>.variable(next).property("age", \Owner.age))
      return owner.thenMaybe(number, age)
    }
    guard let thing = thing(scope) else { return perhaps(Int.self) }
    switch choices.below(6) {
    case 0, 1: return thing.property("ok", \Thing.ok)
    case 2:
      let number = newVariable()
      return thing.property("oextent", \Thing.oextent)
        .then(number, RandomPart<Extent>.variable(number).property("width", \Extent.width))
    case 3: return thing.property("table", \Thing.table).entry(text(0, scope))
    case 4: return thing.property("numbers", \Thing.numbers).property("first", \[Int].first)
    default: return thing.property("bag", \Thing.bag).most(isLeast: choices.coin())
    }
  }

  func real(_ depth: Int, _ scope: Scope) -> RandomPart<Double> {
    if depth > 0, let found = aggregate({ realAggregate(depth, scope) }) { return found }
    guard let thing = thing(scope), choices.below(3) > 0 else { return constant(Double.self) }
    let ratio = thing.property("ratio", \Thing.ratio)
    guard depth > 0 else { return ratio }
    switch choices.below(5) {
    case 0, 1: return ratio
    case 2: return .coalesce(thing.property("oratio", \Thing.oratio), real(depth - 1, scope))
    case 3:
      note("arithmetic")
      return real(depth - 1, scope).computes(choices.pick(Operation.allCases), real(depth - 1, scope))
    default: return real(depth - 1, scope).negated
    }
  }

  func price(_ depth: Int, _ scope: Scope) -> RandomPart<Decimal> {
    note("decimal")
    if depth > 0, let found = aggregate({ priceAggregate(scope) }) { return found }
    guard let thing = thing(scope), choices.below(3) > 0 else { return constant(Decimal.self) }
    if depth > 0, choices.below(3) == 0 {
      return .coalesce(thing.property("oprice", \Thing.oprice), price(depth - 1, scope))
    }
    return thing.property("price", \Thing.price)
  }

  func date(_ depth: Int, _ scope: Scope) -> RandomPart<Date> {
    if depth > 0, let found = aggregate({ boundDate(scope) }) { return .coalesce(found, constant(Date.self)) }
    guard let thing = thing(scope), choices.below(3) > 0 else { return constant(Date.self) }
    if depth > 0, choices.coin() { return .coalesce(thing.property("odate", \Thing.odate), date(depth - 1, scope)) }
    return thing.property("date", \Thing.date)
  }

  func text(_ depth: Int, _ scope: Scope) -> RandomPart<String> {
    if !scope.texts.isEmpty, choices.coin() { return choices.pick(scope.texts) }
    guard choices.below(3) > 0 else { return constant(String.self) }
    guard let thing = thing(scope) else {
      return scope.owners.last?.property("name", \Owner.name) ?? constant(String.self)
    }
    note("property")
    guard depth > 0 else { return thing.property("name", \Thing.name) }
    switch choices.below(9) {
    case 0: return thing.property("name", \Thing.name)
    case 1:
      note("raw")
      return thing.property("badge", \Thing.badge).property("rawValue", \Badge.rawValue)
    case 2:
      note("coalesce")
      return .coalesce(maybeText(depth - 1, scope), text(depth - 1, scope))
    case 3:
      let inner = text(depth - 1, scope)
      return choices.coin() ? inner.property("folded", \String.folded) : inner.changed(isUpper: choices.coin())
    case 4:
      note("raw")
      return thing.property("mood", \Thing.mood).property("rawValue", \Mood.rawValue)
    case 5: return thing.property("extent", \Thing.extent).property("label", \Extent.label)
    case 6:
      note("element")
      return thing.property("tags", \Thing.tags).element(number(0, scope))
    default: return .unwrapped(maybeText(depth - 1, scope))
    }
  }

  func maybeText(_ depth: Int, _ scope: Scope) -> RandomPart<String?> {
    if depth > 0, let found = aggregate({ boundText(depth, scope) }) { return found }
    if depth > 0, choices.coin(), let owner = owner(scope) {
      note("chain")
      let number = newVariable()
      let first = RandomPart<Owner>.variable(number)
      return choices.coin()
        ? owner.then(number, first.property("name", \Owner.name))
        : owner.thenMaybe(number, first.property("oname", \Owner.oname))
    }
    if let piece = scope.pieces.last, choices.coin() { return piece.property("word", \Piece.word) }
    guard let thing = thing(scope) else { return perhaps(String.self) }
    switch choices.below(5) {
    case 0, 1: return thing.property("oname", \Thing.oname)
    case 2: return thing.property("tags", \Thing.tags).property("first", \[String].first)
    case 3:
      let number = newVariable()
      return thing.property("oextent", \Thing.oextent)
        .then(number, RandomPart<Extent>.variable(number).property("label", \Extent.label))
    default:
      return thing.property("extent", \Thing.extent).property("depth", \Extent.depth).property("word", \Depth.word)
    }
  }
}
