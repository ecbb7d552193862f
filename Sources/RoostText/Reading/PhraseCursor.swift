import RoostFile

/// One term of a phrase, with its places. The phrase keeps the object alive.
struct PlacedTerm {
  /// Either a posting list or the places of a prefix. Counting references would cost as much as the comparison.
  private let postings: Unmanaged<PostingCursor>?
  private let prefix: Unmanaged<PrefixPlaces>?
  let offset: Int
  let cost: Int

  init(_ postings: PostingCursor, offset: Int) {
    self.postings = .passUnretained(postings)
    prefix = nil
    self.offset = offset
    cost = postings.entry.documentCount
  }

  init(_ prefix: PrefixPlaces, offset: Int) {
    postings = nil
    self.prefix = .passUnretained(prefix)
    self.offset = offset
    cost = prefix.count
  }

  @inline(__always)
  func advance(to target: UInt32) throws(StoreError) -> UInt32 {
    if let postings {
      let failure = postings._withUnsafeGuaranteedRef { postings -> StoreError? in
        do throws(StoreError) { try postings.advance(to: target) } catch { return error }
        return nil
      }
      if let failure { throw failure }
      return postings._withUnsafeGuaranteedRef { $0.document }
    }
    return prefix?._withUnsafeGuaranteedRef { prefix in
      prefix.advance(to: target)
      return prefix.document
    } ?? MatchCursor.end
  }

  @inline(__always)
  func appendPlaces(to list: PlaceList) throws(StoreError) {
    if let postings {
      let failure = postings._withUnsafeGuaranteedRef { postings -> StoreError? in
        do throws(StoreError) { try postings.appendPlaces(to: list) } catch { return error }
        return nil
      }
      if let failure { throw failure }
    }
    prefix?._withUnsafeGuaranteedRef { $0.appendPlaces(to: list) }
  }

  var isPrefix: Bool { prefix != nil }

  /// The only place in the current document; ``PostingCursor/noPlace`` if there are more, or if the term is a prefix.
  @inline(__always)
  var singlePlace: UInt32 { postings?._withUnsafeGuaranteedRef { $0.singlePlace } ?? PostingCursor.noPlace }

  /// Sets one bit for each place, and returns the words that have bits; nil if a place is not below `window`.
  @inline(__always)
  func markPlaces(_ bits: UnsafeMutablePointer<UInt64>, window: Int, fields: UInt32) -> (low: Int, high: Int)? {
    guard let postings else { return nil }
    var (low, high) = (Int.max, 0)
    let isWhole = postings._withUnsafeGuaranteedRef { postings in
      postings.visitBits(offset: offset, window: window, fields: fields) { bit in
        let word = bit >> 6
        bits[word] |= 1 << UInt64(truncatingIfNeeded: bit & 63)
        // Places ascend.
        if low == .max { low = word }
        high = word &+ 1
      }
    }
    if !isWhole { return nil }
    return high == 0 ? (0, 0) : (low, high)
  }

  /// See `PostingCursor.isFollowed`.
  @inline(__always)
  func isFollowed(by other: PlacedTerm, fields: UInt32, bits: UnsafeMutablePointer<UInt64>) -> Bool? {
    guard let postings, let others = other.postings else { return nil }
    return postings._withUnsafeGuaranteedRef { postings in
      others._withUnsafeGuaranteedRef { others in
        postings.isFollowed(by: others, distance: other.offset &- offset, least: offset, fields: fields, bits: bits)
      }
    }
  }

  /// Moves a posting list within its block.
  @inline(__always)
  func select(_ posting: Int) { postings?._withUnsafeGuaranteedRef { $0.select(posting) } }

  /// The last document of the block of a posting list.
  @inline(__always)
  var blockLast: UInt32 { postings?._withUnsafeGuaranteedRef { $0.blockLast } ?? MatchCursor.end }

  /// The current block of a posting list: see `PostingCursor.block`.
  var block: (documents: UnsafePointer<UInt32>, first: Int, count: Int)? {
    postings?._withUnsafeGuaranteedRef { $0.block }
  }

