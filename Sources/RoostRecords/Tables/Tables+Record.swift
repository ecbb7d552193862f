internal import RoostBytes
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Writes the log records of rows and replays them.
///
/// ## Layout
/// `entity`, `field` and `row` are varints; `rest` extends to the end of the piece.
/// ```
/// 32 catalog   its bytes (rest)
/// 33 insert    entity, row, the row's bytes (rest)
/// 34 update    entity, row, number of the row's fields that follow, and for each: field, u8 (1 nil, 2 outside),
///              varint length, bytes as in a row
/// 35 delete    entity, row
/// 36 large     entity, row, field, the value's bytes (rest): of the row that the next piece inserts or updates
/// 37 history   see `Tables+History.swift`
/// 38 to 42     links, see `Tables+Links.swift`
/// 43 large extents   entity, row, field, the list of its extents (rest): the same, of a value that is written already
/// 44 build     index, the row below which it is built now, or 0 if it is complete
/// ```
extension Tables {
  enum Kind: UInt8 {
    case catalog = 32
    case insert = 33
    case update = 34
    case delete = 35
    case large = 36
    case history = 37
    case link = 38
    case unlink = 39
    case moveLink = 40
    case unlinkAll = 41
    case arrange = 42
    case largeExtents = 43
    case build = 44

    var isAboutLinks: Bool { (Kind.link.rawValue...Kind.arrange.rawValue).contains(rawValue) }
  }

  static let floor = Store.Floor(
    replay: { (transaction, kind, bytes) throws(StoreError) in
      guard let kind = Kind(rawValue: kind) else { throw unreadable }
      do { try tables(of: transaction).carryOut(kind, bytes) } catch let error as StoreError { throw error } catch {
        throw StoreError(.logDamaged, "a record cannot be replayed: \(error)")
      }
    },
    seal: { (transaction) throws(StoreError) in
      let tables = try tables(of: transaction)
      let root = try tables.seal()
      tables.rest()
      return root
    })

  static var unreadable: StoreError { StoreError(.logDamaged, "a change of rows in the log is unreadable") }

  /// The tables of the transaction that is being replayed. They may be reused from the record
  /// before it.
  private static func tables(of transaction: WriteTransaction) throws(StoreError) -> Tables {
    try transaction.attached { () throws(StoreError) in try Tables(Forest(in: transaction)) }
  }

  // MARK: Writing

  private var transaction: WriteTransaction { forest.transaction }

  @inline(__always)
  func record(_ kind: Kind, _ entity: EntityID, row: RowID, bytes: UnsafeRawBufferPointer) throws(StoreError) {
    let head = Varint.byteCount(UInt64(entity.number)) + Varint.byteCount(row.number)
    try borrowed.use { (transaction) throws(StoreError) in
      try transaction.record(kind.rawValue, count: head + bytes.count) { memory in
        var at = Varint.encode(UInt64(entity.number), to: memory)
        at += Varint.encode(row.number, to: memory + at)
        if let start = bytes.baseAddress { (memory + at).copyMemory(from: start, byteCount: bytes.count) }
      }
    }
  }

  func recordLarge(_ entity: EntityID, _ row: RowID, field: FieldID, bytes: [UInt8]) throws(StoreError) {
    var piece = ByteWriter()
    piece.number(field.number)
    let head = piece.bytes
    try join(.large, entity, row: row, bytes: head + bytes)
  }

  func recordLarge(_ entity: EntityID, _ row: RowID, field: FieldID, list: ExtentList) throws(StoreError) {
    var piece = ByteWriter()
    piece.number(field.number)
    try join(.largeExtents, entity, row: row, bytes: piece.bytes + list.encoded)
  }

