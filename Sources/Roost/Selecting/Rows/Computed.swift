public import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A value that is computed from a model, for use as a column, a group key, a join key or in an
/// aggregate:
///
///     let year = Computed(\Bill.date) { Calendar.current.component(.year, from: $0) }
///     let totals = try context.aggregate(Bill.self, .count, .sum(\.total), by: \.[year])
///
///     let double = Computed(#Expression<Bill, Int> { $0.number * 2 })
///     let numbers = try context.select(Bill.self, \.number, \.[double])
///
/// No models are made. The engine computes an expression on rows if it knows all its parts. A
/// closure gets the stored value of its property. Make a `Computed` once, and use it for many
/// calls.
public final class Computed<Model: PersistentModel, Value>: Hashable, @unchecked Sendable {
  // Unchecked because expressions and key paths are not marked `Sendable`, although they never
  // change.
  let text: String
  /// Computes the value of a model. If Swift would end the program, this throws.
  let value: (Model) throws -> Value
  private let place: (EntityMap, GraphContext) -> Placed?
  /// Whether the engine computes it.
  private let isExpression: Bool

  /// The stored value that is read, and how to compute the result from it.
  struct Placed {
    var path: PlacedPath
    var read: (RoostRecords.Value) -> Value?
  }

  /// Makes a value that a closure computes from one property.
  ///
  /// The key path may end at a stored property, at a property of a stored struct, or at a property
  /// of a referenced model. The closure may run on any thread, and must return the same result for
  /// the same value.
  public init<Base>(_ keyPath: KeyPath<Model, Base>, _ compute: @escaping @Sendable (Base) -> Value) {
    let path = PathShelf.shared.path(keyPath)
    text = "a value of \(PathNames.text(keyPath))"
    isExpression = false
    value = { compute($0[keyPath: keyPath]) }
    place = { map, graph in
      guard let path, let found = PlacedPath(path, map, store: graph.store),
        let read = StoredReading.make(of: Base.self, path, at: found, in: graph.store)
      else { return nil }
      return Placed(path: found) { stored in read(stored).map(compute) }
    }
    ComputedPath.shared.add(self)
  }

  /// Makes a value that an expression computes.
  public init(_ expression: Foundation.Expression<Model, Value>) {
    let (variable, operand) = (expression.variable, Operand(expression.expression))
    let words = PredicateText(variable.key)
    text = words.text(operand)
    isExpression = true
    value = { model in
      try Walker(words).step(of: expression.expression, binding: variable).run(PredicateBindings((variable, model)))
    }
    place = { map, graph in
      let translator = Translator(map, graph, variable: variable.key)
      guard let condition = try? translator.value(of: operand), let catalog = try? graph.session.catalog(),
        let decode = ValueDecoding.decoder(of: Value.self), TypeFacts.isStorable(TypeFacts.whole(Value.self))
      else { return nil }
      var checker = Checker(catalog, map.entity.id)
      guard let kind = try? checker.term(condition).kind else { return nil }
      return Placed(path: PlacedPath(computed: condition, kind: kind, passes: translator.passed), read: decode)
    }
    ComputedPath.shared.add(self)
  }

  deinit { ComputedPath.shared.remove(self) }

  func placed(_ map: EntityMap, _ graph: GraphContext) -> Placed? { place(map, graph) }

  public static func == (one: Computed, other: Computed) -> Bool { one === other }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Computed: AnyComputed {
  func measured(_ map: EntityMap, _ graph: GraphContext) -> PlacedPath? { isExpression ? place(map, graph)?.path : nil }
}

extension PersistentModel {
  /// The computed value of this model. As a key path, `\.[year]`, it is a column for calls that
  /// select, group or join.
  ///
  /// If an expression overflows, this subscript ends the program, like the same arithmetic in
  /// Swift. A call of the context throws instead.
  public subscript<Value>(_ computed: Computed<Self, Value>) -> Value {
    do { return try computed.value(self) } catch {
      preconditionFailure("\(computed.text) cannot be computed: \(error)")
    }
  }
}

/// Reads key paths of models.
enum ModelReading {
  /// Returns a function that reads the values of a key path. It throws if a computed value would
  /// end the program.
  static func of<Model: PersistentModel, Value>(_ keyPath: KeyPath<Model, Value>) -> (Model) throws -> Value {
    if let computed = ComputedPath.find(in: keyPath) as? Computed<Model, Value> { return computed.value }
    return { $0[keyPath: keyPath] }
  }
}

extension PlacedPath {
  /// Returns the engine's form of a key path; nil if only the program can read it.
  init?(of keyPath: AnyKeyPath, _ path: PropertyPath?, in map: EntityMap, graph: GraphContext) {
    if let computed = ComputedPath.find(in: keyPath) {
      guard let found = computed.measured(map, graph) else { return nil }
      self = found
    } else {
      guard let path, let found = PlacedPath(path, map, store: graph.store) else { return nil }
      self = found
    }
  }
}
