package import RoostFile

/// Adds rows to a text index and removes them, in one transaction.
///
/// All changes wait in memory until ``flush()``; only full segments are written before. A writer that is dropped without
/// `flush()` has changed nothing that a reader sees, but it may leave entries of a segment that nothing references. So the
/// owner abandons the transaction then, or returns to its savepoint, and makes a new writer. Nothing is shared between
/// two writers. A writer that threw an error must be dropped too.
package final class TextIndexWriter {
  /// The most rows without a segment. Beyond these limits they become one.
  static let mostLooseRows = 64
  static let mostLooseBytes = 128 << 10
  static let mostDraftBytes = 2 << 30

  package let index: TextIndex
  let store: any TextStore
  /// The bytes in memory after which waiting rows become a segment.
  let budget: Int
  let fieldCount: Int
  private let scanner: TextScanner
  let draft: TextDraft
  let sink = ByteSink(room: 4096)

  var header: TextHeader
  var table: SegmentTable
  var merge: MergeState?
  var deletions: DeletionBook
  private var isChanged = false
  /// The bytes that may be merged in this transaction.
  private var credit = 0

  package init(_ index: TextIndex, _ store: any TextStore, budget: Int = 64 << 20) throws(StoreError) {
    self.index = index
    self.store = store
    self.budget = min(max(budget, 1 << 16), 1 << 30)
    fieldCount = index.fields.count
    scanner = TextScanner(index.analyzer)
    draft = TextDraft(fieldCount: fieldCount)
    (header, table) = try TextIndexReader.read(store, fieldCount: fieldCount)
    deletions = DeletionBook(store, fieldCount: fieldCount)
    try readMerge()
  }

  private func readMerge() throws(StoreError) {
    var state: MergeState?
    try store.read(TextKey.merge) { (value) throws(StoreError) in state = try MergeState(value) }
    if let state {
      let known = Set(table.segments.map(\.number))
      guard state.sources.allSatisfy(known.contains), !known.contains(state.number) else { throw ByteSource.damage }
    }
    merge = state
  }

  // MARK: Changes

  /// Adds a row that is not in the index. `nil` is a field without a text.
  ///
  /// - Precondition: at most as many texts as fields.
  package func add(row: Int64, texts: [String?]) throws(StoreError) {
    precondition(texts.count <= fieldCount, "more texts than fields")
    draft.begin(row: row)
    for (field, text) in texts.enumerated() {
      guard var text else { continue }
      let failure = text.withUTF8 { text -> StoreError? in
        do throws(StoreError) { try add(UnsafeRawBufferPointer(text), field: field) } catch { return error }
        return nil
      }
      if let failure { throw failure }
    }
    try finishRow()
  }

  /// Adds a row whose texts are given as UTF-8, without copies.
  package func add(row: Int64, utf8 texts: [UnsafeRawBufferPointer?]) throws(StoreError) {
    precondition(texts.count <= fieldCount, "more texts than fields")
    draft.begin(row: row)
    for (field, text) in texts.enumerated() {
      if let text { try add(text, field: field) }
    }
    try finishRow()
  }

  private func add(_ text: UnsafeRawBufferPointer, field: Int) throws(StoreError) {
    // Offsets in a draft have 32 bits; one field adds at most 1 GiB.
    guard draft.byteCount < Self.mostDraftBytes else {
      throw StoreError(.valueTooLarge, "the texts of one row are too large for a text index")
    }
    // Conditions on texts rely on an index of trigrams, so it covers each text whole.
    guard index.analyzer.mode == .words || text.count <= TextScanner.mostTextBytes else {
      throw StoreError(.valueTooLarge, "a text of \(text.count) bytes is too long for an index of substrings")
    }
    scanner.scan(text)
    draft.add(scanner, field: field)
    draft.setLength(scanner.count, field: field)
    header.fieldLengths[field] += scanner.count
  }

  private func finishRow() throws(StoreError) {
    header.rowCount += 1
    isChanged = true
    if draft.byteCount > budget { try writeSegment() }
  }

  /// Removes a row. Returns false if the index does not have it. The old texts are not needed.
  @discardableResult
  package func remove(row: Int64) throws(StoreError) -> Bool {
    if let document = draft.delete(row: row) {
      let start = Int(document) * fieldCount
      try forget(Array(draft.lengths[start..<start + fieldCount]))
      return true
    }
    if let place = header.loose.firstIndex(where: { $0.row == row }) {
      let key = TextKey.loose(header.loose[place].number)
      var lengths: [UInt32]?
      try store.read(key) { (value) throws(StoreError) in
        var source = ByteSource(value)
        lengths = try LooseDocument.Head(&source, fieldCount: fieldCount).lengths
      }
      guard let lengths else { throw ByteSource.damage }
      try forget(lengths)
      header.loose.remove(at: place)
      try store.delete(key)
      return true
    }
    guard let lengths = try deletions.delete(row, table) else { return false }
    try forget(lengths)
    return true
  }

  /// Subtracts a row from the counts.
  private func forget(_ lengths: [UInt32]) throws(StoreError) {
    guard header.rowCount > 0, zip(lengths, header.fieldLengths).allSatisfy({ Int($0) <= $1 }) else {
      throw StoreError(.damaged, "the counts of the text index are too small")
    }
    header.rowCount -= 1
    for field in 0..<fieldCount { header.fieldLengths[field] -= Int(lengths[field]) }
    isChanged = true
  }

  /// Replaces the texts of a row, or adds the row.
  package func update(row: Int64, texts: [String?]) throws(StoreError) {
    try remove(row: row)
    try add(row: row, texts: texts)
  }

  /// Removes all rows.
  package func removeAll() throws(StoreError) {
    draft.clear()
    try store.delete(from: [0], to: [0xFF])
    header = TextHeader(fieldCount: fieldCount)
    table = SegmentTable()
    merge = nil
    deletions = DeletionBook(store, fieldCount: fieldCount)
    isChanged = true
  }

  // MARK: Writing

  /// Writes all changes, then does a part of the merges that are due. Call it before the commit, and before a reader of
  /// the same transaction is made.
  package func flush() throws(StoreError) {
    if !isChanged { return }
    if draft.liveCount > 0 {
      if isSmall { try writeLoose() } else { try writeSegment() }
    }
    draft.clear()
    try writeDeletions()
    if credit > 0 { try advanceMerges(credit) }
    credit = 0
    try save()
  }

  private var isSmall: Bool {
    let bytes = header.loose.reduce(0) { $0 + $1.byteCount } + draft.arenaCount
    return header.loose.count + draft.liveCount <= Self.mostLooseRows && bytes <= Self.mostLooseBytes
  }

  private func writeLoose() throws(StoreError) {
    for (document, sink) in draft.looseDocuments().enumerated() {
      guard let sink else { continue }
      try store.put(sink, at: TextKey.loose(header.nextNumber))
      header.loose.append(
        TextHeader.Loose(number: header.nextNumber, row: draft.rows[document], byteCount: sink.count))
      header.nextNumber += 1
    }
  }

  /// Writes a segment of the rows in memory and of all loose rows.
  private func writeSegment() throws(StoreError) {
    for entry in header.loose {
      let key = TextKey.loose(entry.number)
      let isFound = try store.read(key) { (value) throws(StoreError) in try draft.add(loose: value) }
      guard isFound else { throw StoreError(.damaged, "a row is missing in the text index") }
    }
    if let first = header.loose.first, let last = header.loose.last {
      try store.delete(from: TextKey.loose(first.number), to: TextKey.loose(last.number + 1))
    }
    header.loose = []
    if draft.liveCount > 0 {
      let record = try draft.write(takeSegmentNumber(), to: store)
      table.segments.append(record)
      credit += record.byteCount * 5 + 4096
    }
    draft.clear()
  }

  func takeSegmentNumber() -> UInt32 {
    header.nextSegment += 1
    return header.nextSegment - 1
  }

  /// Writes the tombstones, and removes segments without rows.
  private func writeDeletions() throws(StoreError) {
    try deletions.write(&table)
    let sources = Set(merge?.sources ?? [])
    for segment in table.segments where segment.deletedCount == segment.documentCount {
      if sources.contains(segment.number) { continue }
      try deleteEntries(of: segment.number)
      table.segments.removeAll { $0.number == segment.number }
      deletions.forget(segment.number)
    }
  }

  func deleteEntries(of segment: UInt32) throws(StoreError) {
    try store.delete(
      from: TextKey.segment(segment), to: segment == .max ? [0x11] : TextKey.segment(segment + 1))
  }

  /// Writes the header, the table of segments and the state of the merge.
  private func save() throws(StoreError) {
    sink.clear()
    header.encode(to: sink)
    try store.put(sink, at: TextKey.header)
    sink.clear()
    table.encode(to: sink)
    if savedTable != table { try store.put(sink, at: TextKey.segments) }
    savedTable = table
    if let merge {
      sink.clear()
      merge.encode(to: sink)
      try store.put(sink, at: TextKey.merge)
    } else {
      try store.delete(TextKey.merge)
    }
    isChanged = false
  }

  private var savedTable: SegmentTable?

  // MARK: Merging

  /// Merges segments, and writes at most about `bound` bytes. Returns whether more merges are due. The rows in memory
  /// are flushed before.
  @discardableResult
  package func merge(bound: Int) throws(StoreError) -> Bool {
    try flush()
    let isDue = try advanceMerges(bound)
    try save()
    return isDue
  }

  /// Merges everything into one segment. For idle times and backups; it takes as long as the index is large.
  package func mergeAll() throws(StoreError) {
    try flush()
    if !header.loose.isEmpty { try writeSegment() }
    while merge != nil { try advanceMerges(.max) }
    let isWhole = table.segments.count <= 1 && table.segments.allSatisfy { $0.deletedCount == 0 }
    if !isWhole {
      try beginMerge(table.segments.map(\.number))
      try advanceMerges(.max)
    }
    try save()
  }
}
