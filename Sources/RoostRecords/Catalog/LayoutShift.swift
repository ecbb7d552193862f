internal import RoostBytes
internal import RoostFile

/// Converts rows of former layouts of an entity to its newest layout.
struct LayoutShift {
  let entity: Entity
  let layouts: [Layout]

  init(_ entity: Entity, _ layouts: [Layout]) {
    self.entity = entity
    self.layouts = layouts
  }

  /// Loads a row of any layout into the builder, whose layout is the newest.
  func load(_ row: UnsafeRawBufferPointer, into builder: inout RowBuilder) throws(StoreError) {
    let newest = builder.layout
    guard let version = Layout.version(of: row), Int(version) < layouts.count else { throw unreadable }
    let layout = layouts[Int(version)]
    guard layout.admits(row) else { throw unreadable }
    if version == newest.version { return builder.load(row) }
    builder.clear()
    let start = row.baseAddress!
    // By index, because copying a field is expensive.
    for index in newest.slots.indices {
      let (id, slot) = (newest.members[index].id, newest.slots[index])
      guard let at = layout.members.firstIndex(where: { $0.id == id }) else {
        try setInitial(entity.fields[index], slot, builder: &builder)
        continue
      }
      let was = layout.slots[at]
      if layout.isNull(start, was) {
        if slot.nullBit >= 0 {
          builder.setNull(slot)
        } else {
          try setInitial(entity.fields[index], slot, builder: &builder)
        }
      } else if was.isVariable {
        let (bytes, isOutside) = layout.bytes(start, was)
        builder.set(slot, bytes: bytes, isOutside: isOutside)
      } else {
        builder.set(slot, fixed: start + was.position)
      }
    }
  }

  private func setInitial(_ field: Field, _ slot: Slot, builder: inout RowBuilder) throws(StoreError) {
    guard let value = field.initial else { return }
    do throws(RecordFault) { try builder.set(slot, value) } catch { throw unreadable }
  }

  private var unreadable: StoreError { StoreError(.damaged, "a row of \(entity.name) is unreadable") }
}
