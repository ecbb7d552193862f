internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A predicate, taken apart: what the engine tests on rows, and what is left to be tested on models.
///
/// The parts that are joined by `&&` go their own ways. One that the engine has no words for is computed on models, and then so
/// is every later one that could be at fault, since it would not be asked where an earlier one says no.
struct Translation<Model: PersistentModel> {
  private(set) var condition: RoostQuery.Expression?
  private(set) var tests: [ModelTest<Model>] = []
  /// The entities whose rows the condition looks at, beside the models' own.
  private(set) var passesThrough: [EntityMap] = []

  /// - Parameters:
  ///   - leaves: where a template is made, what it knows of the predicate's values.
  ///   - unknown: numbers for rows that the working set does not have yet, where another store is asked.
  init(
    _ predicate: Predicate<Model>, _ map: EntityMap, graph: GraphContext, leaves: TemplateLeaves? = nil,
    unknown: QuestionRows? = nil
  ) throws {
    let catalog = try graph.session.catalog()
    for part in Operand(predicate.expression).operands(of: .and) {
      let translator = Translator(map, graph, variable: predicate.variable.key, leaves: leaves, unknown: unknown)
      guard let found = try? translator.condition(part),
        (try? Checker.condition(found, catalog, entity: map.entity.id)) != nil, tests.isEmpty || found.isFaultless
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
    Operand(predicate.expression).operands(of: .and).map { ModelTest($0, predicate.variable) }
  }
}
