import RoostFile

/// One segment that is merged: its terms in order, and the numbers that its documents get.
final class MergeSource {
  let segment: SegmentReader
  /// The number of its first document in the new segment.
  private let base: UInt32
  /// Documents that are left out, one bit each; empty if there are none.
  private let dropped: [UInt64]
  /// For each word of `dropped` the documents that are left out before it.
  private var droppedBefore: [UInt32] = []
  let keptCount: Int

  private var terms: [(term: [UInt8], entry: TermEntry)] = []
  private var place = 0
  private var nextKey: [UInt8] = []

  init(_ segment: SegmentReader, base: UInt32) throws(StoreError) {
    self.segment = segment
    self.base = base
    let bits = segment.record.deletedCount == 0 ? [] : try segment.bits(.dropped)
    var count: UInt32 = 0
    for word in bits {
      droppedBefore.append(count)
      count += UInt32(word.nonzeroBitCount)
    }
    dropped = count == 0 ? [] : bits
    guard Int(count) <= segment.documentCount else { throw ByteSource.damage }
    keptCount = segment.documentCount - Int(count)
  }

  /// The number of a document in the new segment; `nil` if it is left out.
  @inline(__always)
  func number(_ document: UInt32) -> UInt32? {
    if dropped.isEmpty { return base &+ document }
    let (word, bit) = (Int(document >> 6), UInt64(1) << UInt64(document & 63))
    if dropped[word] & bit != 0 { return nil }
    return base &+ document &- droppedBefore[word] &- UInt32((dropped[word] & (bit &- 1)).nonzeroBitCount)
  }

  // MARK: Terms

  /// The current term; `nil` at the end.
  var term: [UInt8]? { place < terms.count ? terms[place].term : nil }

  func begin(after term: [UInt8]) throws(StoreError) {
    nextKey = term.withUnsafeBytes { TextKey.term(segment.number, $0) }
    if !term.isEmpty { nextKey.append(0) }
    try readBlock()
    while let found = self.term, !term.lexicographicallyPrecedes(found) { try nextTerm() }
  }

  func nextTerm() throws(StoreError) {
    place += 1
    if place == terms.count { try readBlock() }
  }

  private func readBlock() throws(StoreError) {
    let last = terms.last?.term
    terms.removeAll(keepingCapacity: true)
    place = 0
    let prefix = TextKey.segment(segment.number, .terms)
    try segment.visit(prefix: prefix, from: nextKey) { (key, value) throws(StoreError) in
      var block = try TermBlock(value, segmentCount: segment.documentCount)
      try block.visit { (term, head, block) throws(StoreError) in
        terms.append((Array(term), block.whole(head)))
        return true
      }
      nextKey = Array(key) + [0]
      return false
    }
    // Terms that do not ascend would be merged twice, or without an end.
    var before = last
    for (term, _) in terms {
      if let before, !before.lexicographicallyPrecedes(term) { throw ByteSource.damage }
      before = term
    }
  }

  /// Appends the postings of the current term, without the documents that are left out.
  func copyPostings(to list: PostingListWriter, _ places: PlaceList) throws(StoreError) {
    let postings = try PostingCursor(segment, terms[place].entry)
    try postings.advance(to: 0)
    while postings.document != PostingCursor.end {
      if let number = number(postings.document) {
        places.clear()
        try postings.appendPlaces(to: places)
        try list.add(number, length: try segment.length(postings.document), places: places.places)
      }
      try postings.advance(to: postings.document + 1)
    }
  }
}
