import RoostFile

/// The documents that have one term, perhaps in certain fields only.
final class TermCursor: MatchCursor {
  private let postings: PostingCursor
  /// The fields that count; `nil` for all.
  private let fields: UInt32?
  private let fieldCount: Int
  private let ranking: Ranking?
  private let weight: Double

  init(_ postings: PostingCursor, fields: UInt32?, ranking: Ranking?, weight: Double) {
    self.postings = postings
    self.fields = fields
    self.ranking = ranking
    self.weight = weight
    fieldCount = postings.segment.fieldCount
    super.init(cost: postings.entry.documentCount)
  }

  override func move(to target: UInt32) throws(StoreError) -> UInt32 {
    try postings.advance(to: target)
    while let fields, postings.document != Self.end, !hasField(fields) {
      try postings.advance(to: postings.document + 1)
    }
    return postings.document
  }

  override func fill(_ batch: UnsafeMutablePointer<UInt32>, from target: UInt32) throws(StoreError) -> Int {
    if fields != nil { return try super.fill(batch, from: target) }
    try postings.advance(to: target)
    return postings.copyDocuments(to: batch)
  }

  override func keep(_ batch: UnsafeMutablePointer<UInt32>, _ count: Int) throws(StoreError) -> Int {
    if fields != nil { return try super.keep(batch, count) }
    let kept = try postings.keep(batch, count)
    setDocument(postings.document)
    return kept
  }

  override func mark(
    _ bits: UnsafeMutablePointer<UInt64>, from start: UInt32, to end: UInt32
  ) throws(StoreError) {
    if fields != nil { return try super.mark(bits, from: start, to: end) }
    try postings.advance(to: start)
    while postings.document < end {
      if try postings.markBlock(bits, from: start, to: end) { break }
    }
    setDocument(postings.document)
  }

  private func hasField(_ fields: UInt32) -> Bool {
    for field in 0..<fieldCount where fields >> UInt32(field) & 1 == 1 && postings.frequency(field: field) > 0 {
      return true
    }
    return false
  }

  override func score(length: Double) -> Double {
    guard let ranking else { return 0 }
    if fields == nil, ranking.weights == nil {
      return weight * ranking.score(Double(postings.frequency), length: length)
    }
    var frequency = 0.0
    for field in 0..<fieldCount where (fields ?? .max) >> UInt32(field) & 1 == 1 {
      frequency += Double(postings.frequency(field: field)) * (ranking.weights?[field] ?? 1)
    }
    return weight * ranking.score(frequency, length: length)
  }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    try postings.seekBlock(target)
    if postings.blockLast == Self.end { return (0, Self.end) }
    guard let ranking else { return (0, Self.end) }
    let frequency = Double(postings.blockGreatest) * ranking.greatestWeight
    let bound = weight * ranking.score(frequency, length: Double(postings.blockLeast))
    return (bound, postings.blockLast)
  }
}

/// The documents that have a term with a certain beginning. All of its lists are read when it is made.
final class PrefixCursor: MatchCursor {
  private let documents: PrefixDocuments
  private let ranking: Ranking?
  private let weight: Double

  init(_ documents: PrefixDocuments, ranking: Ranking?, weight: Double) {
    self.documents = documents
    self.ranking = ranking
    self.weight = weight
    super.init(cost: documents.postingCount)
  }

  override func move(to target: UInt32) throws(StoreError) -> UInt32 { documents.next(target) }

  override func fill(_ batch: UnsafeMutablePointer<UInt32>, from target: UInt32) throws(StoreError) -> Int {
    var count = 0
    var next = documents.next(target)
    while next != Self.end, count < Self.batchCount {
      batch[count] = next
      count &+= 1
      next = documents.next(next &+ 1)
    }
    return count
  }

  override func score(length: Double) -> Double {
    guard let ranking else { return 0 }
    return weight * ranking.score(Double(documents.frequencies[Int(document)]), length: length)
  }

  override func bound(from target: UInt32) throws(StoreError) -> (bound: Double, last: UInt32) {
    (weight * (Ranking.saturation + 1), Self.end)
  }
}
