internal import RoostBytes

extension Layout {
  /// A field's value; nil if its bytes are not valid. `admits` must have accepted the row, and the
  /// value must be stored in the row.
  package func value(_ row: UnsafeRawPointer, _ slot: Slot) -> Value? {
    if isNull(row, slot) { return .null }
    if !slot.isVariable { return FixedCoding.read(row + slot.position, as: slot.type) }
    let (bytes, isOutside) = bytes(row, slot)
    return isOutside ? nil : ElementCoding.decode(bytes, as: slot.type)
  }

  /// The value of a variable field that is stored outside the row.
  package static func value(outside bytes: UnsafeRawBufferPointer, as type: FieldType) -> Value? {
    ElementCoding.decode(bytes, as: type)
  }
}
