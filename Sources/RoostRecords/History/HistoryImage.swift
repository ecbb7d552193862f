internal import RoostBytes
internal import RoostFile
internal import RoostTrees

/// Reads rows of an entity for the history, in the state before or after a transaction.
struct HistoryImage: ~Copyable {
  /// The largest value that an entry of the history keeps.
  static let mostBytes = 4096

  private let entity: Entity
  private let layout: Layout
  private let layouts: [Layout]
  private let rows: IntegerTree
  private let large: ByteTree
  private var builder: RowBuilder
  private var row = RowBytes()
  private var id = RowID(0)

  init(_ entity: Entity, rows: IntegerTree, large: ByteTree) {
    self.entity = entity
    self.rows = rows
    self.large = large
    layouts = entity.layouts.enumerated().map { Layout(version: UInt16($0.offset), $0.element) }
    layout = layouts[layouts.count - 1]
    builder = RowBuilder(layout)
  }

  var fields: [FieldID] { layout.members.map(\.id) }

  /// Moves to a row, which must exist.
  mutating func load(_ id: RowID) throws(StoreError) {
    self.id = id
    let isNewest = try rows.withValue(of: id.number) { bytes in
      guard layout.admits(bytes), let start = bytes.baseAddress else { return false }
      row.make(bytes.count).copyMemory(from: start, byteCount: bytes.count)
      return true
    }
    if isNewest == true { return }
    guard let bytes = try rows.value(of: id.number) else { throw damaged }
    var failure: StoreError?
    bytes.withUnsafeBytes { bytes in
      do throws(StoreError) {
        try LayoutShift(entity, layouts).load(bytes, into: &builder)
        let memory = row.make(builder.byteCount)
        do throws(RecordFault) { try builder.write(to: memory) } catch { throw damaged }
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private var damaged: StoreError { StoreError(.damaged, "row \(id.number) of \(entity.name) is unreadable") }

  /// The slots of some fields. Fields that the entity does not have are left out.
  func slots(_ fields: [FieldID]) -> [(field: FieldID, slot: Slot)] {
    fields.compactMap { id in layout.members.firstIndex { $0.id == id }.map { (id, layout.slots[$0]) } }
  }

  /// Writes a field of the row: see the layout in `HistoryEntry.swift`.
  func append(_ field: FieldID, _ slot: Slot, to out: inout ByteWriter) throws(StoreError) {
    if layout.isNull(row.start, slot) { return out.byte(1) }
    if let width = slot.type.width {
      out.byte(0)
      return out.plain(UnsafeRawBufferPointer(start: row.start + slot.position, count: width))
    }
    let (bytes, isOutside) = layout.bytes(row.start, slot)
    let count = isOutside ? bytes.baseAddress!.u64(0) : UInt64(bytes.count)
    if count > UInt64(Self.mostBytes) {
      out.byte(2)
      return out.number(count)
    }
    out.byte(0)
    out.number(count)
    if !isOutside { return out.plain(bytes) }
    let whole = try LargeValue.read(id, field, in: large)
    guard whole.count == count else { throw damaged }
    whole.withUnsafeBytes { out.plain($0) }
  }
}
