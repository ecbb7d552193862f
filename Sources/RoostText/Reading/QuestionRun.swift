import RoostFile

/// One question to one reader: it weighs terms, finds loose rows, and makes cursors over segments.
final class QuestionRun {
  let reader: TextIndexReader
  let condition: TextCondition
  let ranking: Ranking?
  let loose: LooseTerms
  private var prefixes: [[PrefixKey: PrefixDocuments]]
  private var weights: [TextPhrase: Double] = [:]
  /// The loose rows that match, if there is a ranking.
  private(set) var looseMatches: [LooseMatch] = []

  private struct PrefixKey: Hashable {
    var prefix: [UInt8]
    var fields: UInt32?
  }

  init(_ reader: TextIndexReader, _ question: TextQuestion, ranking: Ranking?) throws(StoreError) {
    self.reader = reader
    self.ranking = ranking
    condition = question.condition
    prefixes = reader.segments.map { _ in [:] }
    loose = LooseTerms(question.condition)
    if ranking != nil { try weigh() }
  }

  // MARK: Weights

  /// Finds the exact number of rows of each term, the weight of each phrase that follows from it, and the loose rows that
  /// match.
  private func weigh() throws(StoreError) {
    guard let ranking else { return }
    var phrases: [TextPhrase] = []
    condition.forEachPhrase { phrases.append($0) }
    var counts: [LooseTerms.Wanted: Int] = [:]
    for wanted in Set(phrases.flatMap { $0.parts.map(LooseTerms.Wanted.init) }) {
      var count = 0
      for place in reader.segments.indices { count += try rowCount(wanted, segment: place) }
      counts[wanted] = count
    }
    var looseCounts = [Int](repeating: 0, count: loose.wanted.count)
    try reader.visitLoose { (_, value) throws(StoreError) in
      let document = try LooseMatch(value, loose, fieldCount: reader.index.fields.count, findsAll: true)
      for place in looseCounts.indices where !document.places[place].isEmpty { looseCounts[place] += 1 }
      if document.meets(condition) { looseMatches.append(document) }
    }
    for (place, wanted) in loose.wanted.enumerated() { counts[wanted, default: 0] += looseCounts[place] }
    for phrase in phrases {
      weights[phrase] = phrase.parts.reduce(0) { sum, part in
        sum + ranking.inverseFrequency(counts[LooseTerms.Wanted(part), default: 0])
      }
    }
  }

  func weight(_ phrase: TextPhrase) -> Double { weights[phrase] ?? 0 }

  /// The rows of one segment that have a term. Deleted rows do not count.
  func rowCount(_ wanted: LooseTerms.Wanted, segment place: Int) throws(StoreError) -> Int {
    let segment = reader.segments[place]
    let deleted = try segment.deleted()
    if wanted.isPrefix { return try prefix(wanted.term, fields: nil, segment: place).count(without: deleted) }
    guard let entry = try entry(wanted.term, segment: place) else { return 0 }
    if deleted.isEmpty { return entry.documentCount }
    let postings = try PostingCursor(segment, entry)
    var count = entry.documentCount
    if entry.documentCount < segment.record.deletedCount * 8 {
      try postings.advance(to: 0)
      while postings.document != PostingCursor.end {
        if SegmentReader.has(deleted, postings.document) { count -= 1 }
        try postings.advance(to: postings.document + 1)
      }
      return count
    }
    for (place, word) in deleted.enumerated() {
      var rest = word
      while rest != 0 {
        let document = UInt32(place * 64 + rest.trailingZeroBitCount)
        try postings.advance(to: document)
        if postings.document == document { count -= 1 }
        if postings.document == PostingCursor.end { return count }
        rest &= rest - 1
      }
    }
    return count
  }

  // MARK: Lookups

  private func entry(_ term: [UInt8], segment: Int) throws(StoreError) -> TermEntry? {
    try reader.segments[segment].find(term)
  }

