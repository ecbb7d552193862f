internal import RoostGraph
internal import RoostRecords

/// The chunks of an import into a store that takes many rows together.
///
/// If a row cannot be stored, the store refuses the chunk. Then the element of that row is left
/// out, and the store gets the others again.
///
/// Unchecked because one thread at a time uses it: the next chunk is passed on after the last one
/// is stored.
final class BulkImport: ImportSink, @unchecked Sendable {
  private let set: WorkingSet
  private let store: any BulkStore
  let target: ImportTarget
  let map: EntityMap
  let options: ImportOptions
  let size: Int
  let memory = ModelMemory()
  /// The rows of snapshots, by the snapshots' identifiers.
  var rows = IdentifierMap<BulkKey>()
  /// References of snapshots whose targets were not imported yet.
  var waiting: [LateReference: [PersistentIdentifier]] = [:]
  /// Tests the rules of the models.
  private let check: ImageCheck
  private var plain = ImportCounts()
  private let clock = ImportProgressClock()
  private var report = ImportReport()

  struct LateReference: Hashable {
    var owner: BulkKey
    var type: ObjectIdentifier
    var property: Int
  }

  init(
    _ target: ImportTarget, _ set: WorkingSet, store: any BulkStore, options: ImportOptions, kind: ImportChunks.Kind
  ) throws {
    try options.check()
    guard let map = target.map else {
      throw RoostError(.unknownModel, "\(target.entity) is not a model of the container: name its class")
    }
    if options.name != nil {
      throw RoostError(
        .badValue, "an import into the store \(set.identifier) cannot go on after a stop: give it no name")
    }
    (self.target, self.set, self.store, self.map, self.options) = (target, set, store, map, options)
    size = options.chunk(of: kind)
    check = ImageCheck(target.store)
  }

  var skipped: Int { 0 }
  func knows(_ element: Int) -> Bool { false }
  func recall(_ element: Int, _ model: some PersistentModel) {}
  var progress: ImportProgress { clock.progress(plain) }
  func close() {}

  // MARK: Storing

  func store(_ body: (ImportedModels) throws -> Void) throws {
    memory.sweep()
    let chunk = ImportedModels(options)
    try body(chunk)
    var faults: [Int: ImportFault] = [:]
    for (element, made) in chunk.made.enumerated() {
      if case .failure(let error) = made {
        let known = error as? ImportFault
        try note(known ?? ImportFault(.syntax, "the model could not be made: \(error)"), element, among: &faults)
      }
    }
    try store(chunk.made.count, &faults) { faults in
      var models = ModelRows(self)
      for (element, made) in chunk.made.enumerated() where faults[element] == nil {
        guard case .success(let model) = made else { continue }
        do { try models.add(model, element) } catch let fault as ImportFault {
          try note(fault, element, among: &faults)
        }
      }
      return models
    }
  }

  /// Stores the rows of elements, and makes them again as long as the store refuses some of them.
  func store<Rows: ChunkRows>(
    _ count: Int, _ faults: inout [Int: ImportFault], make: (inout [Int: ImportFault]) throws -> Rows
  ) throws {
    while true {
      let made = try make(&faults)
      switch try set.exclusively({ try store.store(made.chunk) }) {
      case .refused(let refused):
        for (row, fault) in refused where faults[made.elements[row]] == nil {
          try note(fault, made.elements[row], among: &faults)
        }
      case .stored(let stored):
        finish(made, stored, count: count, faults: faults)
        return
      }
    }
  }

  private func finish(_ made: some ChunkRows, _ stored: BulkStored, count: Int, faults: [Int: ImportFault]) {
    for (element, row) in made.rows.enumerated() where faults[element] == nil {
      switch row.map({ stored.rows[$0].state }) {
      case .inserted?, nil: plain.inserted += 1
      case .updated?: plain.updated += 1
      case .kept?: plain.kept += 1
      }
    }
    plain.bad += faults.count
    plain.records += count
    let first = faults.sorted { $0.key < $1.key }.prefix(max(0, options.mostReported - report.faults.count))
    report.faults += first.map(\.value)
    made.stored(stored, by: self)
  }

  /// Leaves an element out, or ends the import.
  func note(_ fault: ImportFault, _ element: Int, among faults: inout [Int: ImportFault]) throws {
    var fault = fault
    fault.line = plain.records + element + 1
    if case .stop = options.badRecords { throw fault }
    if options.conflict == .throw, fault.reason == .duplicate { throw fault }
    faults[element] = fault
    guard case .skip(let most) = options.badRecords, plain.bad + faults.count > most else { return }
    throw ImportFault(
      .tooLarge, "there are more than \(most) bad records; the last one: \(fault.detail)", line: fault.line,
      field: fault.field)
  }

  /// Throws if values of an element break a rule, or the model's own validation refuses it.
  func check(_ values: ValueImage, _ model: (any _ModelObject)? = nil) throws {
    guard check.isNeeded else { return }
    guard let fault = try model.flatMap(check.judge) ?? check.fault(values) else { return }
    throw ImportFault(.invalid, fault.detail, field: fault.property)
  }

  func noteUnresolved(
    _ type: _ModelType, _ owner: BulkKey, property: Int, target: PersistentIdentifier,
    reason: ImportReport.Unresolved.Reason = .missing
  ) {
    report.unresolvedCount += 1
    if report.unresolved.count >= options.mostReported { return }
    report.unresolved.append(
      ImportReport.Unresolved(
        model: store.identifier(type, owner), property: type.propertyName(property), key: "\(target)", reason: reason))
  }

  func chunk(joins: Bool) -> BulkChunk {
    BulkChunk(conflict: options.conflict, joins: joins, author: options.author)
  }

  // MARK: The end

  func finish(isCancelled: Bool) throws -> ImportReport {
    try end()
    report.isCancelled = isCancelled
    report.progress = progress
    if !isCancelled { report.progress.fraction = 1 }
    return report
  }

  func abandon() { try? end() }

  /// Sets the references whose targets came later, and reports the others.
  private func end() throws {
    var chunk = chunk(joins: false)
    for (reference, targets) in waiting {
      guard let map = target.store.maps.first(where: { ObjectIdentifier($0.type) == reference.type }) else { continue }
      let type = map.type
      // The members of a list have the reference, not the list.
      if map.field(reference.property) != nil || target.store.isByLinks(map, reference.property) {
        for target in targets where rows[target] == nil {
          noteUnresolved(type, reference.owner, property: reference.property, target: target)
        }
      }
      let found = targets.compactMap { rows[$0] }
      if found.isEmpty { continue }
      chunk.late.append(
        LateLink(owner: reference.owner, type: type, property: reference.property, targets: found))
    }
    waiting = [:]
    if chunk.late.isEmpty { return }
    guard case .stored(let stored) = try set.exclusively({ try store.store(chunk) }) else { return }
    for place in stored.changed {
      let late = chunk.late[place]
      for target in late.targets {
        noteUnresolved(
          late.type, late.owner, property: late.property, target: store.identifier(late.type, target), reason: .changed)
      }
    }
  }
}

/// The rows of the elements of a chunk.
protocol ChunkRows {
  var chunk: BulkChunk { get }
  /// For each row, its element.
  var elements: [Int] { get }
  /// For each element, its row; nil if an earlier chunk has it, or if it was left out.
  var rows: [Int?] { get }

  /// Called after the store has stored the rows.
  func stored(_ stored: BulkStored, by run: BulkImport)
}
