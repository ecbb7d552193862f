package import RoostPages
internal import RoostFile
package import RoostRecords
internal import Synchronization

/// What is imported, and what is done where it does not fit.
package struct TextImportOptions: Sendable {
  /// What becomes of a record whose unique values a row has already.
  package enum Conflict: String, Sendable, CaseIterable {
    /// It is a bad record.
    case insert
    /// The row stays as it is.
    case skip
    /// The row takes what the record names.
    case update
    /// The row takes what the record names and is not nil.
    case merge
    /// The import ends.
    case `throw`
  }

  /// What becomes of bad records.
  package enum BadRecords: Hashable, Sendable {
    /// The first one ends the import. The chunks before it stay.
    case stop
    /// They are left out, as long as there are no more than so many.
    case skip(most: Int)
  }

  package var entity: String
  /// What columns are called in the store, where that is something else; nil leaves a column out.
  package var renames: [String: String?] = [:]
  /// Whether a column that nothing is known of is left out. Else it is an error.
  package var ignoresUnknown = false
  package var conflict = Conflict.insert
  package var dates = DateForm.automatic
  /// The unique index that decides; nil for any, but for those of references, whose names begin with `@`.
  package var uniqueIndex: String?
  package var badRecords = BadRecords.stop
  /// How many records are one transaction; nil for as many as are ready, up to ``mostOfChunk``. Indexes in which neighbouring records
  /// stand far from each other change nearly as many pages for few records as for many.
  package var chunk: Int?
  package static let mostOfChunk = 50_000
  /// What came of a pipe is stored after so long, whatever is still to come of the chunk.
  static let longestWait = Duration.seconds(1)
  /// So many records go from the reading thread to the storing one at once, where nobody says how many are a transaction.
  static let piece = 2500
  /// A transaction ends behind the record with which it passes so many bytes, however few records it has.
  package var pieceBytes = 16 << 20
  package var durability = SyncMode.relaxed
  package var author = ""
  /// An import with a name that was cut off goes on behind its last chunk when it begins again with the same input.
  package var name: String?
  package var limits = TransferLimits()
  /// What is known of the rows beyond the catalog.
  package var shape: ImportShape?
  /// How many faults, and how many references that lead nowhere, the report names.
  package var mostReported = 1000

  package var isRelaxed: Bool {
    get { durability == .relaxed }
    set { durability = newValue ? .relaxed : .full }
  }

  package init(into entity: String) { self.entity = entity }

  /// The indexes that decide whether a row is there already.
  package func deciding(_ catalog: Catalog) -> [IndexID] {
    guard let entity = catalog.entity(entity) else { return [] }
    let unique = catalog.indexes(of: entity.id).filter(\.isUnique)
    if let uniqueIndex { return unique.filter { $0.name == uniqueIndex }.map(\.id) }
    return unique.filter { !$0.name.hasPrefix("@") }.map(\.id)
  }

  /// Refuses what each record would be refused for.
  func check(_ catalog: Catalog) throws {
    _ = try DateReader(faultOf: dates)
    if let name, name.hasPrefix("@") {
      throw TransferFault(.unknown, "the name of an import may not begin with '@': '\(name)'")
    }
    guard let kind = catalog.entity(entity) else { return }
    if let computed = catalog.derivations(of: kind.id).first(where: { !$0.isKept }) {
      throw TransferFault(
        .unknown,
        "\(entity).\(kind.field(computed.field)?.name ?? "") is computed by the program. A text import cannot compute it: import "
          + "models, with the ModelImporter of your program")
    }
    if let uniqueIndex, deciding(catalog).isEmpty {
      let known = catalog.indexes(of: kind.id).filter { $0.isUnique && !$0.name.hasPrefix("@") }.map { "'\($0.name)'" }
      throw TransferFault(
        .unknown,
        "\(entity) has no unique index named '\(uniqueIndex)'; it has "
          + (known.isEmpty ? "none" : known.joined(separator: ", ")))
    }
    guard [.skip, .update, .merge].contains(conflict), deciding(catalog).isEmpty else {
      return
    }
    throw TransferFault(
      .unknown,
      "nothing is unique in \(entity), so no record can be the one of a row that is there: import with 'insert'")
  }
}

/// What an import did.
package struct TextImportReport: Sendable {
  package internal(set) var progress = ImportCounts()
  /// The first bad records.
  package internal(set) var faults: [TransferFault] = []
  /// The first references that lead nowhere, and how many there are.
  package internal(set) var unresolved: [UnresolvedReference] = []
  package internal(set) var unresolvedCount = 0
  /// Whether somebody asked for the end before the input did.
  package internal(set) var isCancelled = false
}

/// Ends an import behind the chunk that is written at the moment.
///
/// Unchecked because the lock guards what changes.
package final class ImportCancellation: @unchecked Sendable {
  private let flag = Atomic<Bool>(false)
  private let lock = Lock()
  /// Where somebody may wait for records that never come.
  private var queues: [PieceQueue] = []

  package init() {}

  package func cancel() {
    flag.store(true, ordering: .relaxed)
    for queue in lock.withLock({ queues }) { queue.stop() }
  }

  func add(_ queue: PieceQueue) {
    lock.withLock { queues.append(queue) }
    if isCancelled { queue.stop() }
  }

  func remove(_ queue: PieceQueue) { lock.withLock { queues.removeAll { $0 === queue } } }

  package var isCancelled: Bool { flag.load(ordering: .relaxed) }
}
