package import RoostRecords

/// The place of a property, or of a part of a struct, in the rows of a layout.
public struct _Place: Sendable {
  /// How the value is stored.
  @usableFromInline package enum Kind: UInt8, Sendable {
    /// The row does not contain it: a to-many relationship, or a struct that has only parts.
    case none
    case fixed
    case variable
    /// The layout is older than the field. A row of initial values contains its value.
    case initial
  }

  @usableFromInline package var kind = Kind.none
  /// 0 if it may not be nil.
  @usableFromInline package var nullMask: UInt8 = 0
  /// Whether rows of this class must have a value, although rows of other classes of the family
  /// have none.
  package var isNeeded = false
  @usableFromInline package var nullByte: UInt32 = 0
  /// For a field of fixed width, the offset of its bytes; for a variable field, its entry in the
  /// table of ends.
  @usableFromInline package var position: UInt32 = 0
  /// The index of a variable field among the variable fields.
  @usableFromInline package var number: UInt16 = 0
  /// The field's number, for values that are stored outside the row.
  package var field: UInt16 = 0
  @usableFromInline package var bytesStart: UInt32 = 0
  /// The node of the first part, for a struct that is stored as its parts.
  package var parts: UInt32 = 0

  package init() {}

  package init(_ slot: RoostRecords.Slot, _ field: FieldID, in layout: Layout) {
    kind = slot.isVariable ? .variable : .fixed
    if slot.nullBit >= 0 {
      nullMask = 1 << UInt8(slot.nullBit & 7)
      nullByte = UInt32(2 + slot.nullBit >> 3)
    }
    position = UInt32(slot.isVariable ? layout.endsStart + 2 * slot.position : slot.position)
    number = slot.isVariable ? UInt16(slot.position) : 0
    bytesStart = UInt32(layout.bytesStart)
    self.field = field.number
  }

  /// The bytes of a variable value; nil if it is stored outside the row.
  @inline(__always)
  func bytes(_ row: UnsafeRawPointer) -> UnsafeRawBufferPointer? {
    let at = Int(position)
    let start = number == 0 ? 0 : Int(_RowSource.word(row, at &- 2) & ~_RowSource.outsideBit)
    let end = _RowSource.word(row, at)
    if end & _RowSource.outsideBit != 0 { return nil }
    return UnsafeRawBufferPointer(start: row + (Int(bytesStart) &+ start), count: Int(end) &- start)
  }

  @inlinable @inline(__always)
  func isNull(_ row: UnsafeRawPointer) -> Bool {
    nullMask != 0 && row.load(fromByteOffset: Int(nullByte), as: UInt8.self) & nullMask != 0
  }
}
