internal import RoostFile
internal import RoostRecords

/// The rows that a full text index finds for one question. The search runs when they are first
/// needed.
///
/// The answer belongs to its ground: plans and programs over one ground share it.
final class SearchAnswer {
  let reader: FullTextReader
  let search: RowSearch
  let text: String
  private let question: FullTextQuestion
  // Unchecked exclusivity: one thread uses the ground, and no code of users runs inside.
  @exclusivity(unchecked) private var found: RowSet?
  @exclusivity(unchecked) private var ranks: [RowID: Double] = [:]
  @exclusivity(unchecked) private var guess: Int?

  init(_ reader: FullTextReader, _ search: RowSearch, text: String) throws {
    self.reader = reader
    self.search = search
    self.text = text
    do throws(FullTextFault) { question = try reader.question(text) } catch {
      throw ConditionFault(.badPattern, error.detail, in: Describer.text(.string(text)))
    }
  }

  /// An estimate of the number of matching rows. It reads no row.
  func estimate() throws -> Int {
    if let guess { return guess }
    let guess = try reader.estimate(question)
    self.guess = guess
    return guess
  }

  func contains(_ row: RowID) throws -> Bool {
    // Does not copy the set, which would cost reference counting for each row.
    if found == nil { found = try makeSet() }
    return found?.contains(row) ?? false
  }

  /// All rows as a set.
  func set() throws -> RowSet {
    if let found { return found }
    let rows = try makeSet()
    found = rows
    return rows
  }

  private func makeSet() throws -> RowSet {
    var rows = RowSet()
    try reader.forEach(question) { row in
      rows.insert(row)
      return true
    }
    rows.settle()
    return rows
  }

  /// The exact number of matching rows.
  func count() throws -> Int { try reader.count(question) }

  /// Calls `body` with each row, in any order, until it returns false; returns whether it reached
  /// the end.
  func forEach(_ body: (RowID) throws -> Bool) throws -> Bool {
    var isWhole = true
    try reader.forEach(question) { row in
      isWhole = try body(row)
      return isWhole
    }
    return isWhole
  }

  /// The negated score; 0 if the row does not match.
  func rank(_ row: RowID) throws -> Double {
    if let known = ranks[row] { return known }
    let score = try reader.score(row, question, weights: search.weights)
    let rank = score.map { -$0 } ?? 0
    note(row, rank)
    return rank
  }

  /// The best rows, at most `most`, the best first. Rows with equal ranks follow their numbers.
  func best(_ most: Int) throws -> [RowID] {
    let rows = try reader.best(question, most, weights: search.weights)
    for (row, score) in rows { note(row, -score) }
    return rows.map(\.row)
  }

  /// At most this many ranks are kept.
  private static let mostRanks = 4_000_000

  private func note(_ row: RowID, _ rank: Double) {
    if ranks.count < Self.mostRanks { ranks[row] = rank }
  }
}

/// A cache of the most recent answers.
final class SearchAnswers {
  private static let most = 16

  // Unchecked exclusivity: one thread uses the ground, and `make` runs outside an access.
  @exclusivity(unchecked) private var known: [SearchAnswer] = []

  func answer(
    _ search: RowSearch, _ text: String, make: () throws -> SearchAnswer
  ) throws -> SearchAnswer {
    if let found = known.first(where: { $0.search == search && $0.text == text }) { return found }
    let answer = try make()
    if known.count == Self.most { known.removeFirst() }
    known.append(answer)
    return answer
  }
}
