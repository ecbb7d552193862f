import RoostFile

/// The terms that a question asks for, in ascending order, for a pass over the terms of one text.
struct LooseTerms {
  struct Wanted: Hashable {
    var term: [UInt8]
    var isPrefix: Bool

    init(_ part: TextPhrase.Part) {
      term = part.term
      isPrefix = part.isPrefix
    }
  }

  let wanted: [Wanted]
  let numbers: [Wanted: Int]
  /// The indexes in `wanted` of whole terms and of prefixes.
  let whole: [Int]
  let prefixes: [Int]
  /// All indexes in `wanted`, those of the longest terms first: a long term is mostly a rare one.
  let longestFirst: [Int]
  /// Whether a text matches only if it has each term.
  let areAllNeeded: Bool

  init(_ condition: TextCondition) {
    var found: Set<Wanted> = []
    Self.collect(condition, into: &found)
    wanted = found.sorted { $0.term.lexicographicallyPrecedes($1.term) }
    numbers = Dictionary(uniqueKeysWithValues: wanted.enumerated().map { ($1, $0) })
    whole = wanted.indices.filter { [wanted] in !wanted[$0].isPrefix }
    prefixes = wanted.indices.filter { [wanted] in wanted[$0].isPrefix }
    longestFirst = wanted.indices.sorted { [wanted] in wanted[$0].term.count > wanted[$1].term.count }
    areAllNeeded = Self.areAllNeeded(condition)
  }

  private static func areAllNeeded(_ condition: TextCondition) -> Bool {
    switch condition {
    case .phrase, .near: return true
    case .all(let parts): return parts.allSatisfy { areAllNeeded($0) }
    case .nothing, .any, .without: return false
    }
  }

