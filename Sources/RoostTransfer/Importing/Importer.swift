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

  /// What the import is called in the store: one without a name is called as its run.
  private(set) var name = ""
  /// What the run says of itself there; nil where there is nothing to keep.
  private var claim: ImportClaim?

  /// Whether an earlier run of the same name was cut off.
  package func isResumed() throws -> Bool {
    guard let name = options.name else { return false }
    return try store.read { try ImportState.progress(name, $0) }.map { $0.records > 0 } ?? false
  }

  /// Imports everything. What was stored before an error stays.
  package func run(_ input: any ByteInput, _ format: TextFormat) throws -> ImportReport {
    let run = ImportRuns.shared.begin()
    defer { ImportRuns.shared.end(run) }
    name = options.name ?? ImportRuns.prefix + run
    let check = try begin(format, run)
    do { try store(input, format, check) } catch {
      // Nobody can go on with it, so what is stored leads where it can. If that fails too the next import tidies up.
      if options.name == nil { try? resolve() }
      throw error
    }
    if report.isCancelled, options.name != nil {
      // Whoever gets a report may rely on it.
      try store.write(.full, author: options.author) { _ in }
    } else {
      try resolve()
    }
    return report
  }

  private func store(_ input: any ByteInput, _ format: TextFormat, _ check: UInt64) throws {
    let (queue, chunk) = (PieceQueue(pieces: 4), max(1, options.chunk ?? ImportOptions.piece))
    let stage = ReadingStage(
      store, options, input, format, skip: report.progress.records, check: check, chunk, queue)
    let thread = try Thread { stage.run() }
    cancellation?.add(queue)
    defer {
      cancellation?.remove(queue)
      queue.giveUp()
      // It may wait for bytes that nobody wants any more.
      input.stop()
      thread.join()
    }
    while let piece = try queue.take() {
      try store(piece, queue)
      if cancellation?.isCancelled == true { break }
    }
    report.isCancelled = cancellation?.isCancelled == true
  }

  /// Makes the import this run's own, and returns the check of what an earlier one had stored.
  private func begin(_ format: TextFormat, _ run: String) throws -> UInt64 {
    (report, claim) = (ImportReport(), nil)
    try store.read { try options.check($0.catalog) }
    // The catalog must not change while a piece is stored.
    let keeps = try store.read { reader in
      let relationships = reader.catalog.entity(options.entity).map { reader.catalog.relationships(of: $0.id) } ?? []
      return options.name != nil || relationships.contains { !$0.isHidden }
    }
    guard keeps else { return 0 }
    let own = ImportClaim(name, options.entity, format, run)
    let came = try store.write(options.durability, author: options.author) { writer in
      try ImportState.prepare(writer)
      return try ImportState.claim(own, writer)
    }
    (claim, report.progress) = (own, came.progress)
    try tidyUp()
    return came.check
  }

  /// Removes what imports without names kept that ended with their process: nobody comes back for it.
  private func tidyUp() throws {
    let dead = try store.read { try ImportState.dead($0) }
    if dead.isEmpty { return }
    while true {
      let kept = try store.read { try ImportState.kept(dead, most: 5000, $0) }
      if kept.isEmpty { break }
      try store.write(options.durability, author: options.author) { writer in
        let table = try writer.table(ImportState.references)
        for one in kept { try table.delete(one.id) }
      }
    }
    try store.write(options.durability, author: options.author) { writer in
      for name in dead { try ImportState.forget(name, writer) }
    }
  }

  // MARK: Storing

  /// Stores a piece in one transaction, and with it those that are ready, where nobody chose how many records that is.
  private func store(_ first: ImportPiece, _ queue: PieceQueue) throws {
    var next = report.progress
    var faults: [TransferFault] = []
    try store.write(options.durability, author: options.author) { writer in
      try watch?.begin(writer)
      let storing = try RowStoring(self, writer)
      var (piece, byteCount) = (first, 0)
      while true {
        try store(piece, storing, &next, &faults)
        byteCount += piece.byteCount
        if let claim, options.name != nil { try ImportState.set(next, piece.check, claim, writer) }
        queue.giveBack(piece)
        guard options.chunk == nil, next.records - report.progress.records < ImportOptions.mostOfChunk,
          byteCount < options.pieceBytes, let more = queue.takeReady()
        else { break }
        piece = more
      }
      // Before the commit: whatever comes between, none of them is lost, though some may be told twice.
      for fault in faults { try reject?(fault) }
      try watch?.end()
    }
    watch?.stored()
    report.progress = next
    report.faults += faults.prefix(max(0, options.mostReported - report.faults.count))
    progress?(next)
  }

  private func store(
    _ piece: ImportPiece, _ storing: RowStoring, _ next: inout ImportProgress, _ faults: inout [TransferFault]
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
    columns = piece.names
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
  private func resolve() throws {
    while true {
      let resolving = try store.read { reader in
        try ReferenceResolving(ImportState.kept([name], most: 5000, reader), reader)
      }
      if resolving.kept.isEmpty { break }
      var unresolved: [UnresolvedReference] = []
      try store.write(options.durability, author: options.author) { writer in
        try watch?.begin(writer)
        unresolved = try resolving.store(writer, watch)
        try watch?.end()
      }
      watch?.stored()
      report.unresolvedCount += unresolved.count
      report.unresolved += unresolved.prefix(max(0, options.mostReported - report.unresolved.count))
    }
    // With it everything before is on the disk.
    try store.write(.full, author: options.author) { try ImportState.forget(name, $0) }
  }
}
