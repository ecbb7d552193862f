package import RoostFile

/// Searches by rank.
extension TextIndexReader {
  /// The best rows by BM25, the best first; equal scores in the order of row numbers.
  ///
  /// - Parameter weights: one factor for each field; empty for 1 everywhere.
  package func searchRanked(
    _ question: TextQuestion, limit: Int, weights: [Double] = []
  ) throws(StoreError) -> [RankedRow] {
    if limit <= 0 { return [] }
    let ranking = Ranking(statistics, weights: weights)
    let run = try QuestionRun(self, question, ranking: ranking)
    var best = BestRows(limit: limit)
    for place in segments.indices {
      guard let cursor = try run.cursor(segment: place) else { continue }
      try collect(cursor, segments[place], into: &best)
    }
    for match in run.looseMatches {
      best.add(RankedRow(row: match.row, score: match.score(run.condition, ranking, weight: run.weight)))
    }
    return best.sorted()
  }

  /// Adds the best rows of a segment. Documents between two blocks are skipped if none of them can enter.
  private func collect(
    _ cursor: MatchCursor, _ segment: SegmentReader, into best: inout BestRows
  ) throws(StoreError) {
    let deleted = try segment.deleted()
    var target: UInt32 = 0
    /// The bound is known up to this document.
    var (bound, last): (Double, UInt32) = (.infinity, 0)
    var isKnown = false
    while true {
      if best.isFull {
        if !isKnown || target > last {
          (bound, last) = try cursor.bound(from: target)
          isKnown = true
        }
        // The order of additions may change the rounding of the sum.
        if bound * 1.000_000_1 < best.threshold {
          if last >= UInt32(segment.documentCount) - 1 { return }
          target = last + 1
          continue
        }
      }
      try cursor.advance(to: target)
      let document = cursor.document
      if document == MatchCursor.end { return }
      if best.isFull, document > last {
        target = document
        continue
      }
      target = document + 1
      if SegmentReader.has(deleted, document) { continue }
      let score = cursor.score(length: Double(try segment.length(document)))
      if score >= best.threshold { best.add(RankedRow(row: try segment.row(document), score: score)) }
    }
  }

  /// The score of one row; `nil` if the row does not match or is not in the index.
  package func score(
    row: Int64, _ question: TextQuestion, weights: [Double] = []
  ) throws(StoreError) -> Double? { try TextScorer(self, question, weights: weights).score(row: row) }

  /// The score of texts that are not in the index, with the index's statistics; `nil` if they do not match.
  package func score(
    texts: [String?], _ question: TextQuestion, weights: [Double] = []
  ) throws(StoreError) -> Double? { try TextScorer(self, question, weights: weights).score(texts: texts) }

  /// The score of a row for a question, 0 without a ranking; `nil` if it does not match.
  func place(_ row: Int64, _ run: QuestionRun) throws(StoreError) -> Double? {
    for (place, segment) in segments.enumerated() {
      guard let document = try segment.document(of: row), !SegmentReader.has(try segment.deleted(), document) else {
        continue
      }
      guard let cursor = try run.cursor(segment: place) else { return nil }
      try cursor.advance(to: document)
      if cursor.document != document { return nil }
      return cursor.score(length: Double(try segment.length(document)))
    }
    guard header.loose.contains(where: { $0.row == row }) else { return nil }
    if let ranking = run.ranking {
      let match = run.looseMatches.first { $0.row == row }
      return match?.score(run.condition, ranking, weight: run.weight)
    }
    var isMatch = false
    try visitLoose { (entry, value) throws(StoreError) in
      guard entry.row == row else { return }
      isMatch = try LooseMatch(value, run.loose, fieldCount: index.fields.count).meets(run.condition)
    }
    return isMatch ? 0 : nil
  }
}

/// The best rows so far: a heap whose first row is the worst one.
struct BestRows {
  let limit: Int
  private var heap: [RankedRow] = []

  init(limit: Int) { self.limit = limit }

  var isFull: Bool { heap.count == limit }
  /// A row with a lower score does not enter.
  var threshold: Double { isFull ? heap[0].score : -.infinity }

  private static func isWorse(_ one: RankedRow, _ other: RankedRow) -> Bool {
    one.score != other.score ? one.score < other.score : one.row > other.row
  }

  mutating func add(_ row: RankedRow) {
    if heap.count < limit {
      heap.append(row)
      var place = heap.count - 1
      while place > 0, Self.isWorse(heap[place], heap[(place - 1) / 2]) {
        heap.swapAt(place, (place - 1) / 2)
        place = (place - 1) / 2
      }
      return
    }
    guard Self.isWorse(heap[0], row) else { return }
    heap[0] = row
    var place = 0
    while true {
      var least = place
      for child in [place * 2 + 1, place * 2 + 2] where child < heap.count && Self.isWorse(heap[child], heap[least]) {
        least = child
      }
      if least == place { return }
      heap.swapAt(place, least)
      place = least
    }
  }

  func sorted() -> [RankedRow] { heap.sorted { Self.isWorse($1, $0) } }
}