  private func join(_ kind: Kind, _ entity: EntityID, row: RowID, bytes: [UInt8]) throws(StoreError) {
    var failure: StoreError?
    bytes.withUnsafeBytes { bytes in
      do throws(StoreError) { try record(kind, entity, row: row, bytes: bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  func recordCatalog(_ bytes: [UInt8]) throws(StoreError) {
    try transaction.record(Kind.catalog.rawValue, count: bytes.count) { memory in
      bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }
  }

  func recordUpdate(
    _ entity: EntityID, _ row: RowID, changed: FieldSet, layout: Layout, bytes: UnsafeRawBufferPointer
  ) throws(StoreError) {
    try record(.update, entity, row: row, wanted: changed, layout: layout, start: bytes.baseAddress!)
  }

  /// The log has no values of the deleted row. Replay reads those for the history from the state
  /// before the transaction.
  func recordDelete(_ entity: EntityID, _ row: RowID) throws(StoreError) {
    try record(.delete, entity, row: row, bytes: UnsafeRawBufferPointer(start: nil, count: 0))
  }

  /// Adds a piece with some fields of a row.
  private func record(
    _ kind: Kind, _ entity: EntityID, row: RowID, wanted: FieldSet, layout: Layout, start: UnsafeRawPointer
  ) throws(StoreError) {
    var count = Varint.byteCount(UInt64(entity.number)) + Varint.byteCount(row.number)
    count += Varint.byteCount(UInt64(wanted.count))
    wanted.forEach(of: layout.places.count) { index in
      let bytes = Self.field(layout, index, row: start).bytes.count
      count += Varint.byteCount(UInt64(layout.members[index].id.number)) + 1 + Varint.byteCount(UInt64(bytes)) + bytes
    }
    try transaction.record(kind.rawValue, count: count) { memory in
      var at = memory
      at += Varint.encode(UInt64(entity.number), to: at)
      at += Varint.encode(row.number, to: at)
      at += Varint.encode(UInt64(wanted.count), to: at)
      wanted.forEach(of: layout.places.count) { index in
        let (flags, bytes) = Self.field(layout, index, row: start)
        at += Varint.encode(UInt64(layout.members[index].id.number), to: at)
        at.set8(0, flags)
        at += 1
        at += Varint.encode(UInt64(bytes.count), to: at)
        if let source = bytes.baseAddress { at.copyMemory(from: source, byteCount: bytes.count) }
        at += bytes.count
      }
    }
  }

  /// A field's flags and bytes in a piece.
  @inline(__always)
  private static func field(
    _ layout: Layout, _ index: Int, row: UnsafeRawPointer
  ) -> (flags: UInt8, bytes: UnsafeRawBufferPointer) {
    let (place, width) = layout.places[index]
    if place.isNull(row) { return (1, UnsafeRawBufferPointer(start: nil, count: 0)) }
    if place.kind == .variable {
      let (bytes, isOutside) = place.variable(row)
      return (isOutside ? 2 : 0, bytes)
    }
    return (0, UnsafeRawBufferPointer(start: place.fixed(row), count: width))
  }

  // MARK: Replay

  func carryOut(_ kind: Kind, _ bytes: UnsafeRawBufferPointer) throws {
    if kind == .catalog { return try setCatalog(try Catalog(decoding: bytes)) }
    if kind == .history { return try carryOutHistory(bytes) }
    var reader = ByteReader(bytes)
    if kind == .build { return try carryOutBuild(&reader) }
    if kind.isAboutLinks { return try carryOutLinks(kind, &reader) }
    let table = try table(EntityID(try reader.number()))
    let row = RowID(try reader.number())
    switch kind {
    // These were replayed above.
    case .catalog, .history, .build, .link, .unlink, .moveLink, .unlinkAll, .arrange: throw Self.unreadable
    case .insert: try table.replayInsert(row, reader.rest())
    case .delete: try table.replayDelete(row)
    case .large: try table.replayLarge(FieldID(try reader.number()), [UInt8](reader.rest()))
    case .largeExtents:
      let field = FieldID(try reader.number())
      guard let list = ExtentList(decoding: reader.rest()) else { throw Self.unreadable }
      try table.replayLarge(field, [], list: list)
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

/// Ends the tables with their transaction. That also happens if a record cannot be replayed and the
/// replay ends early: the tables reference each other, and must be released.
extension Tables: TransactionState {
  package func transactionEnded() { end() }
  package var mayGoOn: Bool { isStanding }
}