  /// No document from `target` to `last` has the term more often than `greatest` times, or fewer terms than `least`.
  func bound(from target: UInt32) throws(StoreError) -> (greatest: Double, least: Double, last: UInt32) {
    guard let postings = postings?.takeUnretainedValue() else { return (.infinity, 0, MatchCursor.end) }
    try postings.seekBlock(target)
    if postings.blockLast == MatchCursor.end { return (0, 0, MatchCursor.end) }
    return (Double(postings.blockGreatest), Double(postings.blockLeast), postings.blockLast)
  }
}

/// The documents that have a phrase: its terms at their distances, in one field.
final class PhraseCursor: MatchCursor {
  private let terms: UnsafeMutableBufferPointer<PlacedTerm>
  private let owners: [AnyObject]
  /// The documents to compare; `nil` if a term is a prefix.
  private let candidates: PhraseCandidates?
  private let fields: UInt32
  private let ranking: Ranking?
  private let weight: Double
  private let list = PlaceList()
  /// The positions of each field that have a bit; `nil` if a term is a prefix.
  private let window: Int?
  private let firstBits = UnsafeMutablePointer<UInt64>.allocate(capacity: PhraseCursor.bitCount / 64)
  private let nextBits = UnsafeMutablePointer<UInt64>.allocate(capacity: PhraseCursor.bitCount / 64)
  static let bitCount = 4096
  /// The positions at which the phrase begins in the current document. Not filled for a plain
  /// count: see ``keepsStarts``.
  let starts = PlaceList()
  /// Whether `starts` is needed although there is no ranking.
  var keepsStarts = false

  /// - Parameter owners: the objects that `terms` refer to.
  init(
    _ terms: [PlacedTerm], owners: [AnyObject], fields: UInt32, fieldCount: Int, ranking: Ranking?, weight: Double
  ) {
    self.owners = owners
    self.terms = .allocate(capacity: terms.count)
    _ = self.terms.initialize(from: terms.sorted { $0.cost < $1.cost })
    self.fields = fields
    self.ranking = ranking
    self.weight = weight
    let isPlain = terms.allSatisfy { !$0.isPrefix }
    window = isPlain ? Self.bitCount / fieldCount & ~63 : nil
    candidates = isPlain ? PhraseCandidates(UnsafeBufferPointer(self.terms)) : nil
    super.init(cost: self.terms[0].cost)
    clearBits()
  }

  deinit {
    firstBits.deallocate()
    nextBits.deallocate()
    terms.deinitialize()
    terms.deallocate()
  }

  override func move(to target: UInt32) throws(StoreError) -> UInt32 {
    guard let candidates else { return try moveAny(to: target) }
    while true {
      while let document = candidates.next(from: target) {
        if try findStarts() { return document }
      }
      if try !candidates.fill(from: target) { return Self.end }
    }
  }

  /// Moves the terms one document after the other, because a prefix has no blocks.
  private func moveAny(to target: UInt32) throws(StoreError) -> UInt32 {
    var target = target
    search: while true {
      target = try terms[0].advance(to: target)
      if target == Self.end { return target }
      for place in 1..<terms.count {
        let found = try terms[place].advance(to: target)
        if found != target {
          if found == Self.end { return found }
          target = found
          continue search
        }
      }
      if try findStartsOfAny() { return target }
      target += 1
    }
  }

