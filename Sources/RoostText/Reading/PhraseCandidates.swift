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
    count = 0
    guard let block = terms[0].block else { return }
    var posting = block.first
    while posting < block.count, block.documents[posting] <= last {
      documents[count] = block.documents[posting]
      postings[count] = UInt8(truncatingIfNeeded: posting)
      posting &+= 1
      count &+= 1
    }
    for term in 1..<terms.count { keep(term) }
  }

  /// Keeps the documents that a term's block has. The block has all documents up to the last one, or ends after it.
  private func keep(_ term: Int) {
    guard let block = terms[term].block else { return }
    let mine = postings + term &* Self.room
    var (next, posting, kept) = (0, block.first, 0)
    // Whether a document is there cannot be predicted, so the loop has no branch for it.
    let isDense = block.count &- posting < count &* 4
    while next < count, posting < block.count {
      let wanted = documents[next]
      if !isDense {
        while posting &+ 8 < block.count, block.documents[posting &+ 8] < wanted { posting &+= 8 }
      }
      let found = block.documents[posting]
      documents[kept] = wanted
      mine[kept] = UInt8(truncatingIfNeeded: posting)
      for other in 0..<term { postings[other &* Self.room &+ kept] = postings[other &* Self.room &+ next] }
      kept &+= wanted == found ? 1 : 0
      next &+= wanted <= found ? 1 : 0
      posting &+= found <= wanted ? 1 : 0
    }
    count = kept
  }
}
