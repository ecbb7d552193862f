internal import RoostBytes

extension RowBuilder {
  /// The value of a field in the current row; nil if it is stored outside the row, or if its bytes
  /// are not valid.
  package borrowing func value(_ slot: Slot) -> Value? {
    if isNull(slot) { return .null }
    if !slot.isVariable { return FixedCoding.read(UnsafeRawPointer(memory) + slot.position, as: slot.type) }
    if isOutside(slot) { return nil }
    let type = slot.type
    return withBytes(slot.position) { ElementCoding.decode($0, as: type) }
  }

  /// Whether a field is nil in the current row.
  package borrowing func isNull(_ slot: Slot) -> Bool {
    slot.nullBit >= 0
      && UnsafeRawPointer(memory).u8(2 &+ slot.nullBit &>> 3) & 1 &<< UInt8(truncatingIfNeeded: slot.nullBit & 7) != 0
  }
}
