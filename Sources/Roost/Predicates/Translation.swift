internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A predicate, taken apart: what the engine tests on rows, and what is left to be tested on models.
///
/// The parts that are joined by `&&` go their own ways. One that the engine has no words for is computed by Foundation, and then so
/// is every later one that could be at fault, since it would not be asked where an earlier one says no.
struct Translation<Model: PersistentModel> {
  private(set) var condition: RoostQuery.Expression?
  private(set) var tests: [ModelTest<Model>] = []
  /// The entities whose rows the condition looks at, beside the models' own.
  private(set) var passesThrough: [EntityMap] = []

  /// - Parameter leaves: where a template is made, what it knows of the predicate's values.
  init(
    _ predicate: Predicate<Model>, _ map: EntityMap, _ graph: GraphContext, _ leaves: TemplateLeaves? = nil
  ) throws {
    let catalog = try graph.catalog()
    for part in Self.conjuncts(predicate.expression) {
      let translator = Translator(map, graph, predicate.variable.key, leaves)
      guard let found = try? translator.condition(part),
        (try? Checker.condition(found, catalog, map.entity.id)) != nil, tests.isEmpty || found.isFaultless
      else {
        tests.append(ModelTest(part, predicate.variable))
        continue
      }
      condition = condition.map { $0 && found } ?? found
      for other in translator.passed where !passesThrough.contains(where: { $0 === other }) {
        passesThrough.append(other)
      }
    }
  }

  /// All parts, as tests of models.
  static func tests(_ predicate: Predicate<Model>) -> [ModelTest<Model>] {
    conjuncts(predicate.expression).map { ModelTest($0, predicate.variable) }
  }

  private static func conjuncts(_ whole: any PredicateExpression<Bool>) -> [any PredicateExpression<Bool>] {
    var parts: [any PredicateExpression<Bool>] = []
    var waiting = [whole]
    while let next = waiting.popLast() {
      if let sides = (next as? any JoinedExpression)?.sides {
        waiting.append(sides.1)
        waiting.append(sides.0)
      } else {
        parts.append(next)
      }
    }
    return parts
  }
}

/// Two expressions that must both be true.
protocol JoinedExpression {
  var sides: (any PredicateExpression<Bool>, any PredicateExpression<Bool>) { get }
}

extension PredicateExpressions.Conjunction: JoinedExpression {
  var sides: (any PredicateExpression<Bool>, any PredicateExpression<Bool>) { (lhs, rhs) }
}

/// A part of a predicate, computed by Foundation.
struct ModelTest<Model: PersistentModel>: CustomStringConvertible {
  private let expression: any PredicateExpression<Bool>
  private let variable: PredicateExpressions.Variable<Model>

  init(_ expression: any PredicateExpression<Bool>, _ variable: PredicateExpressions.Variable<Model>) {
    self.expression = expression
    self.variable = variable
  }

  var description: String { "\(expression)" }

  func passes(_ model: Model) throws -> Bool {
    do { return try expression.evaluate(PredicateBindings((variable, model))) } catch {
      throw SwiftDataError.unsupportedPredicate.about("\(error), in \(expression)", error)
    }
  }
}
