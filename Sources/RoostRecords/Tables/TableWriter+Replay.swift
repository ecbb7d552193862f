internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Replays records of the log.
extension TableWriter {
  /// Inserts the row of a record.
  func replayInsert(_ id: RowID, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard layout.admits(bytes), id.number > 0, id.number < RowNumbers.end, try isFree(id) else { throw damaged(id) }
    new.make(bytes.count).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    let moved = takeWaiting()
    guard try makeWay(borrowed, id, moved: moved) else { return passOver(id) }
    try makeKeys(borrowed, id, moved: moved)
    try place(id, moved)
  }

  /// Changes the fields that a record names; `body` sets them in the builder.
  func replayUpdate(
    _ id: RowID, _ body: (inout RowBuilder) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard try load(id) else { throw damaged(id) }
    try body(&builder)
    let memory = new.make(builder.byteCount)
    do throws(RecordFault) { try builder.write(to: memory) } catch { throw damaged(id) }
    let moved = takeWaiting()
    let changed = changedFields(moved)
    let touched = touched(by: changed)
    let isFree = try makeWay(touched, id, moved: moved)
    // The callback may have loaded other rows.
    if tables.makesWay != nil, try !load(id) { throw damaged(id) }
    if !isFree { return try erase(id) }
    try makeKeys(touched, id, moved: moved)
    try exchange(id, changed, moved: moved, touched: touched)
  }

  /// Asks the salvager what happens to rows that have the unique values of `new`. Returns false if
  /// they stay, so `new` must not be written. An ordinary replay always gets true.
  private func makeWay(_ touched: [Borrowed], _ id: RowID, moved: [Moved]) throws(StoreError) -> Bool {
    guard let makesWay = tables.makesWay else { return true }
    var rivals: [RowID] = []
    do {
      for index in touched {
        let rival = try index.use { index in try index.covers(id) ? conflict(index, id, moved: moved) : nil }
        if let rival, !rivals.contains(rival) { rivals.append(rival) }
      }
    } catch {
      if let error = error as? StoreError { throw error }
      throw damaged(id)
    }
    return rivals.isEmpty ? true : try makesWay(self, id, rivals)
  }

  private func takeWaiting() -> [Moved] {
    defer { waiting = [] }
    return waiting
  }

  /// Discards large values whose row cannot be written.
  func forgetWaiting() { waiting = [] }

  func replayDelete(_ id: RowID) throws(StoreError) {
    guard try load(id) else { throw damaged(id) }
    try erase(id)
  }

  /// Keeps a large value for the row that the next piece of the record inserts or changes.
  func replayLarge(_ field: FieldID, _ bytes: [UInt8], list: ExtentList? = nil) throws(StoreError) {
    guard let index = layout.members.firstIndex(where: { $0.id == field }), layout.slots[index].isVariable else {
      throw StoreError(.logDamaged, "a record names a field that does not exist")
    }
    waiting.append(Moved(slot: layout.slots[index], field: field, bytes: bytes, extents: list))
  }
}
