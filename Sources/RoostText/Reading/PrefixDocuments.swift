import RoostFile

/// All documents of a segment that have a term with a certain beginning.
final class PrefixDocuments {
  private(set) var bits: [UInt64]
  /// For each document the number of such terms, weighted by field; empty without a ranking.
  private(set) var frequencies: [Float] = []
  private(set) var postingCount = 0

  init(
    _ segment: SegmentReader, prefix: [UInt8], fields: UInt32?, ranking: Ranking?
  ) throws(StoreError) {
    try segment.checkSize()
    bits = [UInt64](repeating: 0, count: (segment.documentCount + 63) / 64)
    if ranking != nil { frequencies = [Float](repeating: 0, count: segment.documentCount) }
    let isPlain = fields == nil && ranking?.weights == nil
    try segment.visitTerms(prefix: prefix) { (_, entry) throws(StoreError) in
      postingCount += entry.documentCount
      let postings = try PostingCursor(segment, entry)
      var target: UInt32 = 0
      while true {
        try postings.advance(to: target)
        if postings.document == PostingCursor.end { break }
        if isPlain {
          let (found, counts) = postings.postings
          for document in found { bits[Int(document >> 6)] |= 1 << UInt64(document & 63) }
          if ranking != nil {
            for (place, document) in found.enumerated() { frequencies[Int(document)] += Float(counts[place]) }
          }
          target = found[found.count - 1] + 1
        } else {
          add(postings, segment.fieldCount, fields: fields ?? .max, ranking: ranking)
          target = postings.document + 1
        }
      }
    }
  }

  private func add(_ postings: PostingCursor, _ fieldCount: Int, fields: UInt32, ranking: Ranking?) {
    let document = Int(postings.document)
    for field in 0..<fieldCount where fields >> UInt32(field) & 1 == 1 && postings.frequency(field: field) > 0 {
      bits[document >> 6] |= 1 << UInt64(document & 63)
      if let ranking {
        frequencies[document] += Float(postings.frequency(field: field)) * Float(ranking.weights?[field] ?? 1)
      }
    }
  }

  /// The first document that is not below `target`.
  func next(_ target: UInt32) -> UInt32 {
    var word = Int(target >> 6)
    guard word < bits.count else { return MatchCursor.end }
    var rest = bits[word] & UInt64.max << UInt64(target & 63)
    while rest == 0 {
      word += 1
      if word == bits.count { return MatchCursor.end }
      rest = bits[word]
    }
    return UInt32(truncatingIfNeeded: word * 64 + rest.trailingZeroBitCount)
  }

  /// The number of documents without the deleted ones.
  func count(without deleted: [UInt64]) -> Int {
    var count = 0
    for (place, word) in bits.enumerated() {
      count += (place < deleted.count ? word & ~deleted[place] : word).nonzeroBitCount
    }
    return count
  }
}

/// The places of all terms with a certain prefix, for a phrase whose last word is a prefix.
final class PrefixPlaces {
  /// Ascending numbers: the upper half of each is the document, the lower half the place.
  private var places: [UInt64] = []
  private var at = 0
  private(set) var document: UInt32 = 0

  var count: Int { places.count }

  init(_ segment: SegmentReader, prefix: [UInt8]) throws(StoreError) {
    let list = PlaceList()
    var listCount = 0
    try segment.visitTerms(prefix: prefix) { (_, entry) throws(StoreError) in
      listCount += 1
      let postings = try PostingCursor(segment, entry)
      try postings.advance(to: 0)
      while postings.document != PostingCursor.end {
        list.clear()
        try postings.appendPlaces(to: list)
        for place in list.places { places.append(UInt64(postings.document) << 32 | UInt64(place)) }
        try postings.advance(to: postings.document + 1)
      }
    }
    if listCount > 1 { places.sort() }
  }

  func advance(to target: UInt32) {
    while at < places.count, UInt32(truncatingIfNeeded: places[at] >> 32) < target { at += 1 }
    document = at < places.count ? UInt32(truncatingIfNeeded: places[at] >> 32) : PostingCursor.end
  }

  func appendPlaces(to list: PlaceList) {
    var next = at
    while next < places.count, UInt32(truncatingIfNeeded: places[next] >> 32) == document {
      list.append(UInt32(truncatingIfNeeded: places[next]))
      next += 1
    }
  }
}
