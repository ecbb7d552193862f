internal import RoostBytes
internal import RoostCare
internal import RoostFile
internal import RoostPages
internal import RoostTrees

/// Repairs rows, their large values and their indexes.
extension TreeMender {
  /// Makes every row readable. Unreadable fields become empty.
  func mendRows(_ entity: Entity) throws(StoreError) {
    let rows = try integers(Tables.rows(entity.id))
    let shelf = try shelf(entity)
    var bad: [RowID] = []
    var cursor = IntegerCursor(rows.tree)
    var isThere = try cursor.first()
    while isThere, let (number, value) = cursor.entry() {
      let id = RowID(number)
      let bytes = try value.load(view)
      let isReadable = try unreadable(id, bytes, shelf: shelf)?.isEmpty == true
      if try !isReadable ? true : lacksStray(id, bytes, shelf: shelf) { bad.append(id) }
      isThere = try cursor.next()
    }
    var now = shelf
    for id in bad {
      // Pages of the previous tree may be reused.
      now.rows = rows.tree
      if try !mend(id, now, rows: rows) { try drop(id, entity, rows: rows) }
      try forest.transaction.relieve()
    }
  }

  private func unreadable(_ id: RowID, _ bytes: [UInt8], shelf: Shelf) throws(StoreError) -> [FieldID]? {
    guard id.number > 0, id.number < RowNumbers.end else { return nil }
    let result = bytes.withUnsafeBytes { row -> Result<[FieldID]?, StoreError> in
      do throws(StoreError) { return .success(try shelf.unreadable(id, row)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func lacksStray(_ id: RowID, _ bytes: [UInt8], shelf: Shelf) throws(StoreError) -> Bool {
    let result = bytes.withUnsafeBytes { row -> Result<Bool, StoreError> in
      do throws(StoreError) { return .success(try shelf.lacksStray(id, row)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Writes a row in the newest layout without its unreadable values. Returns false if nothing in
  /// it can be read.
  private func mend(_ id: RowID, _ shelf: Shelf, rows: IntegerTreeDraft) throws(StoreError) -> Bool {
    guard let bytes = try shelf.row(id), let fields = try unreadable(id, bytes, shelf: shelf) else { return false }
    var builder = RowBuilder(shelf.layouts[shelf.layouts.count - 1])
    var made: [UInt8] = []
    do {
      try bytes.withUnsafeBytes { try LayoutShift(shelf.entity, shelf.layouts).load($0, into: &builder) }
      for field in fields { try builder.empty(field) }
      made = [UInt8](repeating: 0, count: builder.byteCount)
      try made.withUnsafeMutableBytes { try builder.write(to: $0.baseAddress!) }
    } catch { return false }
    guard try unreadable(id, made, shelf: shelf)?.isEmpty == true else { return false }
    _ = try ByteKey.borrowing(made) { (bytes) throws(StoreError) in _ = try rows.put(id.number, bytes.bytes) }
    if !fields.isEmpty { emptied[shelf.entity.id, default: NumberRuns()].insert(id.number) }
    for field in fields {
      let name = shelf.entity.field(field)?.name ?? ""
      tally.add("values of \(name) of \(shelf.entity.name) are lost, and are empty now", "row \(id.number)")
    }
    return true
  }

  private func drop(_ id: RowID, _ entity: Entity, rows: IntegerTreeDraft) throws(StoreError) {
    losesRows = true
    tally.add("rows of \(entity.name) that cannot be read", "row \(id.number)")
    _ = try rows.remove(id.number)
  }

  /// Removes large values that no row names.
  func mendLarge(_ entity: Entity) throws(StoreError) {
    let large = try bytes(Tables.large(entity.id))
    let shelf = try shelf(entity)
    var strays: [[UInt8]] = []
    var cursor = ByteCursor(large.tree)
    var isThere = try cursor.first()
    while isThere, let (key, _) = cursor.entry() {
      let found = [UInt8](key.bytes)
      if try !isNamed(found, shelf) { strays.append(found) }
      isThere = try cursor.next()
    }
    try remove(strays, from: large)
    try nameUnverified(entity)
  }

  /// Names the rows whose values come from a page without a valid checksum: a byte of them may be
  /// wrong.
  private func nameUnverified(_ entity: Entity) throws(StoreError) {
    guard let unverified = saved.unverified[Tables.large(entity.id)] else { return }
    let rows = try integers(Tables.rows(entity.id)).tree
    var last: UInt64?
    try unverified.forEach { (number) throws(StoreError) in
      guard number != last, try rows.value(of: number) != nil else { return }
      last = number
      tally.add(
        "large values of \(entity.name) are from pages without a valid checksum, and may be wrong", "row \(number)")
    }
  }

  private func isNamed(_ key: [UInt8], _ shelf: Shelf) throws(StoreError) -> Bool {
    guard let key = LargeKey(key), let bytes = try shelf.row(key.row),
      let length = bytes.withUnsafeBytes({ shelf.largeLength(of: key.field, $0) })
    else { return false }
    return key.piece == 0 || key.piece < LargeValue.pieces(of: Int(clamping: length))
  }

  // MARK: Indexes

  /// Fills the empty indexes of an entity.
  func buildIndexes(_ table: TableWriter) throws {
    let unverified = saved.unverified[Tables.rows(table.entity.id)] ?? NumberRuns()
    if unverified.isEmpty {
      do {
        for index in table.indexes {
          _ = try table.build(index, from: RowID(0), to: index.index.builtBelow, most: .max)
        }
        return
      } catch is RecordFault {
        // Two rows have the same unique values, which no written rows had. So the rows are added
        // one by one.
        try table.settle()
        for index in table.indexes { try index.draft.removeAll() }
      }
    }
    try buildSlowly(table, unverified)
  }

  /// Adds complete and verified rows first, then rows that lost a value, then unverified ones. A
  /// row that conflicts with an earlier one is left out.
  private func buildSlowly(_ table: TableWriter, _ unverified: NumberRuns) throws {
    let emptied = emptied[table.entity.id] ?? NumberRuns()
    var dropped: [RowID] = []
    func take(_ id: RowID) throws {
      if try !table.stand(id) { dropped.append(id) }
      try forest.transaction.relieve()
    }
    var cursor = IntegerCursor(table.rows.tree)
    var isThere = try cursor.first()
    while isThere {
      let id = RowID(cursor.key)
      if !emptied.contains(id.number), !unverified.contains(id.number) { try take(id) }
      isThere = try cursor.next()
    }
    try emptied.forEach { number in if !unverified.contains(number) { try take(RowID(number)) } }
    try unverified.forEach { number in
      if try table.rows.tree.value(of: number) != nil { try take(RowID(number)) }
    }
    for id in dropped {
      losesRows = true
      tally.add(
        SalvageTally.rival(table.entity, isValueLost: emptied.contains(id.number)), "row \(id.number)")
      _ = try table.rows.remove(id.number)
    }
  }
}

extension TableWriter {
  /// Adds an existing row to the indexes. Returns false and changes nothing if another row has its
  /// unique values.
  fileprivate func stand(_ id: RowID) throws -> Bool {
    guard try load(id) else { return false }
    new.make(old.count).copyMemory(from: old.start, byteCount: old.count)
    do {
      for index in indexes where index.covers(id) {
        if try conflict(index, id, moved: []) != nil { return false }
      }
    } catch is RecordFault { return false }
    try add(id, to: borrowed)
    return true
  }
}
