internal import RoostFile
internal import RoostRecords

/// The answer of a full text index to one question. The rows are found when the first one is asked for.
///
/// It belongs to its ground: plans and programs over the same ground share it.
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

  /// About how many rows match. No row is looked at for it.
  func estimate() throws -> Int {
    if let guess { return guess }
    let guess = try reader.estimate(question)
    self.guess = guess
    return guess
  }

  func contains(_ row: RowID) throws -> Bool {
    // Not a copy of the set: that would count references at each row.
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

  /// How many rows match, exactly.
  func count() throws -> Int { try reader.count(question) }

  /// Calls `body` with each row, in any order, until it says false; returns whether it went to the end.
  func forEach(_ body: (RowID) throws -> Bool) throws -> Bool {
    var isWhole = true
    try reader.forEach(question) { row in
      isWhole = try body(row)
      return isWhole
    }
    return isWhole
  }

  /// The score with the sign turned over; 0 if the row does not match.
  func rank(_ row: RowID) throws -> Double {
    if let known = ranks[row] { return known }
    let score = try reader.score(row, question, weights: search.weights)
    let rank = score.map { -$0 } ?? 0
    note(row, rank)
    return rank
  }

  /// The best rows, at most so many, with the best one first. Rows of one rank follow their numbers.
  func best(_ most: Int) throws -> [RowID] {
    let rows = try reader.best(question, most, weights: search.weights)
    for (row, score) in rows { note(row, -score) }
    return rows.map(\.row)
  }

  /// More ranks are not kept.
  private static let mostRanks = 4_000_000

  private func note(_ row: RowID, _ rank: Double) {
    if ranks.count < Self.mostRanks { ranks[row] = rank }
  }
}

/// The answers that were asked for last.
final class SearchAnswers {
  private static let most = 16

  // Unchecked exclusivity: one thread uses the ground, and `make` runs outside of an access.
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
