import RoostFile

/// The documents that have all terms of a phrase, before places are compared. It intersects the terms' current blocks.
///
/// One block of each term is compared at a time. That is faster than to move all terms from document to document,
/// because frequent words occur in nearly each.
final class PhraseCandidates {
  private static let room = PostingListWriter.blockCount

  private let terms: UnsafeBufferPointer<PlacedTerm>
  private let documents = UnsafeMutablePointer<UInt32>.allocate(capacity: PhraseCandidates.room)
  /// For each term the postings of all documents.
  private let postings: UnsafeMutablePointer<UInt8>
  private var count = 0
  private var at = 0
  /// The first document that no block had.
  private var end: UInt32 = 0

  /// - Parameter terms: memory that the phrase owns. The terms are posting lists, the rarest first.
  init(_ terms: UnsafeBufferPointer<PlacedTerm>) {
    self.terms = terms
    postings = .allocate(capacity: terms.count * Self.room)
  }

  deinit {
    documents.deallocate()
    postings.deallocate()
  }

  /// Moves all terms to the next document from `target` on; `nil` if the blocks have no more.
  @inline(__always)
  func next(from target: UInt32) -> UInt32? {
    while at < count {
      let place = at
      at &+= 1
      if documents[place] < target { continue }
      for term in 0..<terms.count { terms[term].select(Int(postings[term &* Self.room &+ place])) }
      return documents[place]
    }
    return nil
  }

  /// Finds the documents of the next blocks that have one from `target` on. Returns false if there are no more.
  func fill(from target: UInt32) throws(StoreError) -> Bool {
    var target = max(target, end)
    (count, at) = (0, 0)
    while count == 0 {
      guard let last = try seek(&target) else { return false }
      intersect(upTo: last)
      end = last &+ 1
      target = end
    }
    return true
  }

  /// Moves all terms to blocks that may have `target`, or a greater document that all may have. Returns the last document
  /// that all blocks cover; `nil` at the end.
  private func seek(_ target: inout UInt32) throws(StoreError) -> UInt32? {
    while true {
      var (first, last) = (target, MatchCursor.end)
      for place in 0..<terms.count {
        let document = try terms[place].advance(to: first)
        if document == MatchCursor.end { return nil }
        first = max(first, document)
        last = min(last, terms[place].blockLast)
      }
      if first <= last {
        target = first
        return last
      }
      target = first
    }
  }

  private func intersect(upTo last: UInt32) {
    let (first, all) = terms[0].copyDocuments(to: documents)
    var kept = 0
    while kept < all, documents[kept] <= last {
      postings[kept] = UInt8(truncatingIfNeeded: first &+ kept)
      kept &+= 1
    }
    for place in 1..<terms.count {
      var next = 0
      terms[place].keep(documents, kept) { from, posting in
        documents[next] = documents[from]
        for before in 0..<place { postings[before &* Self.room &+ next] = postings[before &* Self.room &+ from] }
        postings[place &* Self.room &+ next] = UInt8(truncatingIfNeeded: posting)
        next &+= 1
      }
      kept = next
    }
    count = kept
  }
}
