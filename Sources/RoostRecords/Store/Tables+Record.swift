internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// What this floor writes into the log, and how it is carried out again.
///
/// ## Layout
/// `entity`, `field` and `row` are varints; `rest` reaches to the piece's end.
/// ```
/// 32 catalog   its bytes (rest)
/// 33 insert    entity, row, the row's bytes (rest)
/// 34 update    entity, row, number of the row's fields that follow, and for each: field, u8 (1 nil, 2 outside),
///              varint length, bytes as in a row
/// 35 delete    entity, row
/// 36 large     entity, row, field, the value's bytes (rest): of the row that the next piece inserts or updates
/// 37 history   see `Tables+History.swift`
/// ```
extension Tables {
  enum Kind: UInt8 {
    case catalog = 32
    case insert = 33
    case update = 34
    case delete = 35
    case large = 36
    case history = 37
  }

  static let floor = Store.Floor(
    replay: { (transaction, kind, bytes) throws(StoreError) in
      guard let kind = Kind(rawValue: kind) else { throw unreadable }
      do { try tables(of: transaction).carryOut(kind, bytes) } catch let error as StoreError { throw error } catch {
        throw StoreError(.logDamaged, "a record cannot be carried out again: \(error)")
      }
    },
    seal: { (transaction) throws(StoreError) in
      let tables = try tables(of: transaction)
      defer { tables.end() }
      return try tables.seal()
    })

  static var unreadable: StoreError { StoreError(.logDamaged, "a change of rows in the log is unreadable") }

  /// The tables that live as long as the transaction being replayed.
  private static func tables(of transaction: WriteTransaction) throws(StoreError) -> Tables {
    try transaction.attached { () throws(StoreError) in try Tables(Forest(in: transaction)) }
  }

  // MARK: Writing

  private var transaction: WriteTransaction { forest.transaction }

  @inline(__always)
  func record(_ kind: Kind, _ entity: EntityID, _ row: RowID, _ bytes: UnsafeRawBufferPointer) throws(StoreError) {
    let head = Varint.byteCount(UInt64(entity.number)) + Varint.byteCount(row.number)
    try transaction.record(kind.rawValue, count: head + bytes.count) { memory in
      var at = Varint.encode(UInt64(entity.number), to: memory)
      at += Varint.encode(row.number, to: memory + at)
      if let start = bytes.baseAddress { (memory + at).copyMemory(from: start, byteCount: bytes.count) }
    }
  }

  func recordLarge(_ entity: EntityID, _ row: RowID, _ field: FieldID, _ bytes: [UInt8]) throws(StoreError) {
    var piece = ByteWriter()
    piece.number(field.number)
    let head = piece.bytes
    try join(.large, entity, row, head + bytes)
  }

  private func join(_ kind: Kind, _ entity: EntityID, _ row: RowID, _ bytes: [UInt8]) throws(StoreError) {
    var failure: StoreError?
    bytes.withUnsafeBytes { bytes in
      do throws(StoreError) { try record(kind, entity, row, bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func recordCatalog(_ bytes: [UInt8]) throws(StoreError) {
    try transaction.record(Kind.catalog.rawValue, count: bytes.count) { memory in
      bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }
  }

  func recordUpdate(
    _ entity: EntityID, _ row: RowID, _ changed: Set<FieldID>, _ layout: Layout, _ bytes: UnsafeRawBufferPointer
  ) throws(StoreError) {
    try join(.update, entity, row, Self.fields(changed, layout, bytes.baseAddress!))
  }

  /// What the history keeps of the row is read again from the state before the transaction.
  func recordDelete(_ entity: EntityID, _ row: RowID) throws(StoreError) {
    try record(.delete, entity, row, UnsafeRawBufferPointer(start: nil, count: 0))
  }

  private static func fields(_ wanted: Set<FieldID>, _ layout: Layout, _ row: UnsafeRawPointer) -> [UInt8] {
    var piece = ByteWriter()
    piece.number(UInt64(wanted.count))
    for (member, slot) in zip(layout.members, layout.slots) where wanted.contains(member.id) {
      piece.number(member.id.number)
      if layout.isNull(row, slot) {
        piece.byte(1)
        piece.number(UInt64(0))
      } else if slot.isVariable {
        let (bytes, isOutside) = layout.bytes(row, slot)
        piece.byte(isOutside ? 2 : 0)
        piece.data([UInt8](bytes))
      } else {
        piece.byte(0)
        piece.data([UInt8](UnsafeRawBufferPointer(start: row + slot.position, count: slot.type.width ?? 0)))
      }
    }
    return piece.bytes
  }

  // MARK: Carrying out

  func carryOut(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) throws {
    if kind == .catalog { return try setCatalog(try Catalog(decoding: bytes)) }
    if kind == .history { return try carryOutHistory(bytes) }
    var reader = ByteReader(bytes)
    let table = try table(EntityID(try reader.number()))
    let row = RowID(try reader.number())
    switch kind {
    case .catalog, .history: return
    case .insert: try table.replayInsert(row, reader.rest())
    case .delete: try table.replayDelete(row)
    case .large: try table.replayLarge(FieldID(try reader.number()), reader.rest())
    case .update:
      let fields = try reader.list { reader in
        (FieldID(try reader.number()), try reader.byte(), try reader.data())
      }
      try table.replayUpdate(row) { (builder) throws(StoreError) in
        for (id, flags, bytes) in fields {
          let layout = builder.layout
          guard let index = layout.members.firstIndex(where: { $0.id == id }) else { throw Self.unreadable }
          let slot = layout.slots[index]
          if flags & 1 != 0 {
            builder.setNull(slot)
            continue
          }
          guard slot.isVariable || bytes.count == slot.type.width else { throw Self.unreadable }
          bytes.withUnsafeBytes { bytes in
            if slot.isVariable {
              builder.set(slot, bytes: bytes, isOutside: flags & 2 != 0)
            } else if let start = bytes.baseAddress {
              builder.set(slot, fixed: start)
            } else {
              builder.setPresent(slot)
            }
          }
        }
      }
    }
  }
}
