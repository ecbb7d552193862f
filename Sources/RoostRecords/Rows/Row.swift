internal import RoostBytes

/// A row of any layout of its entity, read in place. It is valid until the closure or the cursor
/// step that provided it ends.
///
/// Its bytes are checked: every ``FieldPlace`` of its layout reads within them.
@usableFromInline package struct Row {
  @usableFromInline package let id: RowID
  @usableFromInline package let start: UnsafeRawPointer
  @usableFromInline package let count: Int
  /// The version of its layout.
  @usableFromInline package let version: Int

  @inline(__always)
  init(_ id: RowID, _ start: UnsafeRawPointer, count: Int, version: Int) {
    self.id = id
    self.start = start
    self.count = count
    self.version = version
  }

  @inlinable
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}

/// The structure of a layout's rows without the types of the fields.
struct RowShape {
  private let endsStart: Int
  private let bytesStart: Int

  init(_ layout: Layout) {
    endsStart = layout.endsStart
    bytesStart = layout.bytesStart
  }

  /// See `Layout.admits`; the caller has read the version.
  @inline(__always)
  func admits(_ row: UnsafeRawPointer, _ count: Int) -> Bool {
    if count < bytesStart { return false }
    var before = 0
    var entry = endsStart
    // Four ends at a time, as long as no value is stored outside of the row: with its highest bit set, no end borrows from its neighbour.
    let high: UInt64 = 0x8000_8000_8000_8000
    while entry &+ 8 <= bytesStart {
      let ends = row.u64(entry)
      if ends & high != 0 { break }
      let starts = ends &<< 16 | UInt64(truncatingIfNeeded: before)
      if ((ends | high) &- starts) & high != high { return false }
      before = Int(truncatingIfNeeded: ends &>> 48)
      entry &+= 8
    }
    while entry < bytesStart {
      let end = row.u16(entry)
      let at = Int(end & 0x7FFF)
      if at < before || (end & 0x8000 != 0 && at &- before != 8) { return false }
      before = at
      entry &+= 2
    }
    return bytesStart &+ before == count
  }
}

/// The position of a field in the rows of one layout. It has no type, so copying it counts no
/// reference.
@usableFromInline package struct FieldPlace: Sendable {
  @usableFromInline package enum Kind: UInt8, Sendable {
    /// The layout does not have the field: its value is the initial value of the field.
    case missing
    case fixed
    case variable
  }

  @usableFromInline package let kind: Kind
  @usableFromInline let nullMask: UInt8
  @usableFromInline let nullByte: UInt32
  /// Offset of the bytes of a field of fixed width, or of the entry in the table of ends.
  @usableFromInline let position: UInt32
  /// For a variable field, the offset of the variable bytes. The first variable field has no
  /// preceding end: `isFirst`.
  @usableFromInline let bytesStart: UInt32
  @usableFromInline let isFirst: Bool

  static let missing = FieldPlace()

  private init() {
    kind = .missing
    nullMask = 0
    nullByte = 0
    position = 0
    bytesStart = 0
    isFirst = false
  }

  init(_ slot: Slot, in layout: Layout) {
    self.init(slot, endsStart: layout.endsStart, bytesStart: layout.bytesStart)
  }

  init(_ slot: Slot, endsStart: Int, bytesStart: Int) {
    kind = slot.isVariable ? .variable : .fixed
    nullMask = slot.nullBit < 0 ? 0 : 1 << UInt8(slot.nullBit & 7)
    nullByte = slot.nullBit < 0 ? 0 : UInt32(2 + slot.nullBit >> 3)
    position = UInt32(slot.isVariable ? endsStart + 2 * slot.position : slot.position)
    self.bytesStart = UInt32(bytesStart)
    isFirst = slot.isVariable && slot.position == 0
  }

  /// Whether the field has a null bit in this layout.
  @inlinable @inline(__always)
  package var isOptional: Bool { nullMask != 0 }

  /// Whether the field is nil in the row; false for a missing field.
  @inlinable @inline(__always)
  package func isNull(_ row: UnsafeRawPointer) -> Bool {
    nullMask != 0 && row.load(fromByteOffset: Int(nullByte), as: UInt8.self) & nullMask != 0
  }

  /// Written out here, because an extension of another module cannot be inlined.
  @inlinable @inline(__always)
  static func word(_ row: UnsafeRawPointer, _ offset: Int) -> UInt16 {
    UInt16(littleEndian: row.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The bytes of a field of fixed width.
  @inlinable @inline(__always)
  package func fixed(_ row: UnsafeRawPointer) -> UnsafeRawPointer { row + Int(position) }

  /// The bytes of a variable field. If the value is outside the row, they contain only its length.
  @inlinable @inline(__always)
  package func variable(_ row: UnsafeRawPointer) -> (bytes: UnsafeRawBufferPointer, isOutside: Bool) {
    let at = Int(position)
    let start = isFirst ? 0 : Int(Self.word(row, at &- 2) & 0x7FFF)
    let end = Self.word(row, at)
    let length = Int(end & 0x7FFF) &- start
    return (
      UnsafeRawBufferPointer(start: row + (Int(bytesStart) &+ start), count: length), end & 0x8000 != 0
    )
  }
}
