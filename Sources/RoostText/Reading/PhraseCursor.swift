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

  /// See `PostingCursor.markPlaces`.
  @inline(__always)
  func markPlaces(
    _ bits: UnsafeMutablePointer<UInt64>, window: Int, fields: UInt32
  ) throws(StoreError) -> Int? {
    guard let postings else { return nil }
    let result = postings._withUnsafeGuaranteedRef { postings -> Result<Int?, StoreError> in
      do throws(StoreError) {
        return .success(try postings.markPlaces(bits, offset: offset, window: window, fields: fields))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
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
  private let fields: UInt32
  private let ranking: Ranking?
  private let weight: Double
  private let list = PlaceList()
  /// The positions of each field that have a bit; `nil` if a term is a prefix.
  private let window: Int?
  private let firstBits = UnsafeMutablePointer<UInt64>.allocate(capacity: PhraseCursor.bitCount / 64)
  private let nextBits = UnsafeMutablePointer<UInt64>.allocate(capacity: PhraseCursor.bitCount / 64)
  static let bitCount = 4096
  /// Where the phrase begins in the current document.
  let starts = PlaceList()

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
      if try findStarts() { return target }
      target += 1
    }
  }

  /// Finds where the phrase begins: with one bit for each place, because branches of a comparison would be mispredicted.
  private func findStarts() throws(StoreError) -> Bool {
    guard let window else { return try findStartsOfAny() }
    var used = Self.bitCount / 64
    var isFound = false
    for place in 0..<terms.count {
      let bits = place == 0 ? firstBits : nextBits
      guard let words = try terms[place].markPlaces(bits, window: window, fields: fields) else {
        clearBits()
        return try findStartsOfAny()
      }
      if place == 0 {
        used = words
        isFound = words > 0
      } else {
        var all: UInt64 = 0
        for word in 0..<words {
          // Words after `used` are 0 in one of them.
          let both = firstBits[word] & nextBits[word]
          firstBits[word] = both
          nextBits[word] = 0
          all |= both
        }
        if words < used {
          for word in words..<used { firstBits[word] = 0 }
        }
        used = min(used, words)
        isFound = all != 0
      }
      if !isFound { break }
    }
    starts.clear()
    for word in 0..<used {
      var rest = firstBits[word]
      firstBits[word] = 0
      while rest != 0 {
        let (field, position) = (word * 64 + rest.trailingZeroBitCount).quotientAndRemainder(dividingBy: window)
        starts.append(UInt32(truncatingIfNeeded: field) << 27 | UInt32(truncatingIfNeeded: position))
        rest &= rest - 1
      }
    }
    return isFound
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
