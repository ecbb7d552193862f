import RoostFile

/// Merges of segments. A merge copies posting lists in the order of their terms, and may stop after any term.
///
/// Documents that were deleted when it began are left out. Those that are deleted while it runs become tombstones of the
/// new segment.
extension TextIndexWriter {
  /// Eight segments of one size become one of the next size.
  static let fanIn = 8

  /// Continues a merge, or begins one that is due, until about `bound` bytes are written. Returns whether more is due.
  @discardableResult
  func advanceMerges(_ bound: Int) throws(StoreError) -> Bool {
    var left = bound
    while left > 0 {
      if merge == nil {
        guard let sources = dueSources() else { return false }
        try beginMerge(sources)
      }
      left -= try advanceMerge(left)
    }
    return merge != nil || dueSources() != nil
  }

  /// The segments to merge next; `nil` if none.
  private func dueSources() -> [UInt32]? {
    var classes: [Int: [SegmentRecord]] = [:]
    for segment in table.segments {
      if segment.deletedCount * 2 > segment.documentCount, segment.deletedCount < segment.documentCount {
        return [segment.number]
      }
      classes[segment.sizeClass, default: []].append(segment)
    }
    for (_, segments) in classes.sorted(by: { $0.key < $1.key }) where segments.count >= Self.fanIn {
      let chosen = segments.prefix(Self.fanIn)
      if chosen.reduce(0, { $0 + $1.documentCount }) < 1 << 31 { return chosen.map(\.number) }
    }
    return nil
  }

  /// Notes the sources, and the documents that are left out.
  func beginMerge(_ sources: [UInt32]) throws(StoreError) {
    for number in sources {
      var blocks: [(key: [UInt8], value: [UInt8])] = []
      try store.visit(prefix: TextKey.segment(number, .tombstones)) { (key, value) throws(StoreError) in
        guard key.count == 10, let block = TextKey.number(key, at: 6) else { throw ByteSource.damage }
        blocks.append((TextKey.block(number, .dropped, number: block), Array(value)))
        return true
      }
      for (key, value) in blocks {
        sink.clear()
        value.withUnsafeBytes { sink.append($0) }
        try store.put(sink, at: key)
      }
    }
    merge = MergeState(number: takeSegmentNumber(), sources: sources)
  }

  private func mergeSources(_ state: MergeState) throws(StoreError) -> [MergeSource] {
    var sources: [MergeSource] = []
    var base: UInt32 = 0
    for number in state.sources {
      guard let record = table.segments.first(where: { $0.number == number }) else { throw ByteSource.damage }
      let reader = SegmentReader(store, record, fieldCount: fieldCount)
      try reader.checkSize()
      let source = try MergeSource(reader, base: base)
      let (sum, isOver) = base.addingReportingOverflow(UInt32(source.keptCount))
      guard !isOver else { throw ByteSource.damage }
      base = sum
      sources.append(source)
    }
    return sources
  }

  /// Merges more terms, and ends the merge if all are done. Returns the bytes that it wrote.
  private func advanceMerge(_ bound: Int) throws(StoreError) -> Int {
    guard var state = merge else { return 0 }
    let sources = try mergeSources(state)
    let writer = SegmentWriter(store, number: state.number, fieldCount: fieldCount, nextList: state.nextList)
    for source in sources { try source.begin(after: state.lastTerm) }
    let places = PlaceList()
    while writer.progress < bound {
      var least: [UInt8]?
      for source in sources {
        guard let term = source.term else { continue }
        if least.map({ term.lexicographicallyPrecedes($0) }) ?? true { least = term }
      }
      guard let term = least else {
        try writer.closeBlock()
        let written = writer.byteCount
        try finishMerge(state, sources, writer: writer)
        return max(written, 1)
      }
      writer.list.begin()
      for source in sources where source.term == term {
        try source.copyPostings(to: writer.list, places)
        try source.nextTerm()
      }
      let failure = term.withUnsafeBufferPointer { bytes -> StoreError? in
        do throws(StoreError) { try writer.endTerm(bytes) } catch { return error }
        return nil
      }
      if let failure { throw failure }
      state.lastTerm = term
    }
    try writer.closeBlock()
    state.nextList = writer.list.nextList
    state.byteCount += writer.byteCount
    merge = state
    return max(writer.byteCount, 1)
  }

  /// Writes the documents, replaces the sources by the new segment, and deletes their entries.
  private func finishMerge(
    _ state: MergeState, _ sources: [MergeSource], writer: SegmentWriter
  ) throws(StoreError) {
    var (rows, lengths): ([Int64], [UInt32]) = ([], [])
    var deleted = [UInt64](
      repeating: 0, count: (sources.reduce(0) { $0 + $1.keptCount } + 4095) / TombstoneBlock.documents * 64)
    var deletedCount = 0
    for source in sources {
      let tombstones = try source.segment.deleted()
      for document in 0..<UInt32(source.segment.documentCount) {
        guard let number = source.number(document) else { continue }
        if SegmentReader.has(tombstones, document) {
          deleted[Int(number >> 6)] |= 1 << UInt64(number & 63)
          deletedCount += 1
        }
        rows.append(try source.segment.row(document))
        lengths += try source.segment.lengths(document)
      }
    }
    let gone = Set(state.sources)
    table.segments.removeAll { gone.contains($0.number) }
    for number in state.sources {
      try deleteEntries(of: number)
      deletions.forget(number)
    }
    merge = nil
    if rows.isEmpty || deletedCount == rows.count {
      try deleteEntries(of: state.number)
      return
    }
    try writer.writeDocuments(rows, lengths)
    for block in 0..<deleted.count / 64 {
      let bits = deleted[block * 64..<(block + 1) * 64]
      if bits.allSatisfy({ $0 == 0 }) { continue }
      sink.clear()
      TombstoneBlock.encode(bits, to: sink)
      try store.put(sink, at: TextKey.block(state.number, .tombstones, number: UInt32(block)))
    }
    var record = writer.record(rows)
    record.byteCount += state.byteCount
    record.deletedCount = deletedCount
    table.segments.append(record)
  }
}
