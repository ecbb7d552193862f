import SwiftData
import Testing

/// Where Swift would trap, a fetch throws an error that names the part, in the store and in memory,
/// saved and unsaved.
@Suite struct PredicateTrapTests {
  private static func check(
    _ predicate: Predicate<Oddment>, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for place in try OddPlace.all() {
      for odd in try place.context.fetch(FetchDescriptor<Oddment>()) where odd.k == 7 { odd.k = .max }
      if place.state == .saved { try place.context.save() }
      let error = #expect(throws: RoostError.self, sourceLocation: sourceLocation) {
        try place.context.fetch(FetchDescriptor(predicate: predicate))
      }
      #expect(error?.code == .badCondition, sourceLocation: sourceLocation)
      #expect(
        error?.detail.replacing(/among \d/, with: "among n").hasPrefix(text + ": ") == true, "\(place.state)",
        sourceLocation: sourceLocation)
      #expect(throws: RoostError.self, sourceLocation: sourceLocation) {
        try place.context.fetchCount(FetchDescriptor(predicate: predicate))
      }
      #expect(throws: RoostError.self, sourceLocation: sourceLocation) {
        try place.context.fetchIdentifiers(FetchDescriptor(predicate: predicate))
      }
    }
  }

  /// A part that is always computed on models, because it contains a computed property.
  @Test func `errors of parts computed on models`() throws {
    let (zero, ten) = (0, 10)
    try Self.check(#Predicate { $0.plain + $0.k > 0 }, "the result does not fit, in $0.(a computed Int) + $0.k")
    try Self.check(#Predicate { $0.plain * $0.k > 0 }, "the result does not fit, in $0.(a computed Int) * $0.k")
    try Self.check(
      #Predicate { -1 - $0.k - $0.plain > 0 }, "the result does not fit, in -1 - $0.k - $0.(a computed Int)")
    try Self.check(#Predicate { $0.plain / zero > 0 }, "it divides by zero, in $0.(a computed Int) / 0")
    try Self.check(#Predicate { $0.plain % zero > 0 }, "it divides by zero, in $0.(a computed Int) % 0")
    try Self.check(#Predicate { ($0.least / -1) > $0.k }, "the result does not fit, in $0.(a computed Int) / -1")
    try Self.check(#Predicate { -$0.least > $0.k }, "the result does not fit, in -$0.(a computed Int)")
    try Self.check(
      #Predicate { $0.plain > 0 && $0.tags[ten] == "" }, "there is no element 10 among n, in $0.tags[10]")
    try Self.check(
      #Predicate { $0.plain > 0 && ($0.k...zero).contains($0.plain) }, "a range ends before it begins, in $0.k...0")
    try Self.check(#Predicate { $0.plain > 0 && $0.oratio! == 1 }, "it is nil, in $0.oratio!")
    try Self.check(
      #Predicate { $0.plain > 0 && ($0 as! Gizmo).hours > 0 }, "it is not of type Gizmo, in $0 as! Gizmo")
    try Self.check(
      #Predicate { $0.plain > 0 && $0.kids.contains { $0.n / zero == 1 } }, "it divides by zero, in $1.n / 0")
  }

  /// Regression: `low!` was computed where the predicate was made, and stopped the program although
  /// the other side of `||` was true.
  @Test func `a captured nil that is not needed is no error`() throws {
    func count(_ low: Int?) throws -> [Int] {
      try OddPlace.all().map { place in
        try place.context.fetchCount(FetchDescriptor<Oddment>(predicate: #Predicate { low == nil || $0.k >= low! }))
      }
    }
    let all = try count(nil)
    #expect(try all.allSatisfy { $0 > 0 } && count(Int.min) == all && count(Int.max) != all && count(nil) == all)
    let holder: (low: Int?, high: Int) = (nil, 3)
    #expect(
      try OddPlace.all().map { place in
        try place.context.fetchCount(
          FetchDescriptor<Oddment>(predicate: #Predicate { holder.low == nil ? true : $0.k > holder.low! }))
      } == all)
    // An index is used for it as for a value that is not optional.
    let (known, value): (Int?, Int) = (4, 4)
    let context = try OddPlace.all()[0].context
    let unwrapped = try context.explain(FetchDescriptor<Oddment>(predicate: #Predicate { $0.k == known! }))
    #expect(
      "\(unwrapped)" == "\(try context.explain(FetchDescriptor<Oddment>(predicate: #Predicate { $0.k == value })))")
    try Self.check(#Predicate { $0.k == holder.low! }, "it is nil, in nil!")
  }

  @Test func `errors of parts computed by the store`() throws {
    func code(_ predicate: Predicate<Oddment>) throws -> [RoostError.Code?] {
      try OddPlace.all().map { place in
        #expect(throws: RoostError.self) { try place.context.fetch(FetchDescriptor(predicate: predicate)) }?.code
      }
    }
    let (zero, ten, most) = (0, 10, Int.max)
    let all: [RoostError.Code?] = [.badCondition, .badCondition, .badCondition]
    #expect(try code(#Predicate { $0.k + most > 0 }) == all)
    #expect(try code(#Predicate { $0.k / zero > 0 }) == all)
    #expect(try code(#Predicate { $0.tags[ten] == "" }) == all)
    #expect(try code(#Predicate { $0.oratio! == 1 }) == all)
    #expect(try code(#Predicate { ($0.k...zero).contains($0.k) }) == all)
  }

  @Test func `an error after a part that is false does not count`() throws {
    let zero = 0
    for place in try OddPlace.all() {
      let found = #Predicate<Oddment> { $0.k > 100 && $0.plain / zero > 0 }
      #expect(try place.context.fetch(FetchDescriptor(predicate: found)).isEmpty)
      let known = #Predicate<Oddment> { $0.k >= 0 || $0.plain / zero > 0 }
      #expect(try place.context.fetchCount(FetchDescriptor(predicate: known)) == 16)
    }
  }

  // MARK: Predicates that cannot be computed

  @Test func `a variable of another predicate`() throws {
    let foreign = PredicateExpressions.Variable<Oddment>()
    let predicate = Predicate<Oddment> { _ in
      PredicateExpressions.build_Equal(
        lhs: PredicateExpressions.build_KeyPath(root: foreign, keyPath: \.name),
        rhs: PredicateExpressions.build_Arg("ann"))
    }
    for place in try OddPlace.all() {
      let error = #expect(throws: SwiftDataError.self) {
        try place.context.fetch(FetchDescriptor(predicate: predicate))
      }
      #expect(error == .unsupportedPredicate)
      #expect(
        error?.description
          == "unsupportedPredicate: '$?.name == \"ann\"': it uses an undefined variable: use the variables of this "
          + "predicate's own closures")
    }
  }

  private typealias Part = any StandardPredicateExpression<Bool>

  private static func not(_ part: Part) -> Part {
    func open(_ part: some StandardPredicateExpression<Bool>) -> Part { PredicateExpressions.build_Negation(part) }
    return open(part)
  }

  private static func join(_ one: Part, _ other: Part, isAll: Bool) -> Part {
    func open(
      _ one: some StandardPredicateExpression<Bool>, _ other: some StandardPredicateExpression<Bool>
    ) -> Part {
      isAll
        ? PredicateExpressions.build_Conjunction(lhs: one, rhs: other)
        : PredicateExpressions.build_Disjunction(lhs: one, rhs: other)
    }
    return open(one, other)
  }

  private static func test(_ input: PredicateExpressions.Variable<Oddment>, _ number: Int, isNot: Bool) -> Part {
    let k = PredicateExpressions.build_KeyPath(root: input, keyPath: \Oddment.k)
    return isNot
      ? PredicateExpressions.build_NotEqual(lhs: k, rhs: PredicateExpressions.build_Arg(number))
      : PredicateExpressions.build_Equal(lhs: k, rhs: PredicateExpressions.build_Arg(number))
  }

  /// Nested negations, as a program makes them that builds a predicate.
  private static func deep(_ depth: Int) -> Predicate<Oddment> {
    Predicate<Oddment> { input in (0..<depth).reduce(test(input, 3, isNot: false)) { part, _ in not(part) } }
  }

  @Test func `a too deep predicate is refused`() throws {
    for place in try OddPlace.all() {
      #expect(try place.context.fetchCount(FetchDescriptor(predicate: Self.deep(100))) == 1)
      // Too deep for the engine, so it is computed on models.
      #expect(try place.context.fetchCount(FetchDescriptor(predicate: Self.deep(300))) == 1)
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try place.context.fetchCount(FetchDescriptor(predicate: Self.deep(700)))
      }
    }
  }

  @Test(arguments: [true, false]) func `a chain may be long`(isAll: Bool) throws {
    let predicate = Predicate<Oddment> { input in
      (1..<600).reduce(Self.test(input, 3, isNot: isAll)) {
        Self.join($0, Self.test(input, $1 % 8, isNot: isAll), isAll: isAll)
      }
    }
    for place in try OddPlace.all() {
      #expect(try place.context.fetchCount(FetchDescriptor(predicate: predicate)) == 8)
    }
  }

  // MARK: Protocols of models

  private static func named<Model: PersistentModel & HasName>(_ type: Model.Type, _ name: String) -> Predicate<Model> {
    #Predicate { $0.name == name && $0.size > 3 }
  }

  @Test func `properties of a protocol`() throws {
    for place in try OddPlace.all() {
      let all = try place.context.fetch(FetchDescriptor<Oddment>())
      for name in Set(all.map(\.name)) {
        let expected = all.filter { $0.name == name && $0.size > 3 }.count
        let predicate = Self.named(Oddment.self, name)
        #expect(try place.context.fetchCount(FetchDescriptor(predicate: predicate)) == expected)
      }
    }
  }
}

protocol HasName {
  var name: String { get }
  var size: Int { get }
}

extension Oddment: HasName {
  var size: Int { k }
  /// Not stored.
  var plain: Int { k < 0 ? 0 : min(k, 1) + 5 }
  var least: Int { .min }
}
