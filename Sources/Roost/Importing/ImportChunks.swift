internal import RoostFile
internal import RoostGraph
internal import RoostRecords
internal import RoostTransfer

/// The chunks of an import of models or snapshots, one after the other.
///
/// Unchecked because one thread at a time uses it: the next chunk is handed over when the last one is stored.
final class ImportChunks: @unchecked Sendable {
  private let container: ModelContainer
  let target: ImportTarget
  let map: EntityMap
  let options: ImportOptions
  let graph: GraphContext
  /// Which models are in already.
  private let memory = ChunkMemory()
  private var plain = RoostTransfer.ImportProgress()
  private let clock = ImportProgressClock(nil)
  var report = ImportReport()
  /// Where snapshots became rows to which others of the import may lead; nil where none can.
  var rows: [PersistentIdentifier: UInt64]?
  /// References whose targets have not come yet.
  var open: [(row: UInt64, map: EntityMap, property: Int, target: PersistentIdentifier)] = []

  init(_ container: ModelContainer, _ target: ImportTarget, _ options: ImportOptions) throws {
    try options.check()
    guard let map = target.map else {
      throw RoostError(.unknownModel, "\(target.entity) is none of the container's models: import it as text")
    }
    self.container = container
    self.target = target
    self.map = map
    self.options = options
    graph = GraphContext(target.store)
    graph.author = options.author
    graph.isRelaxed = options.durability == .relaxed
    graph.uniquePolicy =
      switch options.conflict {
      case .update: .always(.upsert)
      case .merge: .always(.mergeNonNil)
      case .skip: .always(.keepExisting)
      case .insert, .throw: .always(.refuse)
      }
    if let name = options.name {
      try target.store.write(isRelaxed: true, author: options.author) { try ImportState.prepare($0) }
      if let known = try target.store.records.read({ try ImportState.progress(name, $0) }) { plain = known }
    }
    let isSelfish = map.type.properties.contains { property in
      switch property.storage {
      case .toOne(let link): map.type.isKind(of: link.model._$type) || link.model._$type.isKind(of: map.type)
      case .toMany, .value, .none: false
      }
    }
    if isSelfish { rows = [:] }
  }

  /// Elements that an earlier run had dealt with.
  var skipped: Int { plain.resumed }

  var progress: ImportProgress { clock.progress(plain) }

  func close() { graph.close() }

  /// Runs something on a thread of the import.
  func away(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      do {
        try Thread { continuation.resume(with: Result { try body() }) }.detach()
      } catch { continuation.resume(throwing: error) }
    }
  }

  // MARK: Storing

  /// Stores one chunk.
  func store(_ count: Int, _ body: (Chunk) throws -> Void) throws {
    let chunk = Chunk(self)
    // Whatever users' closures do, they do it before the transaction.
    try body(chunk)
    try run { insertion in
      for made in chunk.made {
        switch made {
        case .success(let model): try insertion.add(model)
        case .failure(let error): try insertion.leaveOut(error)
        }
      }
    }
  }

  /// The models of a chunk before they are stored.
  final class Chunk {
    fileprivate var made: [Result<any _ModelObject, any Error>] = []
    private let chunks: ImportChunks

    fileprivate init(_ chunks: ImportChunks) { self.chunks = chunks }

    func add(model: some PersistentModel) { made.append(.success(model)) }

    /// A model could not be made.
    func leaveOut(_ error: any Error) throws {
      if case .stop = chunks.options.badRecords { throw error }
      made.append(.failure(error))
    }
  }

  func run(_ body: (ChunkInsertion) throws -> Void) throws {
    let first = plain.records
    let leavesOut = options.badRecords != .stop
    var next = plain
    var faults: [ImportFault] = []
    do {
      try graph.insertChunk(leavesOut: leavesOut, memory) { insertion in
        try body(insertion)
      } beside: { writer, insertion in
        next.records += insertion.count
        next.inserted += insertion.inserted
        next.updated += insertion.updated
        next.kept += insertion.kept
        next.bad += insertion.faults.count
        faults = insertion.faults.map { fault($0.error, first + $0.place + 1) }
        if let last = faults.last { try check(last, insertion, next) }
        if let name = options.name { try ImportState.set(next, name, writer) }
      }
    } catch let error as ChunkFault {
      // An error of the user's own comes to him as it is.
      guard ChunkInsertion.isFault(error.error) || error.error is ImportFault else { throw error.error }
      throw fault(error.error, first + error.place + 1)
    }
    plain = next
    report.faults += faults.prefix(max(0, options.mostReported - report.faults.count))
    CommitWatch.tell()
  }

  private func check(_ last: ImportFault, _ insertion: ChunkInsertion, _ next: RoostTransfer.ImportProgress) throws {
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
      case .badValue, .count: .missing
      default: .wrongType
      }
    return ImportFault(reason, shown.detail, line: number, field: shown.property)
  }

  // MARK: The end

  func cancel() throws -> ImportReport {
    report.isCancelled = true
    try target.store.write(isRelaxed: false, author: options.author) { _ in }
    report.progress = progress
    return report
  }

  func finish() throws -> ImportReport {
    try resolve()
    // With it everything before is on the disk.
    try target.store.write(isRelaxed: false, author: options.author) { writer in
      if let name = options.name { try ImportState.forget(name, writer) }
    }
    report.progress = progress
    report.progress.fraction = 1
    return report
  }

  func noteUnresolved(_ row: UInt64, _ map: EntityMap, _ property: Int, _ target: PersistentIdentifier) {
    report.unresolvedCount += 1
    if report.unresolved.count >= options.mostReported { return }
    let model = PersistentIdentifier(store: self.target.store.identifier, entity: map.type.name, .row(row))
    report.unresolved.append(
      ImportReport.Unresolved(model: model, property: map.type.propertyName(property), key: "\(target)"))
  }

  /// Lets references lead to what came behind them.
  private func resolve() throws {
    let notice = RowNotice(target.store)
    var rest = open[...]
    open = []
    while !rest.isEmpty {
      let part = rest.prefix(options.chunk)
      rest = rest.dropFirst(part.count)
      try target.store.write(isRelaxed: graph.isRelaxed, author: options.author) { writer in
        notice.begin(writer)
        for one in part {
          guard let row = rows?[one.target], let field = one.map.field(one.property) else {
            noteUnresolved(one.row, one.map, one.property, one.target)
            continue
          }
          let table = try writer.table(one.map.entity.id)
          let slot = try table.slot(field.name)
          try table.update(RowID(one.row)) { $0.set(slot, reference: RowID(row)) }
          notice.changed(RowID(one.row), of: one.map.entity.id)
          notice.led(RowID(row), of: one.map.entity.id)
        }
        notice.end()
      }
      notice.stored()
      CommitWatch.tell()
    }
  }
}
