package import RoostRecords
internal import RoostFile
internal import RoostPages

/// Imports the records of a text into a store.
///
/// One thread reads, parses and makes rows; the calling thread stores them. So both processors of a
/// small machine are used, and only a few pieces are in memory at a time. Each piece is one
/// transaction, which also stores the progress.
package final class Importer {
  private let store: RecordStore
  let options: TextImportOptions
  /// Called after each piece.
  private let progress: ((ImportCounts) -> Void)?
  /// Called with each bad record, when its piece is stored.
  private let reject: ((TransferFault) throws -> Void)?
  private let cancellation: ImportCancellation?
  /// Informs contexts of stored rows.
  let watch: (any ImportWatch)?
  private var report = TextImportReport()
  /// The first line of a table, known after its first chunk is stored.
  package private(set) var header: TableHeader?

  package init(
    _ store: RecordStore, _ options: TextImportOptions, cancellation: ImportCancellation? = nil,
    watch: (any ImportWatch)? = nil, progress: ((ImportCounts) -> Void)? = nil,
    reject: ((TransferFault) throws -> Void)? = nil
  ) {
    self.store = store
    self.options = options
    self.watch = watch
    self.cancellation = cancellation
    self.progress = progress
    self.reject = reject
    keeper = ImportKeeper(store, named: options.name, isRelaxed: options.isRelaxed, author: options.author)
  }

  /// The state of the run in the store.
  let keeper: ImportKeeper

  /// Whether an earlier run with the same name was interrupted.
  package func isResumed() throws -> Bool {
    guard let name = options.name else { return false }
    return try store.read { try ImportState.progress(name, $0) }.map { $0.records > 0 } ?? false
  }

  /// Imports all records. After an error the chunks that were stored before stay.
  package func run(_ input: any ByteInput, _ format: TextFormat) throws -> TextImportReport {
    defer { keeper.end() }
    try begin(format)
    do { try store(input, format, check: keeper.check) } catch {
      // If this fails too, the next import cleans up.
      try? finish(isWhole: false)
      throw error
    }
    // A report means that the import has ended completely.
    try finish(isWhole: !report.isCancelled)
    return report
  }

  private func store(_ input: any ByteInput, _ format: TextFormat, check: UInt64) throws {
    let (queue, chunk) = (PieceQueue(pieces: 4), max(1, options.chunk ?? TextImportOptions.piece))
    let stage = ReadingStage(
      store, options, input: input, format: format, skip: report.progress.records, check: check, chunk: chunk,
      queue: queue)
    let thread = try Thread { stage.run() }
    cancellation?.add(queue)
    defer {
      cancellation?.remove(queue)
      queue.giveUp()
      // It may wait for bytes that are no longer needed.
      input.stop()
      thread.join()
    }
    while let piece = try queue.take() {
      try store(piece, queue)
      if cancellation?.isCancelled == true { break }
    }
    report.isCancelled = cancellation?.isCancelled == true
  }

  private func begin(_ format: TextFormat) throws {
    report = TextImportReport()
    try store.read { try options.check($0.catalog) }
    // The catalog must not change while a piece is stored.
    let waits = try store.read { reader in
      let relationships = reader.catalog.entity(options.entity).map { reader.catalog.relationships(of: $0.id) } ?? []
      return relationships.contains { !$0.isHidden }
    }
    try keeper.begin(options.entity, format.claim, waits: waits)
    report.progress = keeper.progress
  }

  // MARK: Storing

  /// Stores a piece in one transaction, together with the pieces that are ready, unless the caller
  /// set the size of chunks.
  private func store(_ first: ImportPiece, _ queue: PieceQueue) throws {
    var next = report.progress
    var faults: [TransferFault] = []
    try store.write(options.durability, author: options.author) { writer in
      try watch?.begin(writer)
      let storing = try RowStoring(self, writer)
      var (piece, byteCount) = (first, 0)
      while true {
        try store(piece, storing, next: &next, faults: &faults)
        byteCount += piece.byteCount
        try keeper.note(next, check: piece.check, writer)
        queue.giveBack(piece)
        guard options.chunk == nil, next.records - report.progress.records < TextImportOptions.mostOfChunk,
          byteCount < options.pieceBytes, let more = queue.takeReady()
        else { break }
        piece = more
      }
      // Before the commit: after a crash none of them is lost, but some may be reported twice.
      for fault in faults { try reject?(fault) }
      try watch?.end()
    }
    watch?.stored()
    report.progress = next
    report.faults += faults.prefix(max(0, options.mostReported - report.faults.count)).map(\.cut)
    progress?(next)
  }

  private func store(
    _ piece: ImportPiece, _ storing: RowStoring, next: inout ImportCounts, faults: inout [TransferFault]
  ) throws {
    next.records += piece.records
    next.bytes = piece.inputEnd
    var found = piece.faults
    for row in piece.rows {
      do {
        try storing.store(row, &next)
      } catch let fault as RecordFault where options.conflict != .throw || fault.code != .notUnique {
        found.append(badRecord(fault, row))
      }
    }
    next.bad += found.count
    try checkBad(found, next)
    faults += found
    header = piece.header
  }

  private func checkBad(_ faults: [TransferFault], _ next: ImportCounts) throws {
    guard let first = faults.min(by: { $0.line ?? 0 < $1.line ?? 0 }) else { return }
    switch options.badRecords {
    case .stop: throw first.cut
    case .skip(let most):
      if next.bad <= most { return }
      throw TransferFault(
        .tooLarge, "there are more than \(most) bad records, one of them: \(first.detail)", line: first.line,
        column: first.column, field: first.field)
    }
  }

  private func badRecord(_ fault: RecordFault, _ row: BuiltRow) -> TransferFault {
    var bad = TransferFault(TransferFault.Code(fault.code), fault.detail, line: row.line, field: fault.field)
    bad.record = row.text
    return bad
  }

  // MARK: The end

  private func finish(isWhole: Bool) throws {
    try keeper.finish(isWhole: isWhole, KeyFinder(), mutual: options.shape?.mutual ?? [], watch) { unresolved in
      report.unresolvedCount += unresolved.count
      report.unresolved += unresolved.prefix(max(0, options.mostReported - report.unresolved.count))
    }
  }
}
