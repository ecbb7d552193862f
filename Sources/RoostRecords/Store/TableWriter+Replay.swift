internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Carrying out a record again.
extension TableWriter {
  /// Adds the row of a record.
  func replayInsert(_ id: RowID, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    guard layout.admits(bytes), id.number > 0, id.number < RowNumbers.end, try isFree(id) else { throw damaged(id) }
    new.make(bytes.count).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
    let moved = takeWaiting()
    try makeKeys(borrowed, id, moved)
    try place(id, moved)
  }

  /// Changes the fields of a record; `body` sets them in the builder.
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
    try makeKeys(touched, id, moved)
    try exchange(id, changed, moved, touched)
  }

  private func takeWaiting() -> [Moved] {
    defer { waiting = [] }
    return waiting
  }

  /// Forgets large values whose row cannot be written.
  func forgetWaiting() { waiting = [] }

  func replayDelete(_ id: RowID) throws(StoreError) {
    guard try load(id) else { throw damaged(id) }
    try erase(id)
  }

  /// A large value of the row whose insertion or change is the next piece of the record.
  func replayLarge(_ field: FieldID, _ bytes: [UInt8], _ list: ExtentList? = nil) throws(StoreError) {
    guard let index = layout.members.firstIndex(where: { $0.id == field }), layout.slots[index].isVariable else {
      throw StoreError(.logDamaged, "a record names a field that is not there")
    }
    waiting.append(Moved(slot: layout.slots[index], field: field, bytes: bytes, extents: list))
  }
}