  /// The index of a whole term; nil if the question does not ask for it.
  func number(of term: UnsafeBufferPointer<UInt8>) -> Int? {
    var (low, high) = (0, whole.count)
    while low < high {
      let middle = (low + high) / 2
      let order = LooseMatch.compare(wanted[whole[middle]].term, term)
      if order == 0 { return whole[middle] }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  private static func collect(_ condition: TextCondition, into found: inout Set<Wanted>) {
    switch condition {
    case .nothing: break
    case .phrase(let phrase): for part in phrase.parts { found.insert(Wanted(part)) }
    case .near(let phrases, _): for phrase in phrases { for part in phrase.parts { found.insert(Wanted(part)) } }
    case .all(let parts), .any(let parts): for part in parts { collect(part, into: &found) }
    case .without(let one, let other):
      collect(one, into: &found)
      collect(other, into: &found)
    }
  }
}

/// One text or loose row, with the places of the terms that a question asks for.
struct LooseMatch {
  let terms: LooseTerms
  private(set) var row: Int64 = 0
  private(set) var length = 0
  /// For each term of `terms` its places, ascending.
  private(set) var places: [[UInt32]]

  /// Reads a loose row of the index.
  /// - Parameter findsAll: whether all terms are looked up in a row that lacks a needed one.
  init(
    _ value: UnsafeRawBufferPointer, _ terms: LooseTerms, fieldCount: Int, findsAll: Bool = false
  ) throws(StoreError) {
    self.terms = terms
    var found = terms.wanted.map { _ in [UInt32]() }
    var source = ByteSource(value)
    let head = try LooseDocument.Head(&source, fieldCount: fieldCount)
    row = head.row
    length = head.length
    // More terms are compared in one pass.
    if terms.wanted.count <= 4 {
      for number in terms.longestFirst {
        let wanted = terms.wanted[number]
        try LooseDocument.find(
          wanted.term, isPrefix: wanted.isPrefix, source, termCount: head.termCount, fieldCount: fieldCount,
          into: &found[number])
        if found[number].isEmpty, terms.areAllNeeded, !findsAll { break }
        if wanted.isPrefix { found[number].sort() }
      }
      places = found
      return
    }
    var list: [UInt32] = []
    var next = 0
    try LooseDocument.visitTerms(&source, termCount: head.termCount) { (term, source) throws(StoreError) in
      var isRead = false
      while next < terms.whole.count {
        let order = Self.compare(terms.wanted[terms.whole[next]].term, term)
        if order > 0 { break }
        if order == 0 {
          try LooseDocument.decodePlaces(&source, fieldCount: fieldCount, into: &list)
          found[terms.whole[next]] = list
          isRead = true
        }
        next += 1
        if order == 0 { break }
      }
      for prefix in terms.prefixes where term.starts(with: terms.wanted[prefix].term) {
        if !isRead { try LooseDocument.decodePlaces(&source, fieldCount: fieldCount, into: &list) }
        isRead = true
        found[prefix] += list
      }
      if !isRead { try LooseDocument.skipPlaces(&source) }
      return next < terms.whole.count || !terms.prefixes.isEmpty
    }
    for prefix in terms.prefixes { found[prefix].sort() }
    places = found
  }

  /// Negative if the first term is less.
  static func compare(_ one: [UInt8], _ other: UnsafeBufferPointer<UInt8>) -> Int {
    let count = min(one.count, other.count)
    var at = 0
    while at < count {
      if one[at] != other[at] { return Int(one[at]) - Int(other[at]) }
      at += 1
    }
    return one.count - other.count
  }

  /// Analyzes texts that are in no index.
  init(texts: [String?], _ terms: LooseTerms, _ scanner: TextScanner) {
    self.terms = terms
    places = terms.wanted.map { _ in [] }
    for (field, text) in texts.enumerated() {
      guard var text else { continue }
      text.withUTF8 { scanner.scan(UnsafeRawBufferPointer($0)) }
      length += scanner.count
      for place in 0..<scanner.count {
        let term = scanner.term(place)
        let at = UInt32(field) << 27 | scanner.marks[place].position
        if let number = terms.number(of: term) { places[number].append(at) }
        for number in terms.prefixes where term.starts(with: terms.wanted[number].term) { places[number].append(at) }
      }
    }
  }

  // MARK: Conditions

  private func starts(_ phrase: TextPhrase) -> PlaceList {
    let starts = PlaceList()
    for (place, part) in phrase.parts.enumerated() {
      guard let number = terms.numbers[LooseTerms.Wanted(part)] else {
        starts.clear()
        break
      }
      places[number].withUnsafeBufferPointer { places in
        if place == 0 {
          PhrasePlaces.begin(places, offset: part.offset, fields: phrase.fields, into: starts)
        } else {
          PhrasePlaces.keep(places, offset: part.offset, in: starts)
        }
      }
      if starts.count == 0 { break }
    }
    return starts
  }

  /// Whether the text meets a condition.
  func meets(_ condition: TextCondition) -> Bool {
    switch condition {
    case .nothing: return false
    case .phrase(let phrase): return starts(phrase).count > 0
    case .near(let phrases, let gap):
      let starts = phrases.map { self.starts($0) }
      if starts.contains(where: { $0.count == 0 }) { return false }
      return PhrasePlaces.areNear(starts.map { Array($0.places) }, phrases.map(\.length), gap: gap)
    case .all(let parts): return parts.allSatisfy { meets($0) }
    case .any(let parts): return parts.contains { meets($0) }
    case .without(let wanted, let excluded): return meets(wanted) && !meets(excluded)
    }
  }

  /// The score of the text; it meets the condition.
  func score(_ condition: TextCondition, _ ranking: Ranking, weight: (TextPhrase) -> Double) -> Double {
    switch condition {
    case .nothing: return 0
    case .phrase(let phrase):
      let starts = starts(phrase)
      let frequency = withExtendedLifetime(starts) { ranking.weighted(starts.places) }
      return weight(phrase) * ranking.score(frequency, length: Double(length))
    case .near(let phrases, _):
      return phrases.reduce(0) { $0 + score(.phrase($1), ranking, weight: weight) }
    case .all(let parts): return parts.reduce(0) { $0 + score($1, ranking, weight: weight) }
    case .any(let parts):
      return parts.reduce(0) { $0 + (meets($1) ? score($1, ranking, weight: weight) : 0) }
    case .without(let wanted, _): return score(wanted, ranking, weight: weight)
    }
  }
}
