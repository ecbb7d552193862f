internal import RoostGraph
internal import RoostQuery
internal import RoostText

extension PersistentModel {
  /// Whether the texts of the class's `#FullText` match a question.
  ///
  /// ```swift
  /// let wall = #Predicate<Note> { $0.matches("\"berlin wall\" OR wende*") }
  /// let notes = try context.fetch(FetchDescriptor(predicate: wall))
  /// ```
  ///
  /// | Question | Finds models with |
  /// |---|---|
  /// | `berlin wall` | both words |
  /// | `berlin OR wall` | one of the words, or both |
  /// | `berlin NOT wall`, `berlin -wall` | the first word, and without the second |
  /// | `"berlin wall"` | the words side by side |
  /// | `wall*`, `"berlin wal"*` | words that begin so |
  /// | `NEAR(berlin wall, 5)` | both words, with at most 5 other words between them |
  /// | `title:berlin` | the word in the property `title` |
  ///
  /// In a predicate the store answers from its index, and an invalid question is an error. A direct
  /// call of this function searches the texts of the object; an invalid question matches nothing,
  /// and neither does a class without `#FullText`.
  public func matches(_ question: String) -> Bool {
    (try? FullTextTest(Self._$type, question))?.passes(self) ?? false
  }
}

/// Tests a question on the models of a class.
struct FullTextTest {
  let rules: FullTextRules
  private let question: TextQuestion

  /// Throws a fault if the question is not valid, or if the class declares no full text index.
  init(_ type: _ModelType, _ text: String) throws(ConditionFault) {
    guard let rules = FullTextRules.of(type) else {
      throw ConditionFault(
        .unknown, "\(type.name) has no #FullText for words: declare the properties to search in its class", in: text)
    }
    self.rules = rules
    do throws(TextQuestionFault) { question = try TextQuestion(text, for: rules.definition) } catch {
      throw ConditionFault(.badPattern, "\(error)", in: text)
    }
  }

  func passes(_ model: some PersistentModel) -> Bool { rules.definition.isMatch(texts: rules.texts(model), question) }
}
