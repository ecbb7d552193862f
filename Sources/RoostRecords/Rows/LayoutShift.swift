internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// Reads rows of any layout an entity ever had as rows of the newest.
struct LayoutShift {
  let entity: Entity
  let layouts: [Layout]

  init(_ entity: Entity, _ layouts: [Layout]) {
    self.entity = entity
    self.layouts = layouts
  }

  /// Fills the builder, which is of the newest layout, with a row of any.
  func load(_ row: UnsafeRawBufferPointer, into builder: inout RowBuilder) throws(StoreError) {
    let newest = builder.layout
    guard let version = Layout.version(of: row), Int(version) < layouts.count else { throw unreadable }
    let layout = layouts[Int(version)]
    guard layout.admits(row) else { throw unreadable }
    if version == newest.version { return builder.load(row) }
    builder.clear()
    let start = row.baseAddress!
    for (field, slot) in zip(entity.fields, newest.slots) {
      guard let at = layout.members.firstIndex(where: { $0.id == field.id }) else {
        try setInitial(field, slot, &builder)
        continue
      }
      let was = layout.slots[at]
      if layout.isNull(start, was) {
        if slot.nullBit >= 0 { builder.setNull(slot) } else { try setInitial(field, slot, &builder) }
      } else if was.isVariable {
        let (bytes, isOutside) = layout.bytes(start, was)
        builder.set(slot, bytes: bytes, isOutside: isOutside)
      } else {
        builder.set(slot, fixed: start + was.position)
      }
    }
  }

  private func setInitial(_ field: Field, _ slot: Slot, _ builder: inout RowBuilder) throws(StoreError) {
    guard let value = field.initial else { return }
    do throws(RecordFault) { try builder.set(slot, value) } catch { throw unreadable }
  }

  private var unreadable: StoreError { StoreError(.damaged, "a row of \(entity.name) is unreadable") }
}

extension Layout {
  /// Whether a field's bytes are the same in two rows of this layout. Of a value that stands outside they say how long
  /// it is.
  @inline(__always)
  func isSame(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ index: Int) -> Bool {
    let (place, width) = places[index]
    let isNull = place.isNull(one)
    if isNull != place.isNull(other) { return false }
    if isNull { return true }
    if place.kind == .variable {
      let (first, second) = (place.variable(one), place.variable(other))
      return first.isOutside == second.isOutside && ByteKey(first.bytes).compare(ByteKey(second.bytes)) == 0
    }
    if width == 8 { return place.fixed(one).u64(0) == place.fixed(other).u64(0) }
    return ByteKey(place.fixed(one), width).compare(ByteKey(place.fixed(other), width)) == 0
  }
}
