package import RoostRecords
internal import RoostFile
internal import RoostPages

/// Brings the records of a text into a store.
///
/// One thread reads, takes apart and makes rows; the one that called stores them. So both processors of a small machine have work,
/// and there are never more than a few pieces in memory. Each piece is one transaction, and with it how far the import came.
package final class Importer {
  private let store: RecordStore
  let options: ImportOptions
  /// Called behind each piece.
  private let progress: ((ImportProgress) -> Void)?
  /// Called with each bad record, once the piece it belongs to is stored.
  private let reject: ((TransferFault) throws -> Void)?
  private let cancellation: ImportCancellation?
  /// Who tells others of what is stored.
  let watch: (any ImportWatch)?
  private var report = ImportReport()
  /// What the columns of a table are called, once its first chunk is stored.
  package private(set) var columns: [String]?

  package init(
    _ store: RecordStore, _ options: ImportOptions, cancellation: ImportCancellation? = nil,
    watch: (any ImportWatch)? = nil, progress: ((ImportProgress) -> Void)? = nil,
    reject: ((TransferFault) throws -> Void)? = nil
  ) {
    self.store = store
    self.options = options
    self.watch = watch
    self.cancellation = cancellation
    self.progress = progress
    self.reject = reject
  }

  /// What an import without a name is called in the store.
  var name: String { options.name ?? "" }

  /// Whether an earlier run of the same name was cut off.
  package func isResumed() throws -> Bool {
    try options.name != nil && store.read { try ImportState.progress(name, $0) } != nil
  }

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
    if report.isCancelled {
      // Whoever gets a report may rely on it.
      try store.write(.full, author: options.author) { _ in }
      return report
    }
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
      try watch?.begin(writer)
      let storing = try RowStoring(self, writer)
      next.records += piece.records
      next.bytes = piece.inputEnd
      for row in piece.rows {
        do {
          try storing.store(row, &next)
        } catch let fault as RecordFault where options.conflict != .throw || fault.code != .notUnique {
          faults.append(badRecord(fault, row))
        }
      }
      next.bad += faults.count
      try checkBad(faults, next)
      if options.name != nil { try ImportState.set(next, name, writer) }
      columns = piece.names
      // Before the commit: whatever comes between, none of them is lost, though some may be told twice.
      for fault in faults { try reject?(fault) }
      try watch?.end()
    }
    watch?.stored()
    report.progress = next
    report.faults += faults.prefix(max(0, options.mostReported - report.faults.count))
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
    // With it everything before is on the disk.
    try store.write(.full, author: options.author) { try ImportState.forget(name, $0) }
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
      try watch?.begin(writer)
      for (one, target) in zip(kept, found) {
        guard let relationship = writer.catalog.relationship(one.relationship) else { continue }
        if let target, try writer.contains(target, relationship.target) {
          try set(relationship, of: one.row, to: target, writer)
        } else {
          unresolved.append(UnresolvedReference(row: one.row.number, property: relationship.name, key: one.key))
        }
        try writer.table(ImportState.references).delete(one.id)
      }
      try watch?.end()
    }
    watch?.stored()
    report.unresolvedCount += unresolved.count
    report.unresolved += unresolved.prefix(max(0, options.mostReported - report.unresolved.count))
  }

  private func set(_ one: Relationship, of row: RowID, to target: RowID, _ writer: RecordWriter) throws {
    guard case .one(let field) = one.shape else {
      // Somebody may have deleted the row meanwhile.
      if try writer.contains(row, one.entity) {
        try writer.links(one).append(target, to: row)
        watch?.changed(row, of: one.entity)
        watch?.led(target, of: one.target)
      }
      return
    }
    let table = try writer.table(one.entity)
    guard let name = table.entity.field(field)?.name else { return }
    let slot = try table.slot(name)
    var former: RowID?
    let isThere = try table.update(row) { builder in
      former = builder.reference(slot)
      builder.set(slot, reference: target)
    }
    guard isThere, let watch else { return }
    watch.changed(row, of: one.entity)
    for other in [former, target] { if let other { watch.led(other, of: one.target) } }
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
