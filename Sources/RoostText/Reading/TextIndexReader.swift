package import RoostFile

/// Searches a text index as its entries are at one moment.
///
/// A reader belongs to one thread. It reads the list of segments when it is made, so the entries must not change while
/// it is used; make a new reader after a change. Making one costs two small reads.
package final class TextIndexReader {
  package let index: TextIndex
  let entries: any TextEntries
  /// Exact counts.
  package let statistics: TextStatistics

  /// An index without entries is empty.
  package init(_ index: TextIndex, _ entries: any TextEntries) throws(StoreError) {
    self.index = index
    self.entries = entries
    statistics = TextStatistics(
      rowCount: 0, fieldLengths: index.fields.map { _ in 0 }, segmentCount: 0, looseCount: 0)
  }

  /// The rows that match, in no particular order, read step by step.
  package func matches(_ question: TextQuestion) throws(StoreError) -> TextMatches {
    TextMatches()
  }

  /// The numbers of all rows that match, in ascending order.
  package func search(_ question: TextQuestion) throws(StoreError) -> [Int64] {
    []
  }

  /// The number of rows that match.
  package func count(_ question: TextQuestion) throws(StoreError) -> Int {
    0
  }

  /// The best rows by BM25, the best first; equal scores in the order of row numbers.
  ///
  /// - Parameter weights: one factor for each field; empty for 1 everywhere.
  package func searchRanked(
    _ question: TextQuestion, limit: Int, weights: [Double] = []
  ) throws(StoreError) -> [RankedRow] {
    []
  }

  /// The score of one row; nil if the row does not match or is not in the index.
  package func score(
    row: Int64, _ question: TextQuestion, weights: [Double] = []
  ) throws(StoreError) -> Double? {
    nil
  }

  /// Whether one row matches.
  package func isMatch(row: Int64, _ question: TextQuestion) throws(StoreError) -> Bool {
    false
  }

  /// The score of texts that are not in the index, with the index's statistics; nil if they do not match.
  package func score(
    texts: [String?], _ question: TextQuestion, weights: [Double] = []
  ) throws(StoreError) -> Double? {
    nil
  }
}

extension TextIndex {
  /// Whether texts that are in no index match.
  package func isMatch(texts: [String?], _ question: TextQuestion) -> Bool {
    false
  }
}
