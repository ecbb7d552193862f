internal import RoostBytes

extension Layout {
  /// A field's value. The row must be admitted, and the field must not stand outside; nil where its bytes are no value.
  package func value(_ row: UnsafeRawPointer, _ slot: Slot) -> Value? {
    if isNull(row, slot) { return .null }
    if !slot.isVariable { return FixedCoding.read(row + slot.position, as: slot.type) }
    let (bytes, isOutside) = bytes(row, slot)
    return isOutside ? nil : ElementCoding.decode(bytes, as: slot.type)
  }

  /// The value of a variable field whose bytes stand outside the row.
  package static func value(outside bytes: UnsafeRawBufferPointer, as type: FieldType) -> Value? {
    ElementCoding.decode(bytes, as: type)
  }
}
