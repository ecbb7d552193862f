import RoostFile
import RoostTestSupport
import Testing

@testable import RoostText

/// Lists of postings are read back from their bytes, with any gaps, fields and places.
@Suite struct PostingListTests {
  private struct Posting {
    var document: UInt32
    var places: [UInt32]
  }

  private static let documentCount = 1 << 30

  private static func postings(_ random: inout SplitMix64, fieldCount: Int) -> [Posting] {
    let count = random.pick([1, 7, 8, 9, 40, 128, 129, 700, 3000])
    let mostGap = random.pick([1, 2, 50, 300_000])
    let mostPosition = random.pick([1, 2, 500, 1 << 27])
    let mostFrequency = random.pick([1, 2, 3, 40])
    let home = random.below(fieldCount)
    let strays = random.pick([0, 1, 50, 100])
    var document = random.pick([0, 5, 100_000_000])
    return (0..<count).map { _ in
      var places: Set<UInt32> = []
      for _ in 0..<1 + random.below(mostFrequency) {
        let field = random.chance(strays, in: 100) ? random.below(fieldCount) : home
        places.insert(UInt32(field) << 27 | UInt32(random.below(mostPosition)))
      }
      defer { document += 1 + random.below(mostGap) }
      return Posting(document: UInt32(document), places: places.sorted())
    }
  }

  private static func cursor(_ postings: [Posting], fieldCount: Int) throws -> PostingCursor {
    let store = MemoryTextStore()
    let writer = PostingListWriter(store, segment: 3, fieldCount: fieldCount, nextList: 7)
    let (dictionary, tail) = (ByteSink(), ByteSink())
    writer.begin()
    for one in postings {
      try one.places.withUnsafeBufferPointer { try writer.add(one.document, length: 9, places: $0) }
    }
    try writer.end(dictionary, tail)
    var source = ByteSource(dictionary.bytes)
    let head = try TermEntry.Head(&source, segmentCount: documentCount)
    #expect(source.isAtEnd && head.tailCount == tail.count && head.documentCount == postings.count)
    let entry = TermEntry(
      documentCount: head.documentCount, isShort: head.isShort, list: head.list, lastOfChunks: head.lastOfChunks,
      tail: Array(tail.bytes))
    let record = SegmentRecord(
      number: 3, documentCount: documentCount, byteCount: 1, firstRow: 0, lastRow: Int64(documentCount - 1),
      isConsecutive: true)
    return try PostingCursor(SegmentReader(store, record, fieldCount: fieldCount), entry)
  }

  @Test(arguments: UInt64(0)..<120) func `postings are read back`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let fieldCount = random.pick([1, 2, 2, 5, 32])
    let postings = Self.postings(&random, fieldCount: fieldCount)
    let cursor = try Self.cursor(postings, fieldCount: fieldCount)
    let step = random.pick([1, 1, 3, 90])
    var next = 0
    var target: UInt32 = 0
    let list = PlaceList()
    while true {
      try cursor.advance(to: target)
      guard next < postings.count else { break }
      let posting = postings[next]
      let place: Comment = "seed \(seed), posting \(next)"
      try #require(cursor.document == posting.document, place)
      try #require(cursor.frequency == UInt32(posting.places.count), place)
      for field in 0..<fieldCount {
        let count = posting.places.count { TextPlace.field($0) == field }
        try #require(cursor.frequency(field: field) == UInt32(count), place)
      }
      let single = posting.places.count == 1 ? posting.places[0] : PostingCursor.noPlace
      if random.chance(1, in: 2) {
        list.clear()
        try cursor.appendPlaces(to: list)
        try #require(Array(list.places) == posting.places && cursor.singlePlace == single, place)
      }
      next += step
      target = next < postings.count ? postings[next - 1].document + 1 : postings[postings.count - 1].document + 1
      if next < postings.count, step > 1 { target = postings[next].document }
    }
    #expect(cursor.document == PostingCursor.end)
  }

  @Test func `a usual posting needs few bytes`() throws {
    // One place of nine bits in the second of two fields, and a gap of two bits: less than two bytes.
    var random = SplitMix64(seed: 4)
    let postings = (0..<1280).map {
      Posting(document: UInt32($0 * 3 + random.below(3)), places: [1 << 27 | UInt32(random.below(500))])
    }
    let (dictionary, tail) = (ByteSink(), ByteSink())
    let writer = PostingListWriter(MemoryTextStore(), segment: 3, fieldCount: 2, nextList: 0)
    writer.begin()
    for one in postings {
      try one.places.withUnsafeBufferPointer { try writer.add(one.document, length: 9, places: $0) }
    }
    try writer.end(dictionary, tail)
    #expect(writer.chunkByteCount + tail.count < 1280 * 13 / 8)
  }
}
