internal import RoostBytes

/// Builds rows, one after the other. The fields of a row may be set in any order.
///
/// A field that is not set is nil, or zero or empty if it is not optional.
///
/// ## Invariants
/// 1. `fixed` holds the start of the row up to the table of ends. While `isAsLoaded`, it holds that
///    table too, and `heap` the bytes after it.
/// 2. The bytes of variable field i are `heap[starts[i] ..< starts[i] + lengths[i]]`.
package struct RowBuilder: ~Copyable {
  package let layout: Layout
  private let fixed: UnsafeMutableRawPointer
  private let places: UnsafeMutablePointer<Place>
  private var heap = ByteBuffer()
  /// Whether no variable field was changed after a row was loaded.
  private var isAsLoaded = false

  private struct Place {
    var start = 0
    var length = 0
    var isOutside = false
  }

  package init(_ layout: Layout) {
    self.layout = layout
    fixed = .allocate(byteCount: max(layout.bytesStart, 8), alignment: 8)
    places = .allocate(capacity: max(layout.variableCount, 1))
    places.initialize(repeating: Place(), count: max(layout.variableCount, 1))
    clear()
  }

  deinit {
    fixed.deallocate()
    places.deallocate()
  }

  /// Begins the next row.
  package mutating func clear() {
    fixed.initializeMemory(as: UInt8.self, repeating: 0, count: layout.endsStart)
    fixed.set16(0, layout.version)
    for byte in 0..<layout.nullBytes { fixed.set8(2 + byte, 0xFF) }
    for index in 0..<layout.variableCount { places[index] = Place() }
    heap.clear()
    isAsLoaded = false
  }

  // MARK: Fixed width

  @inline(__always)
  private func present(_ slot: Slot) -> UnsafeMutableRawPointer {
    setPresent(slot)
    return fixed + slot.position
  }

  /// Marks the field as not nil. An optional struct needs nothing else.
  @inline(__always)
  package func setPresent(_ slot: Slot) {
    if slot.nullBit < 0 { return }
    let at = 2 &+ slot.nullBit &>> 3
    fixed.set8(at, fixed.u8(at) & ~(1 &<< UInt8(truncatingIfNeeded: slot.nullBit & 7)))
  }
  package func set(_ slot: Slot, word: UInt64) { present(slot).set64(0, word) }
  package func set(_ slot: Slot, half: UInt32) { present(slot).set32(0, half) }
  package func set(_ slot: Slot, short: UInt16) { present(slot).set16(0, short) }
  package func set(_ slot: Slot, byte: UInt8) { present(slot).set8(0, byte) }
  package func set(_ slot: Slot, double: Double) { present(slot).set64(0, double.bitPattern) }
  package func set(_ slot: Slot, float: Float) { present(slot).set32(0, float.bitPattern) }
  package func set(_ slot: Slot, bool: Bool) { present(slot).set8(0, bool ? 1 : 0) }
  package func set(_ slot: Slot, reference: RowID) { present(slot).set64(0, reference.number) }
  /// The row to which a reference of the current row refers; nil if it is nil.
  package func reference(_ slot: Slot) -> RowID? {
    if slot.nullBit >= 0, fixed.u8(2 + slot.nullBit >> 3) & 1 << UInt8(slot.nullBit & 7) != 0 { return nil }
    let number = fixed.u64(slot.position)
    return number == 0 ? nil : RowID(number)
  }
  package func set(_ slot: Slot, uuid: UUIDNumber) {
    let memory = present(slot)
    memory.set64(0, uuid.high.byteSwapped)
    memory.set64(8, uuid.low.byteSwapped)
  }
  package func set(_ slot: Slot, decimal: DecimalNumber) { decimal.write(to: present(slot)) }

  /// Copies the bytes of a field of the same type from another row.
  func set(_ slot: Slot, fixed memory: UnsafeRawPointer) {
    present(slot).copyMemory(from: memory, byteCount: slot.type.width ?? 0)
  }

  /// The start of the row, for callers that write fields at their positions themselves.
  package var memory: UnsafeMutableRawPointer { fixed }

  // MARK: Variable width

  /// Sets the bytes of a variable field by its index among the variable ones. Leaves the null bit
  /// as it is.
  package mutating func set(variable position: Int, bytes: UnsafeRawBufferPointer) {
    isAsLoaded = false
    places[position] = Place(start: heap.count, length: bytes.count, isOutside: false)
    heap.append(contentsOf: bytes)
  }

  package mutating func set(_ slot: Slot, bytes: UnsafeRawBufferPointer, isOutside: Bool = false) {
    setPresent(slot)
    isAsLoaded = false
    places[slot.position] = Place(start: heap.count, length: bytes.count, isOutside: isOutside)
    heap.append(contentsOf: bytes)
  }

  package mutating func set(_ slot: Slot, string: String) {
    var string = string
    string.withUTF8 { set(slot, bytes: UnsafeRawBufferPointer($0)) }
  }

  // MARK: Any field

  package mutating func setNull(_ slot: Slot) {
    if slot.nullBit >= 0 {
      let at = 2 + slot.nullBit >> 3
      fixed.set8(at, fixed.u8(at) | 1 << UInt8(slot.nullBit & 7))
    }
    if slot.isVariable {
      isAsLoaded = false
      places[slot.position] = Place()
    } else {
      (fixed + slot.position).initializeMemory(as: UInt8.self, repeating: 0, count: slot.type.width ?? 0)
    }
  }

  package mutating func set(_ slot: Slot, _ value: Value) throws(RecordFault) {
    if value.isNull {
      guard slot.nullBit >= 0 else { throw RecordFault(.missing, "nil, but a value is required") }
      return setNull(slot)
    }
    if slot.isVariable {
      var bytes: [UInt8] = []
      try ElementCoding.encode(value, as: slot.type, into: &bytes)
      bytes.withUnsafeBytes { set(slot, bytes: $0) }
    } else {
      try FixedCoding.write(value, as: slot.type, to: present(slot))
    }
  }

  /// Copies all fields of a row of the same layout.
  package mutating func load(_ row: UnsafeRawBufferPointer) {
    precondition(layout.admits(row), "the row is of this layout")
    load(admitted: row)
  }

  /// Copies all fields of a row that `admits` of this layout has accepted.
  package mutating func load(admitted row: UnsafeRawBufferPointer) {
    let start = row.baseAddress!
    fixed.copyMemory(from: start, byteCount: layout.bytesStart)
    isAsLoaded = true
    heap.clear()
    heap.append(contentsOf: UnsafeRawBufferPointer(rebasing: row[layout.bytesStart...]))
    var before = 0
    for index in 0..<layout.variableCount {
      let entry = start.u16(layout.endsStart + 2 * index)
      let end = Int(entry & ~Layout.outside)
      places[index] = Place(start: before, length: end - before, isOutside: entry & Layout.outside != 0)
      before = end
    }
  }

  /// The largest variable field whose value is in the row: its index among the variable ones, and
  /// its bytes.
  package func largest() -> (position: Int, count: Int)? {
    var found: (position: Int, count: Int)?
    for index in 0..<layout.variableCount where !places[index].isOutside && places[index].length > 8 {
      if places[index].length > found?.count ?? 0 { found = (index, places[index].length) }
    }
    return found
  }

  /// Calls `body` with the present bytes of a variable field.
  package func withBytes<Result>(_ position: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let place = places[position]
    return body(UnsafeRawBufferPointer(start: heap.memory + place.start, count: place.length))
  }

  /// Whether the loaded row stores the value of a variable field outside the row.
  func isOutside(_ slot: Slot) -> Bool { slot.isVariable && places[slot.position].isOutside }

  /// The number of bytes of the finished row.
  package var byteCount: Int {
    if isAsLoaded { return layout.bytesStart &+ heap.count }
    var sum = layout.bytesStart
    for index in 0..<layout.variableCount { sum += places[index].length }
    return sum
  }

  /// Writes a row in which all variable fields except `wanted` are empty. The target must have room
  /// for ``byteCount``.
  func write(only wanted: Set<Int>, to target: UnsafeMutableRawPointer) throws(RecordFault) {
    target.copyMemory(from: fixed, byteCount: layout.endsStart)
    var end = 0
    for index in 0..<layout.variableCount {
      let place = wanted.contains(index) ? places[index] : Place()
      guard end + place.length <= Layout.variableBytes else { throw Self.tooLarge }
      (target + (layout.bytesStart &+ end)).copyMemory(from: heap.memory + place.start, byteCount: place.length)
      end += place.length
      target.set16(layout.endsStart + 2 * index, UInt16(end) | (place.isOutside ? Layout.outside : 0))
    }
  }

  private static var tooLarge: RecordFault {
    RecordFault(.tooLarge, "the row takes more than \(Layout.variableBytes) bytes")
  }

  /// Writes the row. The target must have room for ``byteCount``. Throws if the variable fields
  /// together are too large.
  package func write(to target: UnsafeMutableRawPointer) throws(RecordFault) {
    if isAsLoaded {
      target.copyMemory(from: fixed, byteCount: layout.bytesStart)
      (target + layout.bytesStart).copyMemory(from: heap.memory, byteCount: heap.count)
      return
    }
    target.copyMemory(from: fixed, byteCount: layout.endsStart)
    var end = 0
    for index in 0..<layout.variableCount {
      let place = places[index]
      guard end + place.length <= Layout.variableBytes else { throw Self.tooLarge }
      let memory = target + (layout.bytesStart &+ end)
      if place.length <= 64 {
        memory.copyShort(from: heap.memory + place.start, byteCount: place.length)
      } else {
        memory.copyMemory(from: heap.memory + place.start, byteCount: place.length)
      }
      end += place.length
      target.set16(layout.endsStart + 2 * index, UInt16(end) | (place.isOutside ? Layout.outside : 0))
    }
  }
}
