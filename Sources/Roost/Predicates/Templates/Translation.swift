internal import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords

/// A predicate, split into the part that the engine tests on rows, and the tests for models.
///
/// Parts that are joined by `&&` are split separately. A part that the engine cannot express is
/// tested on models. After it, each part that could throw is tested on models too, because Swift
/// would not evaluate it if an earlier part is false.
struct Translation<Model: PersistentModel> {
  private(set) var condition: RoostQuery.Expression?
  private(set) var tests: [ModelTest<Model>] = []
  /// The entities whose rows the condition reads, besides the models' own.
  private(set) var passesThrough: [EntityMap] = []

  /// - Parameters:
  ///   - leaves: the predicate's values, if a template is made.
  ///   - unknown: numbers for rows that the working set does not have yet, for a question to
  ///     another store.
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

  /// Returns all parts as tests of models.
  static func tests(_ predicate: Predicate<Model>) -> [ModelTest<Model>] {
    Operand(predicate.expression).operands(of: .and).map { ModelTest($0, predicate.variable) }
  }
}