  /// Finds the positions at which the phrase begins. It sets one bit for each place, because
  /// branches of a comparison would be mispredicted.
  private func findStarts() throws(StoreError) -> Bool {
    guard let window else { return try findStartsOfAny() }
    if terms.count == 2, ranking == nil, !keepsStarts,
      let isFound = terms[0].isFollowed(by: terms[1], fields: fields, bits: firstBits)
    {
      return isFound
    }
    if let isSingle = findSingleStart() { return isSingle }
    guard var used = terms[0].markPlaces(firstBits, window: window, fields: fields) else {
      clearBits()
      return try findStartsOfAny()
    }
    for place in 1..<terms.count where used.high > used.low {
      guard let words = terms[place].markPlaces(nextBits, window: window, fields: fields) else {
        clearBits()
        return try findStartsOfAny()
      }
      let both = (low: max(used.low, words.low), high: min(used.high, words.high))
      for word in used.low..<used.high where word < both.low || word >= both.high { firstBits[word] = 0 }
      if both.low < both.high { for word in both.low..<both.high { firstBits[word] &= nextBits[word] } }
      for word in words.low..<words.high { nextBits[word] = 0 }
      used = both.low < both.high ? both : (0, 0)
    }
    starts.clear()
    for word in used.low..<used.high {
      var rest = firstBits[word]
      firstBits[word] = 0
      while rest != 0 {
        let (field, position) = (word * 64 + rest.trailingZeroBitCount).quotientAndRemainder(dividingBy: window)
        starts.append(UInt32(truncatingIfNeeded: field) << 27 | UInt32(truncatingIfNeeded: position))
        rest &= rest - 1
      }
    }
    return starts.count > 0
  }

  /// Compares places if each term has exactly one; nil if a term has more. This is the usual case.
  private func findSingleStart() -> Bool? {
    var start = PostingCursor.noPlace
    for term in UnsafeBufferPointer(terms) {
      let place = term.singlePlace
      if place == PostingCursor.noPlace { return nil }
      let offset = UInt32(truncatingIfNeeded: term.offset)
      if TextPlace.position(place) < offset { return false }
      if start == PostingCursor.noPlace {
        if fields >> UInt32(TextPlace.field(place)) & 1 == 0 { return false }
        start = place &- offset
      } else if place &- offset != start {
        return false
      }
    }
    starts.clear()
    starts.append(start)
    return true
  }

  private func clearBits() {
    firstBits.update(repeating: 0, count: Self.bitCount / 64)
    nextBits.update(repeating: 0, count: Self.bitCount / 64)
  }

  /// Finds the beginnings in texts of any length, and for prefixes.
  private func findStartsOfAny() throws(StoreError) -> Bool {
    for place in 0..<terms.count {
      list.clear()
      try terms[place].appendPlaces(to: list)
      if place == 0 {
        PhrasePlaces.begin(list.places, offset: terms[place].offset, fields: fields, into: starts)
      } else {
        PhrasePlaces.keep(list.places, offset: terms[place].offset, in: starts)
      }
      if starts.count == 0 { return false }
    }
    return true
  }

  override func score(length: Double) -> Double {
    guard let ranking else { return 0 }
    return weight * ranking.score(ranking.weighted(starts.places), length: length)
  }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    guard let ranking else { return (0, Self.end) }
    var (greatest, least, end) = (Double.infinity, 0.0, Self.end)
    for term in terms {
      let bound = try term.bound(from: target)
      (greatest, least, end) = (min(greatest, bound.greatest), max(least, bound.least), min(end, bound.last))
    }
    if greatest == .infinity { return (weight * (Ranking.saturation + 1), end) }
    return (weight * ranking.score(greatest * ranking.greatestWeight, length: least), end)
  }
}

/// Documents that have several phrases near each other in one field.
final class NearCursor: MatchCursor {
  private let phrases: [PhraseCursor]
  private let lengths: [Int]
  private let gap: Int
  private let all: AllCursor

  /// - Parameter lengths: the terms of each phrase.
  init(_ phrases: [PhraseCursor], lengths: [Int], gap: Int) {
    self.phrases = phrases
    self.lengths = lengths
    self.gap = gap
    all = AllCursor(phrases)
    for phrase in phrases { phrase.keepsStarts = true }
    super.init(cost: all.cost)
  }

  override func move(to target: UInt32) throws(StoreError) -> UInt32 {
    var target = target
    while true {
      try all.advance(to: target)
      let found = all.document
      if found == Self.end || PhrasePlaces.areNear(phrases.map(\.starts.places), lengths, gap: gap) { return found }
      target = found + 1
    }
  }

  override func score(length: Double) -> Double { all.score(length: length) }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    try all.bound(from: target)
  }
}
