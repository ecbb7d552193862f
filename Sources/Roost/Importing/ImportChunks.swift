internal import RoostFile
internal import RoostGraph
internal import RoostRecords

/// The chunks of an import of models or snapshots, one after the other.
///
/// Unchecked because one thread at a time uses it: the next chunk is passed on after the last one
/// is stored.
final class ImportChunks: ImportSink, @unchecked Sendable {
  private let container: ModelContainer
  let target: ImportTarget
  let map: EntityMap
  let options: ImportOptions
  let graph: GraphContext
  /// The models that were imported already.
  private let memory = ChunkMemory()
  /// For each element, the rows of models that an earlier run stored and later models may
  /// reference.
  private var known: [Int: [SharedModel]] = [:]
  private var plain = RoostRecords.ImportCounts()
  private let clock = ImportProgressClock()
  /// The state that the run keeps in the store: its name, and references whose targets were not
  /// imported yet.
  private let keeper: ImportKeeper
  private let mutual: Set<String>
  /// The number of elements in a chunk.
  let size: Int
  var report = ImportReport()
  /// The rows of snapshots that other snapshots may reference; nil if none can.
  var rows: SnapshotRows?
  /// The waiting references, as long as nothing of the chunk was undone.
  private var waiting: (references: OpenReferences, faults: Int)?

  /// The kind of elements of an import.
  enum Kind: String { case models, snapshots }

  init(_ container: ModelContainer, _ target: ImportTarget, options: ImportOptions, kind: Kind) throws {
    try options.check()
    guard let map = target.map else {
      throw RoostError(.unknownModel, "\(target.entity) is not a model of the container: import it as text")
    }
    self.container = container
    self.target = target
    self.map = map
    self.options = options
    size = options.chunk(of: kind)
    graph = GraphContext(target.store)
    graph.saver.author = options.author
    graph.saver.isRelaxed = options.durability == .relaxed
    graph.saver.uniquePolicy =
      switch options.conflict {
      case .update: .always(.upsert)
      case .merge: .always(.mergeNonNil)
      case .skip: .always(.keepExisting)
      case .insert, .throw: .always(.refuse)
      }
    mutual = target.mutual
    // Only classes that reference themselves may reference later elements.
    if kind == .snapshots, target.leadsToItself { rows = SnapshotRows(store: target.store.identifier) }
    keeper = ImportKeeper(
      target.store.records, named: options.name, isRelaxed: options.durability == .relaxed,
      author: options.author)
    do {
      try keeper.begin(target.entity, kind.rawValue, waits: rows != nil)
    } catch {
      close()
      throw error
    }
    plain = keeper.progress
    do { if kind == .models { known = try keeper.shared() } } catch {
      close()
      throw error
    }
  }

  /// The number of elements that an earlier run had handled.
  var skipped: Int { plain.resumed }

  /// Whether later elements may reference models of an element that an earlier run stored.
  func knows(_ element: Int) -> Bool { known[element] != nil }

  /// Lets later elements reference the rows of an element that an earlier run stored.
  func recall(_ element: Int, _ model: some PersistentModel) throws {
    guard let rows = known.removeValue(forKey: element) else { return }
    if memory.recall(model, rows.map { ($0.path, $0.model, $0.row) }) { return }
    throw RecordFault(
      .conflict,
      "the import '\(options.name ?? "")' was interrupted, and its element \(element + 1) referenced other models then: "
        + "continue with the same models, or give this import another name", entity: target.entity)
  }

  var progress: ImportProgress { clock.progress(plain) }

  func close() {
    keeper.end()
    graph.close()
  }

  // MARK: Storing

  func store(_ body: (ImportedModels) throws -> Void) throws {
    let chunk = ImportedModels(options)
    // The program's closures run before the transaction.
    try body(chunk)
    try run { insertion in
      // Each model is released as soon as possible: a model that the program still has then may be
      // referenced later.
      chunk.made.reverse()
      while let made = chunk.made.popLast() {
        switch made {
        case .success(let model): try insertion.add(model)
        case .failure(let error): try insertion.leaveOut(error)
        }
      }
    }
  }