  private func prefix(_ prefix: [UInt8], fields: UInt32?, segment: Int) throws(StoreError) -> PrefixDocuments {
    let key = PrefixKey(prefix: prefix, fields: fields)
    if let known = prefixes[segment][key] { return known }
    let found = try PrefixDocuments(reader.segments[segment], prefix: prefix, fields: fields, ranking: ranking)
    prefixes[segment][key] = found
    return found
  }

  // MARK: Cursors

  /// The documents of a segment that match; `nil` if there are none.
  func cursor(segment: Int) throws(StoreError) -> MatchCursor? { try cursor(condition, segment) }

  private func cursor(_ condition: TextCondition, _ segment: Int) throws(StoreError) -> MatchCursor? {
    switch condition {
    case .nothing: return nil
    case .phrase(let phrase): return try phraseCursor(phrase, segment)
    case .near(let phrases, let gap):
      var cursors: [PhraseCursor] = []
      for phrase in phrases {
        guard let cursor = try placedCursor(phrase, segment) else { return nil }
        cursors.append(cursor)
      }
      return NearCursor(cursors, lengths: phrases.map(\.length), gap: gap)
    case .all(let parts):
      var cursors: [MatchCursor] = []
      for part in parts {
        guard let cursor = try cursor(part, segment) else { return nil }
        cursors.append(cursor)
      }
      return AllCursor(cursors)
    case .any(let parts):
      var cursors: [MatchCursor] = []
      for part in parts {
        if let cursor = try cursor(part, segment) { cursors.append(cursor) }
      }
      return cursors.count > 1 ? AnyCursor(cursors) : cursors.first
    case .without(let wanted, let excluded):
      guard let wanted = try cursor(wanted, segment) else { return nil }
      guard let excluded = try cursor(excluded, segment) else { return wanted }
      return WithoutCursor(wanted, excluded)
    }
  }

  private func phraseCursor(_ phrase: TextPhrase, _ segment: Int) throws(StoreError) -> MatchCursor? {
    if phrase.parts.count > 1 { return try placedCursor(phrase, segment) }
    let fields = phrase.fields == reader.index.allFields ? nil : phrase.fields
    let part = phrase.parts[0]
    if part.isPrefix {
      let documents = try prefix(part.term, fields: fields, segment: segment)
      return PrefixCursor(documents, ranking: ranking, weight: weight(phrase))
    }
    guard let entry = try entry(part.term, segment: segment) else { return nil }
    let postings = try PostingCursor(reader.segments[segment], entry)
    return TermCursor(postings, fields: fields, ranking: ranking, weight: weight(phrase))
  }

  private func placedCursor(_ phrase: TextPhrase, _ segment: Int) throws(StoreError) -> PhraseCursor? {
    var terms: [PlacedTerm] = []
    var owners: [AnyObject] = []
    let reader = reader.segments[segment]
    // All terms are looked up before a list is read.
    for part in phrase.parts where !part.isPrefix {
      if try entry(part.term, segment: segment) == nil { return nil }
    }
    for part in phrase.parts {
      if part.isPrefix {
        let places = try PrefixPlaces(reader, prefix: part.term)
        owners.append(places)
        terms.append(PlacedTerm(places, offset: part.offset))
      } else if let entry = try entry(part.term, segment: segment) {
        let postings = try PostingCursor(reader, entry)
        owners.append(postings)
        terms.append(PlacedTerm(postings, offset: part.offset))
      }
    }
    return PhraseCursor(
      terms, owners: owners, fields: phrase.fields, fieldCount: reader.fieldCount, ranking: ranking,
      weight: weight(phrase))
  }

  /// Whether the condition is one term in any field, so that its rows are counted already.
  var singleTerm: LooseTerms.Wanted? {
    guard case .phrase(let phrase) = condition, phrase.parts.count == 1, phrase.fields == reader.index.allFields else {
      return nil
    }
    return LooseTerms.Wanted(phrase.parts[0])
  }
}

extension TextPhrase {
  /// The number of positions from the first to the last part of the phrase.
  var length: Int { (parts.map(\.offset).max() ?? 0) + 1 }
}
