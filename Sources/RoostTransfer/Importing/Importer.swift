package import RoostRecords
internal import RoostFile

/// Brings the records of a text into a store.
///
/// One thread reads, takes apart and makes rows; the one that called stores them. So both processors of a small machine have work,
/// and there are never more than a few pieces in memory. Each piece is one transaction, and with it how far the import came.
package final class Importer {
  private let store: RecordStore
  private let options: ImportOptions
  /// Called behind each piece.
  private let progress: ((ImportProgress) -> Void)?
  /// Called with each bad record, once the piece it belongs to is stored.
  private let reject: ((TransferFault) throws -> Void)?
  private let cancellation: ImportCancellation?
  private var report = ImportReport()

  package init(
    _ store: RecordStore, _ options: ImportOptions, cancellation: ImportCancellation? = nil,
    progress: ((ImportProgress) -> Void)? = nil, reject: ((TransferFault) throws -> Void)? = nil
  ) {
    self.store = store
    self.options = options
    self.cancellation = cancellation
    self.progress = progress
    self.reject = reject
  }

  /// What an import without a name is called in the store.
  private var name: String { options.name ?? "" }

  /// Imports everything. What was stored before an error stays.
  package func run(_ input: any ByteInput, _ format: TextFormat) throws -> ImportReport {
    try begin()
    let (queue, chunk) = (PieceQueue(pieces: 3), max(1, options.chunk))
    let stage = ReadingStage(store, options, input, format, skip: report.progress.records, chunk, queue)
    let thread = try Thread { stage.run() }
    do {
      while let piece = try queue.take() {
        try store(piece)
        queue.giveBack(piece)
        if cancellation?.isCancelled == true {
          report.isCancelled = true
          break
        }
      }
      queue.giveUp()
      thread.join()
    } catch {
      queue.giveUp()
      thread.join()
      throw error
    }
    if report.isCancelled { return report }
    try resolve()
    return report
  }

  private func begin() throws {
    report = ImportReport()
    // The catalog must not change while a piece is stored.
    let keeps = try store.read { reader in
      let relationships = reader.catalog.entity(options.entity).map { reader.catalog.relationships(of: $0.id) } ?? []
      return options.name != nil || relationships.contains { !$0.isHidden }
    }
    if keeps { try store.write(options.durability, author: options.author) { try ImportState.prepare($0) } }
    if options.name != nil, let known = try store.read({ try ImportState.progress(name, $0) }) {
      report.progress = known
    } else if try !store.read({ try ImportState.kept(name, most: 1, $0) }).isEmpty {
      // An import without a name was cut off, and nobody comes back for what it kept.
      _ = try resolve(isForgotten: true)
    }
  }

  // MARK: Storing

  private func store(_ piece: ImportPiece) throws {
    var next = report.progress
    var faults = piece.faults
    try store.write(options.durability, author: options.author) { writer in
      let table = try writer.table(options.entity)
      next.records += piece.records
      next.bytes = piece.inputEnd
      for row in piece.rows {
        do {
          try store(row, table, writer, &next)
        } catch let fault as RecordFault where options.conflict != .throw || fault.code != .notUnique {
          faults.append(badRecord(fault, row))
        }
      }
      next.bad += faults.count
      try checkBad(faults, next)
      if options.name != nil { try ImportState.set(next, name, writer) }
    }
    report.progress = next
    for fault in faults {
      if report.faults.count < options.mostReported { report.faults.append(fault) }
      try reject?(fault)
    }
    progress?(next)
  }

  private func checkBad(_ faults: [TransferFault], _ next: ImportProgress) throws {
    guard let first = faults.min(by: { $0.line ?? 0 < $1.line ?? 0 }) else { return }
    switch options.badRecords {
    case .stop: throw first
    case .skip(let most):
      if next.bad <= most { return }
      throw TransferFault(
        .tooLarge, "there are more than \(most) bad records; the last one: \(first.detail)", line: first.line,
        column: first.column, field: first.field)
    }
  }

  private func badRecord(_ fault: RecordFault, _ row: BuiltRow) -> TransferFault {
    var bad = TransferFault(TransferFault.Code(fault.code), fault.detail, line: row.line, field: fault.field)
    bad.record = row.text
    return bad
  }

  private func store(
    _ row: BuiltRow, _ table: TableWriter, _ writer: RecordWriter, _ next: inout ImportProgress
  ) throws {
    let id: RowID
    switch options.conflict {
    case .insert, .throw:
      try checkMissing(row, table)
      id = try table.insert(&row.builder)
      next.inserted += 1
    case .skip, .update, .merge:
      let named = Set(row.named.map { table.entity.fields[$0].id })
      let policy: UpsertPolicy =
        switch options.conflict {
        case .skip: .keepExisting
        case .merge: .fields(named, skipsNil: true)
        default: .fields(named)
        }
      if row.missing != nil {
        // A new row would lack something, so there must be one already.
        let isThere = try table.row(like: &row.builder, on: options.uniqueIndex) != nil
        if !isThere { try checkMissing(row, table) }
      }
      let (found, outcome) = try table.upsert(&row.builder, on: options.uniqueIndex, policy)
      id = found
      switch outcome {
      case .inserted: next.inserted += 1
      case .updated: next.updated += 1
      case .kept:
        next.kept += 1
        return
      }
    }
    for (one, rows) in row.lists { try writer.links(one).replace(rows, of: id) }
    for open in row.open { try ImportState.add(open, of: id, name, writer) }
  }

  private func checkMissing(_ row: BuiltRow, _ table: TableWriter) throws {
    guard let missing = row.missing else { return }
    throw RecordFault(
      .missing, "the record does not name it, and it needs a value", entity: table.entity.name,
      field: table.entity.fields[missing].name)
  }

  // MARK: References

  /// Looks up what was not there when it was named, and forgets the import.
  private func resolve(isForgotten: Bool = false) throws {
    while true {
      let kept = try store.read { try ImportState.kept(name, most: 5000, $0) }
      if kept.isEmpty { break }
      if isForgotten {
        try store.write(options.durability, author: options.author) { writer in
          for one in kept { try writer.table(ImportState.references).delete(one.id) }
        }
      } else {
        try resolve(kept)
      }
    }
    try store.write(options.durability, author: options.author) { try ImportState.forget(name, $0) }
  }

  private func resolve(_ kept: [ImportState.Kept]) throws {
    var found: [RowID?] = []
    try store.read { reader in
      let finder = RowFinder(reader)
      for one in kept {
        guard let relationship = reader.catalog.relationship(one.relationship) else {
          found.append(nil)
          continue
        }
        let way = FieldBinding.way(relationship.target, reader.catalog)
        found.append(try KeyText.value(one.key, way).flatMap { try finder.row($0, way) })
      }
    }
    var unresolved: [UnresolvedReference] = []
    try store.write(options.durability, author: options.author) { writer in
      for (one, target) in zip(kept, found) {
        guard let relationship = writer.catalog.relationship(one.relationship) else { continue }
        if let target, try writer.contains(target, relationship.target) {
          try set(relationship, of: one.row, to: target, writer)
        } else {
          unresolved.append(UnresolvedReference(row: one.row.number, property: relationship.name, key: one.key))
        }
        try writer.table(ImportState.references).delete(one.id)
      }
    }
    report.unresolvedCount += unresolved.count
    report.unresolved += unresolved.prefix(max(0, options.mostReported - report.unresolved.count))
  }

  private func set(_ one: Relationship, of row: RowID, to target: RowID, _ writer: RecordWriter) throws {
    guard case .one(let field) = one.shape else {
      // Somebody may have deleted the row meanwhile.
      if try writer.contains(row, one.entity) { try writer.links(one).append(target, to: row) }
      return
    }
    let table = try writer.table(one.entity)
    guard let name = table.entity.field(field)?.name else { return }
    let slot = try table.slot(name)
    _ = try table.update(row) { $0.set(slot, reference: target) }
  }
}

/// Keys as they are kept until their rows are there.
enum KeyText {
  static func value(_ text: String, _ way: FieldBinding.KeyWay) throws -> Value? {
    let batch = try RecordBatch()
    try Array(text.utf8).withUnsafeBytes { try batch.text.append($0) }
    // So that a number is known to be whole.
    try batch.text.append(Byte.newline)
    var parser = JSONParser(batch, 0..<batch.text.count, TransferLimits())
    _ = try parser.parse()
    let type = RowFinder.type(way, batch.bytes(batch.tokens[0]))
    return try ValueReader(batch).value(at: 0, as: type, isOptional: false).value
  }
}
