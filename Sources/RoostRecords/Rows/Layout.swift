internal import RoostBytes
internal import RoostTrees

/// The position of one field in the rows of a layout.
package struct Slot: Sendable {
  package var type: FieldType
  /// The offset of the bytes of a field with a fixed width; the index of a variable field among the
  /// variable ones.
  package var position: Int
  package var isVariable: Bool
  /// The number of the null bit; -1 if the field is never nil.
  package var nullBit: Int
}

/// The positions of all fields in the rows of an entity.
///
/// An entity has one layout for every set of fields that it ever had, and each row names its
/// layout. So no row is rewritten when fields are added or removed.
///
/// ## Layout
/// ```
/// 0   u16  version of the layout
/// 2   null bits, one for every optional field: 1 means nil
///     fields of fixed width, in order
///     u16 for every variable field: where its bytes end, counted from the end of this table;
///         the highest bit says that the bytes are u64 length, and the value is in the tree of large values
///     the variable fields' bytes
/// ```
/// The bytes of a field that is nil are zeros, or none.
package final class Layout: Sendable {
  /// A field of a layout. Its number finds the same field in another layout.
  package struct Member: Hashable, Sendable {
    package var id: FieldID
    package var type: FieldType
    package var isOptional: Bool

    package init(_ id: FieldID, _ type: FieldType, isOptional: Bool = false) {
      self.id = id
      self.type = type
      self.isOptional = isOptional
    }
  }

  package static let outside: UInt16 = 0x8000
  /// The most bytes of all variable fields of a row together, without values outside the row.
  package static let variableBytes = 0x7FFF

  package let version: UInt16
  package let members: [Member]
  package let slots: [Slot]
  /// Offset of the table of ends, and of the variable bytes.
  package let endsStart: Int
  package let bytesStart: Int
  package let variableCount: Int
  let nullBytes: Int
  /// The position of each member, and the number of bytes of those with a fixed width.
  let places: [(place: FieldPlace, width: Int)]
  /// The index of the member for each byte of the fields of fixed width.
  private let owners: [UInt16]
  /// Offset of the first field of fixed width.
  private var fixedStart: Int { 2 &+ nullBytes }

  package init(version: UInt16, _ members: [Member]) {
    self.version = version
    self.members = members
    let nullCount = members.count { $0.isOptional }
    nullBytes = (nullCount + 7) / 8
    var offset = 2 + nullBytes
    var variable = 0
    var bit = 0
    var slots: [Slot] = []
    for member in members {
      var slot = Slot(type: member.type, position: 0, isVariable: false, nullBit: -1)
      if member.isOptional {
        slot.nullBit = bit
        bit += 1
      }
      if let width = member.type.width {
        slot.position = offset
        offset += width
      } else {
        slot.isVariable = true
        slot.position = variable
        variable += 1
      }
      slots.append(slot)
    }
    self.slots = slots
    endsStart = offset
    owners = members.enumerated().flatMap { index, member in
      [UInt16](repeating: UInt16(truncatingIfNeeded: index), count: member.type.width ?? 0)
    }
    variableCount = variable
    let bytesStart = offset + 2 * variable
    self.bytesStart = bytesStart
    places = slots.map { (FieldPlace($0, endsStart: offset, bytesStart: bytesStart), $0.type.width ?? 0) }
  }

  /// The version of the layout of a row; nil if the row is too short to contain one.
  @inline(__always)
  package static func version(of row: UnsafeRawBufferPointer) -> UInt16? {
    row.count >= 2 ? row.baseAddress!.u16(0) : nil
  }

  /// Checks that the bytes are a row of this layout, so that every field can be read from them.
  package func admits(_ row: UnsafeRawBufferPointer) -> Bool {
    guard row.count >= bytesStart, let start = row.baseAddress, start.u16(0) == version else { return false }
    return RowShape(self).admits(start, row.count)
  }
}

extension Layout {
  /// Whether a field has the same bytes in two rows of this layout. For a value outside the row
  /// only the length is compared.
  @inline(__always)
  func isSame(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, index: Int) -> Bool {
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

  /// The fields of fixed width that differ in two rows of `count` bytes; nil if other fields differ
  /// too.
  func differingFixed(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer, count: Int) -> FieldSet? {
    func isSame(_ from: Int, _ to: Int) -> Bool {
      ByteKey(one + from, to - from).commonPrefix(with: ByteKey(other + from, to - from)) == to - from
    }
    guard isSame(endsStart, count), isSame(0, fixedStart) else { return nil }
    var changed = FieldSet()
    var at = fixedStart
    while at < endsStart {
      at &+= ByteKey(one + at, endsStart &- at).commonPrefix(with: ByteKey(other + at, endsStart &- at))
      if at == endsStart { break }
      let member = Int(owners[at &- fixedStart])
      // The bytes of a nil field have no meaning.
      if !self.isSame(one, other, index: member) { changed.insert(member) }
      let place = places[member]
      at = Int(place.place.position) &+ place.width
    }
    return changed
  }

  // MARK: Reading. `admits` must have accepted the row.

  @inline(__always)
  package func isNull(_ row: UnsafeRawPointer, _ slot: Slot) -> Bool {
    slot.nullBit >= 0 && row.u8(2 &+ slot.nullBit &>> 3) & (1 &<< UInt8(truncatingIfNeeded: slot.nullBit & 7)) != 0
  }

  /// The row to which a reference refers; nil if it is nil.
  package func reference(_ row: UnsafeRawPointer, _ slot: Slot) -> RowID? {
    if isNull(row, slot) { return nil }
    let number = row.u64(slot.position)
    return number == 0 ? nil : RowID(number)
  }

  /// The bytes of a variable field. If `isOutside` is true, they contain only the length of a value
  /// that is stored elsewhere.
  @inline(__always)
  package func bytes(_ row: UnsafeRawPointer, _ slot: Slot) -> (bytes: UnsafeRawBufferPointer, isOutside: Bool) {
    let entry = endsStart &+ 2 &* slot.position
    let start = slot.position == 0 ? 0 : Int(row.u16(entry &- 2) & ~Self.outside)
    let end = row.u16(entry)
    let length = Int(end & ~Self.outside) &- start
    return (
      UnsafeRawBufferPointer(start: row + (bytesStart &+ start), count: length), end & Self.outside != 0
    )
  }
}
