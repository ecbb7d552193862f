internal import RoostBytes
internal import RoostTrees

/// Where one field stands in the rows of a layout.
package struct Slot: Sendable {
  package var type: FieldType
  /// Of the bytes of a field with a fixed width; of a variable one, its number among those.
  package var position: Int
  package var isVariable: Bool
  /// The bit that says nil; -1 where the field is never nil.
  package var nullBit: Int
}

/// How the rows of an entity are written: which field stands where.
///
/// An entity has one layout for every set of fields it ever had, and each row names its own. So a row is never written
/// again because fields came or went.
///
/// ## Layout
/// ```
/// 0   u16  version of the layout
/// 2   null bits, one for every field that may be nil: 1 says nil
///     fields of fixed width, in order
///     u16 for every variable field: where its bytes end, counted from the end of this table;
///         the highest bit says that the bytes are u64 length, and the value stands among the entity's large values
///     the variable fields' bytes
/// ```
/// The bytes of a field that is nil are zeros, or none.
package final class Layout: Sendable {
  /// A field of a layout, by which another layout's are found.
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
  /// The most bytes that all variable fields of a row may take together, without those outside.
  package static let variableBytes = 0x7FFF

  package let version: UInt16
  package let members: [Member]
  package let slots: [Slot]
  /// Where the table of ends begins and where the variable bytes do.
  package let endsStart: Int
  package let bytesStart: Int
  package let variableCount: Int
  let nullBytes: Int
  /// Where each member stands, and of those of fixed width how many bytes they take.
  let places: [(place: FieldPlace, width: Int)]
  /// Of each byte of the fields of fixed width, which member it belongs to.
  private let owners: [UInt16]
  /// Where those fields begin.
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

  /// The version that a row was written under; nil where it is too short to say.
  @inline(__always)
  package static func version(of row: UnsafeRawBufferPointer) -> UInt16? {
    row.count >= 2 ? row.baseAddress!.u16(0) : nil
  }

  /// Whether the bytes can be a row of this layout, so that every field can be read from them.
  package func admits(_ row: UnsafeRawBufferPointer) -> Bool {
    guard row.count >= bytesStart, let start = row.baseAddress, start.u16(0) == version else { return false }
    return RowShape(self).admits(start, row.count)
  }
}

extension Layout {
  /// Whether a field's bytes are the same in two rows of this layout. Of a value that stands outside they say how long
  /// it is.
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

  /// The fields of fixed width in which two rows differ, of as many bytes; nil where more than such fields differs.
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
      // What lies under a nil says nothing.
      if !self.isSame(one, other, index: member) { changed.insert(member) }
      let place = places[member]
      at = Int(place.place.position) &+ place.width
    }
    return changed
  }

  // MARK: Reading. The row must be admitted.

  @inline(__always)
  package func isNull(_ row: UnsafeRawPointer, _ slot: Slot) -> Bool {
    slot.nullBit >= 0 && row.u8(2 &+ slot.nullBit &>> 3) & (1 &<< UInt8(truncatingIfNeeded: slot.nullBit & 7)) != 0
  }

  /// Where a reference leads; nil for nowhere.
  package func reference(_ row: UnsafeRawPointer, _ slot: Slot) -> RowID? {
    if isNull(row, slot) { return nil }
    let number = row.u64(slot.position)
    return number == 0 ? nil : RowID(number)
  }

  /// The bytes of a variable field, and whether they only say how long the value is that stands elsewhere.
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