  func run(_ body: (ChunkInsertion) throws -> Void) throws {
    let first = plain.records
    let leavesOut = options.badRecords != .stop
    var next = plain
    var faults: [ImportFault] = []
    waiting = nil
    rows?.beginChunk()
    do {
      try graph.insertChunk(behind: first, leavesOut: leavesOut, memory) { insertion in
        try body(insertion)
      } beside: { writer, insertion in
        next.records += insertion.count
        next.inserted += insertion.inserted
        next.updated += insertion.updated
        next.kept += insertion.kept
        next.bad += insertion.faults.count
        faults = insertion.faults.map { fault($0.error, first + $0.place + 1) }
        if let last = faults.last { try check(last, insertion, next: next) }
        try keeper.note(next, writer)
        if keeper.isNamed {
          try keeper.keep(
            insertion.takeShared().map {
              SharedModel(element: $0.element, path: $0.path, model: $0.model, row: $0.row)
            }, writer)
        }
      }
    } catch {
      rows?.undoChunk()
      guard let error = error as? ChunkFault else { throw error }
      // The program's own errors are thrown unchanged.
      guard ChunkInsertion.isFault(error.error) || error.error is ImportFault else { throw error.error }
      throw fault(error.error, first + error.place + 1)
    }
    plain = next
    report.faults += faults.prefix(max(0, options.mostReported - report.faults.count))
    CommitWatch.tell()
  }

  private func check(_ last: ImportFault, _ insertion: ChunkInsertion, next: RoostRecords.ImportCounts) throws {
    if options.conflict == .throw,
      let first = insertion.faults.first(where: { fault($0.error, 0).reason == .duplicate })
    {
      throw ChunkFault(place: first.place, error: first.error)
    }
    guard case .skip(let most) = options.badRecords, next.bad > most else { return }
    throw ImportFault(
      .tooLarge, "there are more than \(most) bad records; the last one: \(last.detail)", line: last.line,
      field: last.field)
  }

  private func fault(_ error: any Error, _ number: Int) -> ImportFault {
    if let refusal = error as? SaveRefusal, let first = refusal.faults.first { return fault(first, number) }
    if let known = error as? ImportFault {
      var fault = known
      fault.line = number
      return fault
    }
    guard let shown = error as? GraphFault else {
      if let shown = error as? RecordFault {
        return ImportFault(
          TransferFault(TransferFault.Code(shown.code), shown.detail, line: number, field: shown.field))
      }
      return ImportFault(.syntax, "the model could not be made: \(error)", line: number)
    }
    let reason: ImportFault.Reason =
      switch shown.code {
      case .notUnique: .duplicate
      case .deleted, .foreign, .unknownModel: .unknown
      case .badValue: .missing
      case .invalid, .count: .invalid
      default: .wrongType
      }
    let (detail, field) = target.words(shown)
    return ImportFault(reason, detail, line: number, field: field)
  }

  // MARK: References

  /// Returns the waiting references, in the transaction of the current chunk.
  func references(_ insertion: ChunkInsertion) throws -> OpenReferences {
    if let waiting, waiting.faults == insertion.faults.count { return waiting.references }
    let found = try keeper.references(insertion.writer)
    waiting = (found, insertion.faults.count)
    return found
  }

  func take(_ references: OpenReferences, _ insertion: ChunkInsertion) {
    waiting = (references, insertion.faults.count)
  }

  func noteUnresolved(
    _ row: UInt64, _ property: String, target: String, reason: ImportReport.Unresolved.Reason = .missing
  ) {
    report.unresolvedCount += 1
    if report.unresolved.count >= options.mostReported { return }
    report.unresolved.append(
      ImportReport.Unresolved(model: self.target.identifier(row), property: property, key: target, reason: reason))
  }

  // MARK: The end

  /// Ends an import that is complete or was cancelled.
  func finish(isCancelled: Bool) throws -> ImportReport {
    try end(isWhole: !isCancelled)
    report.isCancelled = isCancelled
    report.progress = progress
    if !isCancelled { report.progress.fraction = 1 }
    return report
  }

  /// Ends an import after an error. If the cleanup fails too, the next import does it.
  func abandon() { try? end(isWhole: false) }

  private func end(isWhole: Bool) throws {
    let finder = rows ?? SnapshotRows(store: target.store.identifier)
    try keeper.finish(isWhole: isWhole, finder, mutual: mutual, ImportNotice(target)) { unresolved in
      for one in unresolved {
        noteUnresolved(one.row, one.property, target: SnapshotRows.words(one.key), reason: .init(one.reason))
      }
    }
  }
}
