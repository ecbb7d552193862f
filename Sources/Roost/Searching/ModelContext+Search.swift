public import Foundation
internal import RoostGraph
internal import RoostQuery
internal import RoostRecords
internal import RoostText

/// Full text search with ranking.
extension ModelContext {
  /// Finds the models that match a question, the best ones first:
  ///
  /// ```swift
  /// for found in try context.search(Note.self, for: "berlin wall*", weights: [\.title: 4], limit: 10) {
  ///   print(found.score, found.model.title, found.snippet(of: \.body).marked("*", "*"))
  /// }
  /// ```
  ///
  /// The class declares its texts with `#FullText`. ``PersistentModel/matches(_:)`` describes
  /// questions. Scores are computed by BM25: rare words count more than frequent ones, and a word
  /// in a short text counts more than in a long one. Models with equal scores are in the order of
  /// insertion. Models with unsaved changes are searched with their new texts.
  ///
  /// With a limit the store reads no more rows than it needs.
  ///
  /// `predicate` is another condition for the models. `weights` says how much a word in a property
  /// counts: 1 by default. Words in a property with weight 0 are found, but do not count.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if the question is not valid, or if the
  ///   class has no `#FullText`. ``RoostError`` with the code `badCondition` if the store has no
  ///   full text index. A store in PostgreSQL has none: fetch with ``PersistentModel/matches(_:)``
  ///   there.
  public func search<Model: PersistentModel>(
    _ model: Model.Type, for question: String, where predicate: Predicate<Model>? = nil,
    weights: [PartialKeyPath<Model>: Double] = [:], offset: Int = 0, limit: Int? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) throws -> [FullTextMatch<Model>] {
    let searched = Predicate<Model> { model in
      PredicateExpressions.build_matches(
        PredicateExpressions.build_Arg(model), PredicateExpressions.build_Arg(question))
    }
    let range = try RowRange(offset, limit)
    if range.isDone { return [] }
    var descriptor = FetchDescriptor(predicate: predicate.map { Predicate(all: [searched, $0]) } ?? searched)
    (descriptor.fetchOffset, descriptor.fetchLimit) = (offset, limit)
    return try state.traced(.fetch, descriptor, place: (fileID, line), note: { $1.found = $0.count }) {
      try state.call(.fetching) {
        try SearchRun(FetchRun(descriptor, state), question, weights: weights).matches()
      }
    }
  }
}

/// One search with ranking.
private struct SearchRun<Model: PersistentModel> {
  private let run: FetchRun<Model>
  private let question: String
  private let rules: FullTextRules
  private let weights: [Double]

  init(_ run: FetchRun<Model>, _ question: String, weights: [PartialKeyPath<Model>: Double]) throws {
    (self.run, self.question) = (run, question)
    // An invalid question is detected without reading a row.
    rules = try FullTextTest(Model._$type, question).rules
    var list = rules.definition.fields.map { _ in 1.0 }
    for (keyPath, weight) in weights {
      let property = "\(Model._$type.name).\(Schema.names([keyPath])[0])"
      guard let place = rules.place(of: keyPath) else {
        throw RoostError(.badValue, "\(property) has a weight, and #FullText does not name it: leave the weight out")
      }
      guard weight >= 0, weight <= Self.greatestWeight else {
        throw RoostError(.badValue, "the weight of \(property) is \(weight): give 0 to \(Int(Self.greatestWeight))")
      }
      list[place] = weight
    }
    self.weights = list
  }

  private static var greatestWeight: Double { 1_000_000 }

  func matches() throws -> [FullTextMatch<Model>] {
    var part = try run.part().plain
    guard let index = try part.graph.session.catalog().textIndex(.words, of: part.map) else {
      throw RoostError(
        .badCondition,
        "the store of \(Model._$type.name) has no full text index, so a search with ranking is not possible. A child "
          + "context, a store in PostgreSQL and an old store that is only read have none: "
          + "fetch with #Predicate { $0.matches(…) }, or open an old store once to write"
      )
    }
    let search = RowSearch(index.id, weights: weights)
    part.orders = [Order(.rank(search, .row, .constant(.string(question), .plain(.string))))]
    let isAlone = part.isEngines
    let models =
      isAlone
      ? try part.graph.fetch(
        part.query(isSorted: true, offset: run.offset, limit: run.limit), part.map, as: Model.self)
      : try run.stored(part)
    // The fetch may have moved to a newer state.
    let ground = try part.graph.session.ground()
    let found = try models.map { model in
      try match(model, ground.score(search, question, index: index, row: RowID(model._$state.row)))
    }
    if isAlone { return found }
    guard let reader = try ground.table(index.entity).text(index.id) else { return found }
    let asked = try reader.question(question)
    let pending = try part.pending.map { model in
      try match(model, reader.score(texts: rules.texts(model), asked, weights: weights) ?? 0)
    }
    let all = (found + pending).sorted { one, other in
      (-one.score, one.model._$state.row) < (-other.score, other.model._$state.row)
    }
    return Array(all.dropFirst(run.offset).prefix(run.limit ?? .max))
  }

  private func match(_ model: Model, _ score: Double) -> FullTextMatch<Model> {
    FullTextMatch(model, score: score, question: question, rules: rules)
  }
}
