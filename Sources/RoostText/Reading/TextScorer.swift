package import RoostFile

/// Gives the scores of one question. To make one, the rows of each term are counted, so one serves for many rows.
package final class TextScorer {
  package let question: TextQuestion
  package let weights: [Double]
  private let run: QuestionRun
  private let ranking: Ranking

  package init(
    _ reader: TextIndexReader, _ question: TextQuestion, weights: [Double] = []
  ) throws(StoreError) {
    (self.question, self.weights) = (question, weights)
    ranking = Ranking(reader.statistics, weights: weights)
    run = try QuestionRun(reader, question, ranking: ranking)
  }

  /// The score of one row; `nil` if the row does not match or is not in the index.
  package func score(row: Int64) throws(StoreError) -> Double? { try run.reader.place(row, run) }

  /// The score of texts that are not in the index, with the index's statistics; `nil` if they do not match.
  package func score(texts: [String?]) -> Double? {
    let match = LooseMatch(texts: texts, run.loose, TextScanner(run.reader.index.analyzer))
    return match.meets(run.condition) ? match.score(run.condition, ranking, weight: run.weight) : nil
  }
}
