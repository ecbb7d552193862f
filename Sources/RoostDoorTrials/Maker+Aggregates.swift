internal import Foundation
internal import Roost

/// Sums, averages and bounds of related models: of the pieces of a thing, of the things of an owner,
/// and of the things of a thing's owner, such as `$0.owner?.things.average(\.ratio)`.
extension Maker {
  /// Makes an aggregate in half of the cases, if this maker makes aggregates.
  func aggregate<Found>(_ make: () -> Found?) -> Found? { makesAggregates && choices.coin() ? make() : nil }

  func total(_ depth: Int, _ scope: Scope) -> RandomPart<Int>? {
    if choices.coin(), let owner = owner(scope) {
      note("sum")
      let number = newVariable()
      let total = total(of: things(of: .variable(number), depth, scope), depth, scope)
      return .coalesce(owner.then(number, total), constant(Int.self))
    }
    if let owner = scope.owners.last {
      note("sum")
      return total(of: things(of: owner, depth, scope), depth, scope)
    }
    guard let pieces = pieces(scope, depth) else { return nil }
    note("sum")
    let number = newVariable()
    return pieces.total(number, self.number(depth - 1, scope.with(piece: number)))
  }

  private func total(of things: RandomPart<[Thing]>, _ depth: Int, _ scope: Scope) -> RandomPart<Int> {
    let number = newVariable()
    let thing = RandomPart<Thing>.variable(number)
    switch choices.below(5) {
    case 0: return things.total(number, thing.property("k", \Thing.k))
    case 1: return things.total(number, thing.property("ok", \Thing.ok))
    case 2: return things.total(number, thing.property("small", \Thing.small))
    case 3: return things.total(number, thing.property("byte", \Thing.byte))
    default: return things.total(number, self.number(depth - 1, scope.with(thing: number)))
    }
  }

  func boundNumber(_ depth: Int, _ scope: Scope) -> RandomPart<Int?>? {
    let (isLeast, number) = (choices.coin(), newVariable())
    if choices.coin(), let owner = owner(scope) {
      note("bound")
      let inner = newVariable()
      let things = things(of: .variable(inner), depth, scope)
      let thing = RandomPart<Thing>.variable(number)
      return owner.thenMaybe(
        inner,
        choices.coin()
          ? things.bound(isLeast: isLeast, number, thing.property("ok", \Thing.ok))
          : things.bound(isLeast: isLeast, number, self.number(depth - 1, scope.with(thing: number))))
    }
    guard let pieces = pieces(scope, depth) else { return nil }
    note("bound")
    return pieces.bound(isLeast: isLeast, number, self.number(depth - 1, scope.with(piece: number)))
  }

  func realAggregate(_ depth: Int, _ scope: Scope) -> RandomPart<Double>? {
    let number = newVariable()
    if let owner = owner(scope) {
      let inner = newVariable()
      let found = owner.thenMaybe(inner, maybeReal(of: things(of: .variable(inner), depth, scope), depth, scope))
      return .coalesce(found, real(depth - 1, scope))
    }
    if let owner = scope.owners.last {
      let things = things(of: owner, depth, scope)
      if choices.below(3) > 0 { return .coalesce(maybeReal(of: things, depth, scope), real(depth - 1, scope)) }
      note("sum")
      let thing = RandomPart<Thing>.variable(number)
      return choices.coin()
        ? things.total(number, thing.property("ratio", \Thing.ratio))
        : things.total(number, thing.property("oratio", \Thing.oratio))
    }
    guard let pieces = pieces(scope, depth) else { return nil }
    note("average")
    let mean = pieces.mean(number, self.number(depth - 1, scope.with(piece: number)))
    return .coalesce(mean, real(depth - 1, scope))
  }

  private func maybeReal(of things: RandomPart<[Thing]>, _ depth: Int, _ scope: Scope) -> RandomPart<Double?> {
    let (number, isLeast) = (newVariable(), choices.coin())
    let thing = RandomPart<Thing>.variable(number)
    note("average")
    switch choices.below(8) {
    case 0: return things.mean(number, thing.property("ratio", \Thing.ratio))
    case 1: return things.mean(number, thing.property("oratio", \Thing.oratio))
    case 2: return things.mean(number, thing.property("ok", \Thing.ok))
    case 3: return things.mean(number, thing.property("byte", \Thing.byte))
    case 4: return things.bound(isLeast: isLeast, number, thing.property("ratio", \Thing.ratio))
    case 5: return things.bound(isLeast: isLeast, number, thing.property("oratio", \Thing.oratio))
    case 6: return things.bound(isLeast: isLeast, number, real(depth - 1, scope.with(thing: number)))
    default: return things.mean(number, self.number(depth - 1, scope.with(thing: number)))
    }
  }

  func priceAggregate(_ scope: Scope) -> RandomPart<Decimal>? {
    guard let owner = owner(scope) else { return nil }
    let (inner, number, isLeast) = (newVariable(), newVariable(), choices.coin())
    let things = RandomPart<Owner>.variable(inner).property("things", \Owner.things)
    let price = RandomPart<Thing>.variable(number).property("price", \Thing.price)
    if choices.coin() {
      note("sum")
      return .coalesce(owner.then(inner, things.total(number, price)), constant(Decimal.self))
    }
    note("bound")
    return .coalesce(
      owner.thenMaybe(inner, things.bound(isLeast: isLeast, number, price)), constant(Decimal.self))
  }

  func boundDate(_ scope: Scope) -> RandomPart<Date?>? {
    guard let owner = owner(scope) else { return nil }
    note("bound")
    let (inner, number, isLeast) = (newVariable(), newVariable(), choices.coin())
    let things = RandomPart<Owner>.variable(inner).property("things", \Owner.things)
    let thing = RandomPart<Thing>.variable(number)
    return owner.thenMaybe(
      inner,
      choices.coin()
        ? things.bound(isLeast: isLeast, number, thing.property("date", \Thing.date))
        : things.bound(isLeast: isLeast, number, thing.property("odate", \Thing.odate)))
  }

  func boundText(_ depth: Int, _ scope: Scope) -> RandomPart<String?>? {
    let (number, isLeast) = (newVariable(), choices.coin())
    if choices.coin(), let owner = owner(scope) {
      note("bound")
      let inner = newVariable()
      let things = things(of: .variable(inner), depth, scope)
      return owner.thenMaybe(
        inner, things.bound(isLeast: isLeast, number, text(depth - 1, scope.with(thing: number))))
    }
    guard let pieces = pieces(scope, depth) else { return nil }
    note("bound")
    return pieces.bound(isLeast: isLeast, number, RandomPart<Piece>.variable(number).property("word", \Piece.word))
  }

  /// The things of an owner, which may be filtered.
  private func things(of owner: RandomPart<Owner>, _ depth: Int, _ scope: Scope) -> RandomPart<[Thing]> {
    let all = owner.property("things", \Owner.things)
    guard depth > 1, choices.below(4) == 3 else { return all }
    note("filter")
    let number = newVariable()
    return all.filtered(number, bool(depth - 2, scope.with(thing: number)))
  }
}
