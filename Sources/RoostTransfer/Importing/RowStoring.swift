internal import RoostRecords

/// Stores the rows of one piece, in its transaction. A row that cannot be stored leaves nothing.
final class RowStoring {
  private let importer: Importer
  private let writer: RecordWriter
  private var table: TableWriter
  /// Where the row says of which class it is.
  private let kind: Slot?
  /// Whether the last row was there already: then the next one is looked for before it is inserted.
  private var meetsRows = false

  private var options: ImportOptions { importer.options }

  init(_ importer: Importer, _ writer: RecordWriter) throws {
    self.importer = importer
    self.writer = writer
    table = try writer.table(importer.options.entity)
    kind = try? table.slot(FieldBinding.kindName)
  }

  func store(_ row: BuiltRow, _ next: inout ImportProgress) throws {
    guard let watch = importer.watch, watch.judges else {
      _ = try put(row, &next)
      return
    }
    // Who judges looks at what is stored, so it may have to be undone.
    var then = next
    do {
      try writer.savepoint {
        let id = try put(row, &then)
        // What leads nowhere yet cannot be counted.
        if let id, row.open.isEmpty, let fault = try watch.fault(of: id) { throw fault }
      }
      next = then
    } catch {
      table = try writer.table(options.entity)
      throw error
    }
  }

  /// The row's number; nil where the one that was there stays.
  private func put(_ row: BuiltRow, _ next: inout ImportProgress) throws -> RowID? {
    for (one, rows) in row.lists {
      for target in rows where try !writer.contains(target, one.target) {
        throw RecordFault(
          .unknown, "it leads to a row that is not there any more", entity: table.entity.name, field: one.name)
      }
    }
    let (id, outcome) = try place(row)
    switch outcome {
    case .inserted: next.inserted += 1
    case .updated: next.updated += 1
    case .kept:
      next.kept += 1
      return nil
    }
    if let watch = importer.watch {
      if outcome == .updated { watch.changed(id, of: table.entity.id) }
      for lead in row.leads { watch.led(lead.row, of: lead.target) }
    }
    for (one, rows) in row.lists { try link(id, one, rows, isNew: outcome == .inserted) }
    for open in row.open { try ImportState.add(open, of: id, importer.name, writer) }
    return id
  }

  private func link(_ id: RowID, _ one: Relationship, _ rows: [RowID], isNew: Bool) throws {
    let links = try writer.links(one)
    if let watch = importer.watch {
      let former = isNew ? [] : try links.rows(of: id)
      if former != rows {
        for row in former + rows { watch.led(row, of: one.target) }
        watch.changed(id, of: one.entity)
      }
    }
    try links.replace(rows, of: id)
  }

  private func place(_ row: BuiltRow) throws -> (RowID, UpsertOutcome) {
    if options.conflict == .insert || options.conflict == .throw {
      try checkMissing(row)
      return (try table.insert(&row.builder), .inserted)
    }
    if !meetsRows, row.missing == nil, table.fits(row.builder) {
      // Looks for unique values once, where an upsert does so twice.
      do { return (try table.insert(&row.builder), .inserted) } catch let fault as RecordFault
        where fault.code == .notUnique
      { meetsRows = true }
    }
    let named = Set(row.named.map { table.entity.fields[$0].id })
    let policy: UpsertPolicy =
      switch options.conflict {
      case .skip: .keepExisting
      case .merge: .fields(named, skipsNil: true)
      default: .fields(named)
      }
    let new = kind.map { slot in
      UInt32(littleEndian: row.builder.memory.loadUnaligned(fromByteOffset: slot.position, as: UInt32.self))
    }
    let (id, outcome) = try table.upsert(
      &row.builder, on: options.uniqueIndex,
      .byRow { [self] existing in
        try checkKind(existing, new)
        tellLeaving(existing, row)
        return policy
      })
    meetsRows = outcome != .inserted
    if outcome == .inserted, row.missing != nil {
      try table.delete(id)
      try checkMissing(row)
    }
    return (id, outcome)
  }

  /// A row keeps its class.
  private func checkKind(_ existing: Row, _ new: UInt32?) throws {
    guard let kind, let new else { return }
    let old = UInt32(littleEndian: existing.start.loadUnaligned(fromByteOffset: kind.position, as: UInt32.self))
    if old == new { return }
    let names = [old, new].map { writer.catalog.name(of: EntityID($0)) ?? "class \($0)" }
    throw RecordFault(
      .notUnique, "a \(names[0]) has the same value already, and this is a \(names[1])", entity: table.entity.name)
  }

  /// Tells those to which a row leads no longer.
  private func tellLeaving(_ existing: Row, _ row: BuiltRow) {
    guard let watch = importer.watch, options.conflict != .skip else { return }
    for number in row.references {
      guard case .reference(let target) = table.entity.fields[number].type else { continue }
      let slot = table.layout.slots[number]
      if table.layout.isNull(existing.start, slot) { continue }
      let word = UInt64(littleEndian: existing.start.loadUnaligned(fromByteOffset: slot.position, as: UInt64.self))
      if word != 0 { watch.led(RowID(word), of: target) }
    }
  }

  private func checkMissing(_ row: BuiltRow) throws {
    guard let missing = row.missing else { return }
    throw RecordFault(
      .missing, "the record does not name it, and it needs a value", entity: table.entity.name,
      field: table.entity.fields[missing].name)
  }
}
