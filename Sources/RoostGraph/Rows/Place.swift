package import RoostRecords

/// Where one property, or one part of a struct, stands in the rows of a layout.
public struct _Place: Sendable {
  /// What a place can be asked for.
  @usableFromInline package enum Kind: UInt8, Sendable {
    /// The row does not hold it: the members of a relationship, a struct that is only its parts.
    case none
    case fixed
    case variable
    /// The layout is older than the field: what it holds then stands in a row of initial values.
    case initial
  }

  @usableFromInline package var kind = Kind.none
  /// 0 where it may not be nil.
  @usableFromInline package var nullMask: UInt8 = 0
  /// Whether a value must stand there, although rows of other classes have none.
  package var isNeeded = false
  @usableFromInline package var nullByte: UInt32 = 0
  /// Of a field of fixed width, where its bytes begin; of a variable one, its entry in the table of ends.
  @usableFromInline package var position: UInt32 = 0
  /// Of a variable field, its number among those.
  @usableFromInline package var number: UInt16 = 0
  /// Which field it is, for values that stand outside the row.
  package var field: UInt16 = 0
  @usableFromInline package var bytesStart: UInt32 = 0
  /// The node of the first part, of a struct that is stored as its parts.
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

  /// The bytes of a value of variable size; nil if it is stored outside of the row.
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
