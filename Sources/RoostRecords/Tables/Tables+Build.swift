internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Fills a new index from existing rows, at once or in steps that are transactions.
///
/// While an index is built, `builtBelow` says how far: changes of rows below it update the index,
/// rows from it on are added by later steps. So a step continues where the last one ended, even
/// after a crash. Rows that are inserted meanwhile have higher numbers.
extension Tables {
  /// Fills an index that was added with the catalog.
  func fill(_ index: Index) throws {
    let table = try table(index.entity)
    guard let writer = table.indexes.first(where: { $0.index.id == index.id }) else { return }
    _ = try table.build(writer, from: RowID(0), most: .max)
  }

  /// Adds some more rows to an index that is built in steps. Returns true if it is complete.
  func buildStep(_ id: IndexID, most: Int) throws -> Bool {
    if let index = catalog.textIndex(id) { return try buildStep(index, most: most) }
    guard var index = catalog.indexes.first(where: { $0.id == id }) else {
      throw RecordFault(.unknown, "there is no index with the number \(id.number)")
    }
    guard let start = index.builtBelow else { return true }
    let table = try table(index.entity)
    guard let writer = table.indexes.first(where: { $0.index.id == id }) else { throw IndexWriter.damaged(index) }
    let end = try table.build(writer, from: start, most: most)
    index.builtBelow = end
    try changing(generation) { () throws(StoreError) in
      try set(index)
      try recordBuild(id, end)
    }
    return end == nil
  }

  /// Logs how far an index is built.
  func recordBuild(_ id: IndexID, _ end: RowID?) throws(StoreError) {
    var piece = ByteWriter()
    piece.number(id.number)
    piece.number(end?.number ?? 0)
    try forest.transaction.record(Kind.build.rawValue, count: piece.bytes.count) { memory in
      piece.bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }
  }

  /// Replays a step. It adds the same rows, because the log names the row at its end instead of
  /// their number.
  func carryOutBuild(_ reader: inout ByteReader) throws {
    let id = IndexID(try reader.number())
    let end: UInt64 = try reader.number()
    if reader.isAtEnd, let index = catalog.textIndex(id), let start = index.builtBelow {
      return try build(index, from: start, below: end == 0 ? nil : RowID(end))
    }
    guard reader.isAtEnd, let index = catalog.indexes.first(where: { $0.id == id }), let start = index.builtBelow else {
      throw Self.unreadable
    }
    try build(index, from: start, below: end == 0 ? nil : RowID(end))
  }

  /// Adds the rows below a number to an index that is built in steps; with nil all remaining rows.
  func build(_ index: Index, from start: RowID, below end: RowID?) throws {
    let table = try table(index.entity)
    guard let writer = table.indexes.first(where: { $0.index.id == index.id }) else { throw IndexWriter.damaged(index) }
    _ = try table.build(writer, from: start, to: end, most: .max)
    var built = index
    built.builtBelow = end
    try set(built)
  }
}

extension TableWriter {
  /// Adds at most `most` rows to an index, beginning with `start`. Returns the row to continue
  /// with; nil after the last one.
  func build(_ index: IndexWriter, from start: RowID, to end: RowID? = nil, most: Int) throws -> RowID? {
    var entries = EntrySorter(index, tables.forest.transaction)
    var cursor = IntegerCursor(rows.tree)
    var isThere = try cursor.seek(start.number)
    var count = 0
    while isThere {
      let id = RowID(cursor.key)
      if count == most { break }
      if let end, id >= end { break }
      let row = try newest(id, &cursor)
      try index.prepare(row, layout) { (slot) throws(StoreError) in try text(slot, id, moved: []) }
      guard index.keyFits else {
        throw RecordFault(
          .tooLarge, "row \(id.number) takes too many bytes in the index \(index.index.name)", entity: entity.name)
      }
      if index.isCut {
        // A cut key ends with the row's number, so it never equals a key that waits to be sorted.
        let other = try index.conflict(id) { (other) throws(StoreError) in
          try isSame(other, row, id: id, moved: [], index: index)
        }
        if let other { throw notUnique(other, id, index: index) }
        try index.put(id)
      } else if let (other, own) = try entries.append(id) {
        throw notUnique(other, own, index: index)
      }
      try tables.forest.transaction.relieve()
      count += 1
      isThere = try cursor.next()
    }
    if let (other, own) = try entries.finish() { throw notUnique(other, own, index: index) }
    return isThere ? RowID(cursor.key) : nil
  }

  /// The row at the cursor in the newest layout: in place if it has that layout, else converted in
  /// `old`.
  func newest(_ id: RowID, _ cursor: inout IntegerCursor) throws(StoreError) -> UnsafeRawPointer {
    if let (_, value) = cursor.entry(), !value.isExtents, layout.admits(value.bytes) { return value.start }
    guard try load(id) else { throw damaged(id) }
    return old.start
  }

  private func notUnique(_ other: RowID, _ id: RowID, index: IndexWriter) -> RecordFault {
    var fault = RecordFault(
      .notUnique,
      "rows \(other.number) and \(id.number) have the same values, so the index \(index.index.name) cannot be unique",
      entity: entity.name)
    fault.rows = [other, id].map { RowName(entity.id, $0) }
    return fault
  }

  /// Whether another row has the same whole values in an index as the one at `row`. Keys are equal
  /// only up to the cut.
  func isSame(
    _ other: RowID, _ row: UnsafeRawPointer, id: RowID, moved: [Moved], index: IndexWriter
  ) throws(StoreError) -> Bool {
    guard let values = try reading.fields(other, index.index) else { throw IndexWriter.damaged(index.index) }
    for (part, value) in zip(index.index.parts, values) {
      guard let at = layout.members.firstIndex(where: { $0.id == part.field }) else { return false }
      let slot = layout.slots[at]
      // Values that are whole in the key are equal already; only texts are cut.
      guard slot.isVariable, !layout.isNull(row, slot) else { continue }
      let (bytes, isOutside) = layout.bytes(row, slot)
      let own =
        isOutside
        ? try text(slot, id, moved: moved).withUnsafeBytes { ElementCoding.decode($0, as: slot.type) }
        : ElementCoding.decode(bytes, as: slot.type)
      if own != value { return false }
    }
    return true
  }
}
