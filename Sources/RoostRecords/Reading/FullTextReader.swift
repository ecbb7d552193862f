internal import RoostBytes
package import RoostFile
internal import RoostText
internal import RoostPages
internal import RoostTrees

/// One full text index in a snapshot, or at a moment of a transaction. It is used by one thread.
package final class FullTextReader {
  package let index: FullTextIndex
  /// Whether it covers all rows. Plans use complete indexes only.
  package let isWhole: Bool
  private let definition: TextIndex
  private let tree: ByteTree
  private let bond: ReadBond
  private var opened: TextIndexReader?
  /// The scorer of the last query.
  private var scorer: TextScorer?

  init(_ index: FullTextIndex, _ entity: Entity, tree: ByteTree, bond: ReadBond) {
    self.index = index
    isWhole = index.builtBelow == nil
    definition = index.definition(entity)
    self.tree = tree
    self.bond = bond
  }

  private func reader() throws(StoreError) -> TextIndexReader {
    try bond.check()
    if let opened { return opened }
    let reader = try TextIndexReader(definition, TextTree(tree, bond))
    opened = reader
    return reader
  }

  // MARK: Queries

  /// Parses a query.
  package func question(_ text: String) throws(FullTextFault) -> FullTextQuestion {
    try FullTextQuestion(text, definition)
  }

  /// The number of rows in the index.
  package var count: Int { get throws(StoreError) { try reader().statistics.rowCount } }

  /// The number of entries of the index's tree.
  package var entries: Int { Int(clamping: tree.root.count) }

  /// An estimate of the number of matching rows, without reading rows.
  package func estimate(_ question: FullTextQuestion) throws(StoreError) -> Int {
    try reader().estimate(question.question)
  }

  /// The number of matching rows.
  package func count(_ question: FullTextQuestion) throws(StoreError) -> Int {
    try reader().count(question.question)
  }

  /// Calls `body` with each matching row, in any order, until it returns false.
  package func forEach(_ question: FullTextQuestion, _ body: (RowID) throws -> Bool) throws {
    let matches = try reader().matches(question.question)
    while let row = try matches.next() {
      try bond.check()
      if try !body(try rowID(row)) { return }
    }
  }

  /// The best rows by BM25, at most `most`, the best first. Rows with equal scores are sorted by
  /// their numbers.
  package func best(
    _ question: FullTextQuestion, _ most: Int, weights: [Double]
  ) throws(StoreError) -> [(row: RowID, score: Double)] {
    let found = try reader().searchRanked(question.question, limit: most, weights: padded(weights))
    var rows: [(row: RowID, score: Double)] = []
    rows.reserveCapacity(found.count)
    for one in found { rows.append((try rowID(one.row), one.score)) }
    return rows
  }

  /// The BM25 score of a row; nil if it does not match.
  package func score(_ row: RowID, _ question: FullTextQuestion, weights: [Double]) throws(StoreError) -> Double? {
    try scorer(question, padded(weights)).score(row: row.textNumber)
  }

  /// The score of texts that are not stored; nil if they do not match.
  package func score(
    texts: [String?], _ question: FullTextQuestion, weights: [Double]
  ) throws(StoreError) -> Double? {
    try scorer(question, padded(weights)).score(texts: texts)
  }

  private func scorer(_ question: FullTextQuestion, _ weights: [Double]) throws(StoreError) -> TextScorer {
    let reader = try reader()
    if let scorer, scorer.question == question.question, scorer.weights == weights { return scorer }
    let made = try TextScorer(reader, question.question, weights: weights)
    scorer = made
    return made
  }

  /// One weight for each field, or none.
  private func padded(_ weights: [Double]) -> [Double] {
    if weights.isEmpty { return [] }
    return definition.fields.indices.map { $0 < weights.count ? weights[$0] : 1 }
  }

  private func rowID(_ number: Int64) throws(StoreError) -> RowID {
    guard number > 0 else { throw FullTextWriter.damaged(index) }
    return RowID(UInt64(number))
  }
}
