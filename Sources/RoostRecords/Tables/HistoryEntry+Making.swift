internal import RoostFile
internal import RoostTrees

/// Makes the bytes of a history entry from the notes of a transaction, and from the rows before and
/// after it.
///
/// The values of a deleted row are read from the state before the transaction, because the previous
/// entries of the history describe that state.
struct HistoryEntryMaker {
  let tables: Tables
  private let notes: HistoryNotes
  private let isFull: Bool

  init(_ tables: Tables, isFull: Bool) {
    self.tables = tables
    self.isFull = isFull
    notes = tables.history
  }

  /// The entry; nil if nothing changed.
  func make(_ author: String) throws(StoreError) -> [UInt8]? {
    notes.join()
    var out = ByteWriter(capacity: 64)
    writeHead(author, former: nil, to: &out)
    let head = out.bytes.count
    for id in notes.entities {
      // The rows of a removed entity were removed with it.
      guard let entity = tables.catalog.entity(id), let section = try section(entity) else { continue }
      out.number(id.number)
      out.number(UInt64(section.count))
      section.withUnsafeBytes { out.plain($0) }
    }
    if out.bytes.count == head, !notes.isCatalogChanged { return nil }
    guard isFull, !notes.isCatalogChanged || tables.catalog.showsRows(of: tables.base) else { return out.bytes }
    let former = try FormerEntries.bytes(tables.forest)
    var whole = ByteWriter(capacity: 16 + out.bytes.count + former.count)
    writeHead(author, former: former, to: &whole)
    out.bytes.withUnsafeBytes { whole.plain(UnsafeRawBufferPointer(rebasing: $0[head...])) }
    return whole.bytes
  }

  private func writeHead(_ author: String, former: [UInt8]?, to out: inout ByteWriter) {
    out.byte(HistoryEntry.form)
    out.byte(
      (notes.isCatalogChanged ? HistoryEntry.catalogFlag : 0) | (isFull ? HistoryEntry.fullFlag : 0)
        | (former == nil ? 0 : HistoryEntry.formerFlag))
    out.text(author)
    if let former { out.data(former) }
  }

  private func section(_ entity: Entity) throws(StoreError) -> [UInt8]? {
    let was = tables.base.entity(entity.id)
    let firstNew: UInt64
    if let known = notes.firstNew[entity.id] {
      firstNew = known
    } else {
      // Only links were noted: an insertion would have opened the table.
      firstNew = try tables.currentNextRow(entity.id)
    }
    let all = notes.notes(of: entity.id)
    var (updates, deletes): ([HistoryNotes.Note], [HistoryNotes.Note]) = ([], [])
    var inserted = InsertedRows(firstNew..<max(firstNew, try tables.currentNextRow(entity.id)))
    for gap in notes.gaps(of: entity.id) { inserted.leaveOut(gap) }
    for note in all {
      switch note.what {
      case HistoryNotes.Note.passed: continue
      case HistoryNotes.Note.inserted: inserted.add(note.row)
      case HistoryNotes.Note.deleted:
        if note.row < firstNew { deletes.append(note) } else { inserted.leaveOut(note.row..<note.row + 1) }
      default: if note.row < firstNew { updates.append(note) }
      }
    }
    let runs = inserted.runs
    if updates.isEmpty, deletes.isEmpty, runs.isEmpty { return nil }

    var out = ByteWriter(capacity: 32)
    let kept = deletes.isEmpty ? [] : was.map(keptFields) ?? []
    out.columns(kept)
    let held = isFull && !(updates.isEmpty && runs.isEmpty) ? entity.fields : []
    out.columns(held)
    var now: HistoryImage?
    if !held.isEmpty { now = try tables.image(entity) }
    try write(runs, &now, to: &out)
    try write(updates, &now, held: held, to: &out)
    try write(deletes, was, kept: kept.map(\.id), to: &out)
    return out.bytes
  }

  /// The fields that the history keeps of deleted rows: preserved fields, and those of unique
  /// indexes.
  private func keptFields(of entity: Entity) -> [Field] {
    var ids = Set<FieldID>()
    for index in tables.base.indexes(of: entity.id) where index.isUnique { ids.formUnion(index.parts.map(\.field)) }
    return entity.fields.filter { $0.isPreserved || ids.contains($0.id) }
  }

  // MARK: Writing

  private func write(
    _ runs: [Range<UInt64>], _ now: inout HistoryImage?, to out: inout ByteWriter
  ) throws(StoreError) {
    out.number(UInt64(runs.count))
    let slots = now?.slots(now?.fields ?? []) ?? []
    var end: UInt64 = 0
    for run in runs {
      out.number(run.lowerBound - end)
      out.number(run.upperBound - run.lowerBound)
      end = run.upperBound
      if slots.isEmpty { continue }
      for row in run { try write(RowID(row), slots, image: &now, to: &out) }
    }
  }

  private func write(
    _ updates: [HistoryNotes.Note], _ now: inout HistoryImage?, held: [Field], to out: inout ByteWriter
  ) throws(StoreError) {
    if updates.isEmpty { return out.number(UInt64(0)) }
    // One group for each set of fields, in the order of their first use.
    var groups: [UInt32: Int] = [:]
    var members: [(what: UInt32, rows: [UInt64])] = []
    // Most changes have the same fields as the one before.
    var last: (what: UInt32, group: Int) = (0, 0)
    for note in updates {
      if note.what == last.what {
        members[last.group].rows.append(note.row)
        continue
      }
      if let group = groups[note.what] {
        members[group].rows.append(note.row)
      } else {
        groups[note.what] = members.count
        members.append((note.what, [note.row]))
      }
      last = (note.what, groups[note.what] ?? 0)
    }
    out.number(UInt64(members.count))
    for (what, rows) in members {
      let touched = notes.sets[Int(what - 1)]
      out.list(touched.fields) { out, field in out.number(field.number) }
      out.list(touched.relationships) { out, relationship in out.number(relationship) }
      out.number(UInt64(rows.count))
      let slots = now?.slots(touched.fields) ?? []
      var before: UInt64 = 0
      for row in rows {
        out.number(row - before)
        before = row
        if !slots.isEmpty { try write(RowID(row), slots, image: &now, to: &out) }
      }
    }
  }

  private func write(
    _ deletes: [HistoryNotes.Note], _ was: Entity?, kept: [FieldID], to out: inout ByteWriter
  ) throws(StoreError) {
    out.number(UInt64(deletes.count))
    var before: UInt64 = 0
    var image: HistoryImage?
    if !kept.isEmpty, let was { image = try tables.baseImage(was) }
    let slots = image?.slots(kept) ?? []
    for note in deletes {
      out.number(note.row - before)
      before = note.row
      if !slots.isEmpty { try write(RowID(note.row), slots, image: &image, to: &out) }
    }
  }

  private func write(
    _ row: RowID, _ slots: [(field: FieldID, slot: Slot)], image: inout HistoryImage?, to out: inout ByteWriter
  ) throws(StoreError) {
    try image?.load(row)
    for (field, slot) in slots { try image?.append(field, slot, to: &out) }
  }
}

extension ByteWriter {
  fileprivate mutating func columns(_ fields: [Field]) {
    list(fields) { out, field in
      out.number(field.id.number)
      out.type(field.type)
    }
  }
}
