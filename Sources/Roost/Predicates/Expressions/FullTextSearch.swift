public import Foundation
internal import RoostGraph

extension PredicateExpressions {
  /// `model.matches(question)` in a predicate: whether a model's full text matches.
  public struct FullTextSearch<Root: PredicateExpression, Question: PredicateExpression>: PredicateExpression
  where Root.Output: PersistentModel, Question.Output == String {
    public typealias Output = Bool

    /// The model whose texts are searched.
    public let root: Root
    /// The query, such as `berlin wall*`.
    public let question: Question

    /// Makes the part of a predicate. `#Predicate` calls `build_matches` instead.
    public init(root: Root, question: Question) {
      self.root = root
      self.question = question
    }

    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let model = try root.evaluate(bindings)
      return try FullTextTest(Self.type(of: model), question.evaluate(bindings)).passes(model)
    }

    static func type(of model: some PersistentModel) -> _ModelType { Swift.type(of: model)._$type }
  }

  /// Makes the part of a predicate for `model.matches(question)`.
  public static func build_matches<Root, Question>(
    _ root: Root, _ question: Question
  ) -> FullTextSearch<Root, Question> { FullTextSearch(root: root, question: question) }
}

extension PredicateExpressions.FullTextSearch: Sendable where Root: Sendable, Question: Sendable {}
extension PredicateExpressions.FullTextSearch: Encodable where Root: Encodable, Question: Encodable {}
extension PredicateExpressions.FullTextSearch: Decodable where Root: Decodable, Question: Decodable {}
extension PredicateExpressions.FullTextSearch: StandardPredicateExpression
where Root: StandardPredicateExpression, Question: StandardPredicateExpression {}

extension PredicateExpressions.FullTextSearch: Translatable {
  static func node(_ parts: Parts<Self>) -> ExpressionNode {
    .search(parts.operand(\.root), parts.operand(\.question))
  }

  func step(_ walker: Walker) throws -> AnyStep {
    let (root, question) = (try walker.step(of: root), try walker.step(of: question))
    // Consecutive models have the same class and the same query.
    var last: (type: _ModelType, text: String, test: FullTextTest)?
    return Step<Bool> { bindings in
      let (model, text) = (try root.run(bindings), try question.run(bindings))
      let type = Self.type(of: model)
      if let last, last.type === type, last.text == text { return last.test.passes(model) }
      let test = try FullTextTest(type, text)
      last = (type, text, test)
      return test.passes(model)
    }
  }
}
