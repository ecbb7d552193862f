import RoostFile

/// Writes a draft as a segment, or as loose rows.
extension TextDraft {
  /// The terms in ascending order.
  private func sortedTerms() -> [Int] {
    var keys: [(head: UInt64, index: Int)] = []
    keys.reserveCapacity(termCount)
    for index in 0..<termCount {
      keys.append((terms[index].word.byteSwapped, index))
    }
    keys.sort { one, other in
      one.head != other.head ? one.head < other.head : term(one.index).lexicographicallyPrecedes(term(other.index))
    }
    return keys.map(\.index)
  }

  /// Writes a segment of all documents that are not deleted.
  func write(_ number: UInt32, to store: any TextStore) throws(StoreError) -> SegmentRecord {
    let writer = SegmentWriter(store, number: number, fieldCount: fieldCount)
    let numbers = newNumbers()
    var sums: [UInt32] = []
    sums.reserveCapacity(rows.count)
    for document in rows.indices {
      var sum: UInt32 = 0
      for field in 0..<fieldCount { sum &+= lengths[document * fieldCount + field] }
      sums.append(sum)
    }
    let places = PlaceList()
    let list = writer.list
    for index in sortedTerms() {
      list.begin()
      var found = DraftPlaces(self, index)
      while found.next(into: places) > 0 {
        var document = found.document
        let length = sums[Int(document)]
        if let numbers {
          document = numbers[Int(document)]
          if document == .max { continue }
        }
        try list.add(document, length: length, places: places.places)
      }
      try writer.endTerm(term(index))
    }
    try writer.closeBlock()
    if numbers == nil {
      try writer.writeDocuments(rows, lengths)
      return writer.record(rows)
    }
    var (liveRows, liveLengths): ([Int64], [UInt32]) = ([], [])
    for (document, row) in rows.enumerated() where !deleted.contains(UInt32(document)) {
      liveRows.append(row)
      liveLengths += lengths[document * fieldCount..<(document + 1) * fieldCount]
    }
    try writer.writeDocuments(liveRows, liveLengths)
    return writer.record(liveRows)
  }

  /// The number of each document when the deleted ones are left out; `nil` if none is deleted.
  private func newNumbers() -> [UInt32]? {
    if deleted.isEmpty { return nil }
    var next: UInt32 = 0
    return rows.indices.map { document in
      if deleted.contains(UInt32(document)) { return .max }
      next += 1
      return next - 1
    }
  }

  /// The bytes of each document as a loose row; `nil` for deleted ones.
  func looseDocuments() -> [ByteSink?] {
    var bodies: [(sink: ByteSink, last: [UInt8], count: Int)?] = rows.indices.map {
      deleted.contains(UInt32($0)) ? nil : (ByteSink(), [], 0)
    }
    let places = PlaceList()
    let scratch = ByteSink()
    for index in sortedTerms() {
      let term = term(index)
      var found = DraftPlaces(self, index)
      while found.next(into: places) > 0 {
        let document = Int(found.document)
        guard let sink = bodies[document]?.sink else { continue }
        let shared = bodies[document]!.last.withUnsafeBufferPointer { last in
          var shared = 0
          while shared < min(last.count, term.count), last[shared] == term[shared] { shared += 1 }
          return shared
        }
        sink.append(UInt8(shared))
        sink.append(UInt8(term.count - shared))
        sink.append(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(term)[shared...]))
        LooseDocument.encodePlaces(places.places, fieldCount: fieldCount, scratch: scratch, to: sink)
        bodies[document]!.last.removeAll(keepingCapacity: true)
        bodies[document]!.last.append(contentsOf: term)
        bodies[document]!.count += 1
      }
    }
    return bodies.enumerated().map { document, body in
      guard let body else { return nil }
      let sink = ByteSink(room: body.sink.count + 64)
      sink.appendSigned(rows[document])
      for field in 0..<fieldCount { sink.appendNumber(UInt64(lengths[document * fieldCount + field])) }
      sink.appendNumber(body.count)
      sink.append(body.sink.bytes)
      return sink
    }
  }

  /// Adds a loose row again. Its number is that of the next document.
  func add(loose bytes: UnsafeRawBufferPointer) throws(StoreError) {
    var source = ByteSource(bytes)
    let head = try LooseDocument.Head(&source, fieldCount: fieldCount)
    begin(row: head.row)
    for (field, length) in head.lengths.enumerated() { setLength(Int(length), field: field) }
    let document = UInt32(rows.count - 1)
    var places: [UInt32] = []
    try LooseDocument.visitTerms(&source, termCount: head.termCount) { (term, source) throws(StoreError) in
      try LooseDocument.decodePlaces(&source, fieldCount: fieldCount, into: &places)
      if let start = term.baseAddress {
        let index = intern(start, term.count)
        for place in places { add(index, document: document, place: place) }
      }
      return true
    }
  }
}
