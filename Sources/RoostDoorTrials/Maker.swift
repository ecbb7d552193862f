internal import Foundation
internal import Roost

/// Makes random predicates that compile.
///
/// The choices decide the structure; the pool decides the values. So the same choices with another
/// pool make one kind of predicate with other values.
final class Maker {
  let choices: Choices
  var pool: Pool
  /// Whether it makes sums, averages and bounds of related models.
  var makesAggregates = false
  private var lastVariable = 0
  /// The number of parts that were made, by name.
  private(set) var census: [String: Int] = [:]

  init(_ choices: Choices, _ pool: Pool) {
    self.choices = choices
    self.pool = pool
  }

  /// The variables that a part can use.
  struct Scope {
    var things: [RandomPart<Thing>] = []
    var specials: [RandomPart<Special>] = []
    var owners: [RandomPart<Owner>] = []
    var pieces: [RandomPart<Piece>] = []
    var texts: [RandomPart<String>] = []
    var numbers: [RandomPart<Int>] = []
  }

  func newVariable() -> Int {
    lastVariable += 1
    return lastVariable
  }

  func note(_ name: String) { census[name, default: 0] += 1 }

  /// The parts that a run of many predicates must make at least once.
  static let names: Set<String> = [
    "constant", "property", "and", "or", "not", "choice", "equal", "compare", "within", "optional equal", "nil",
    "captured list",
    "captured range", "captured set", "stored list", "quantified", "text", "identifier", "identifiers", "class", "cast",
    "within another",
    "memory", "arithmetic", "negated", "count", "filter", "unwrap", "coalesce", "element", "entry", "chain", "case",
    "raw", "part",
    "small numbers", "to one", "many", "decimal", "own equality", "sum", "average", "bound",
  ]

  func constant<Value: Codable & Sendable>(_ type: Value.Type) -> RandomPart<Value> {
    note("constant")
    return .constant(pool.value(type))
  }

  func perhaps<Value: Codable & Sendable>(_ type: Value.Type) -> RandomPart<Value?> {
    note("nil")
    return .constant(pool.optional(type))
  }

  // MARK: Objects

  func thing(_ scope: Scope) -> RandomPart<Thing>? { scope.things.isEmpty ? nil : choices.pick(scope.things) }

  /// Makes a reference to an owner, which may be nil.
  func owner(_ scope: Scope) -> RandomPart<Owner?>? {
    if let thing = thing(scope), scope.owners.isEmpty || choices.coin() {
      note("to one")
      return thing.property("owner", \Thing.owner)
    }
    if scope.owners.isEmpty { return nil }
    return choices.pick(scope.owners).property("boss", \Owner.boss)
  }

  func pieces(_ scope: Scope, _ depth: Int) -> RandomPart<[Piece]>? {
    guard let thing = thing(scope) else { return nil }
    note("many")
    let all: RandomPart<[Piece]>
    if choices.below(3) == 2 {
      all = .coalesceMany(thing.property("spares", \Thing.spares))
    } else {
      all = thing.property("pieces", \Thing.pieces)
    }
    guard depth > 1, choices.below(4) == 3 else { return all }
    note("filter")
    let number = newVariable()
    return all.filtered(number, bool(depth - 1, scope.with(piece: number)))
  }
}

extension Maker.Scope {
  func with(piece number: Int) -> Maker.Scope {
    var scope = self
    scope.pieces.append(.variable(number))
    return scope
  }

  func with(thing number: Int) -> Maker.Scope {
    var scope = self
    scope.things.append(.variable(number))
    return scope
  }

  func with(owner number: Int) -> Maker.Scope {
    var scope = self
    scope.owners.append(.variable(number))
    return scope
  }

  func with(special number: Int) -> Maker.Scope {
    var scope = self
    scope.specials.append(.variable(number))
    return scope
  }

  func with(text number: Int) -> Maker.Scope {
    var scope = self
    scope.texts.append(.variable(number))
    return scope
  }

  func with(number: Int) -> Maker.Scope {
    var scope = self
    scope.numbers.append(.variable(number))
    return scope
  }
}

extension RandomPart where Value == [Piece] {
  /// Makes the members of an optional to-many relationship. `$0.spares.flatMap { $0 }` has no
  /// constant for an empty list, so this uses `!`.
  static func coalesceMany(_ inner: RandomPart<[Piece]?>) -> RandomPart<[Piece]> {
    func open(_ inner: some Known<[Piece]?>) -> any Known<[Piece]> { Words.build_ForcedUnwrap(inner) }
    // A to-many relationship is never nil in a store.
    return RandomPart(
      "\(inner.text)!", { open(inner.build($0)) },
      value: {
        guard let found = try inner.value($0) else { throw NodeFault.nilUnwrapped }
        return found
      })
  }
}
