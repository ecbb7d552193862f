package import RoostPages
internal import RoostFile
package import RoostRecords
internal import Synchronization

/// What is imported, and how conflicts and errors are handled.
package struct TextImportOptions: Sendable {
  /// How a record is handled if a row already has its unique values.
  package enum Conflict: String, Sendable, CaseIterable {
    /// It is a bad record.
    case insert
    /// The row stays as it is.
    case skip
    /// The row gets the values that the record names.
    case update
    /// The row gets the non-nil values that the record names.
    case merge
    /// The import ends.
    case `throw`
  }

  /// How bad records are handled.
  package enum BadRecords: Hashable, Sendable {
    /// The first one ends the import. The chunks before it stay.
    case stop
    /// They are skipped, up to this number.
    case skip(most: Int)
  }

  package var entity: String
  /// The names of columns in the store, if they differ; nil ignores a column.
  package var renames: [String: String?] = [:]
  /// Whether unknown columns are ignored. Otherwise they are an error.
  package var ignoresUnknown = false
  package var conflict = Conflict.insert
  package var dates = DateForm.automatic
  /// The unique index that decides; nil for any except those of references, whose names begin with
  /// `@`.
  package var uniqueIndex: String?
  package var badRecords = BadRecords.stop
  /// The number of records in one transaction; nil for as many as are ready, up to ``mostOfChunk``.
  /// In indexes whose neighbouring records have distant keys, few records change nearly as many
  /// pages as many do.
  package var chunk: Int?
  package static let mostOfChunk = 50_000
  /// Records from a pipe are stored after this time, even if the chunk is not full.
  static let longestWait = Duration.seconds(1)
  /// The number of records that are passed to the storing thread at once, if `chunk` is nil.
  static let piece = 2500
  /// A transaction ends after the record with which it exceeds this number of bytes, however few
  /// records it has.
  package var pieceBytes = 16 << 20
  package var durability = SyncMode.relaxed
  package var author = ""
  /// A named import that was interrupted continues after its last chunk when it begins again with
  /// the same input.
  package var name: String?
  package var limits = TransferLimits()
  /// Rules for rows beyond the catalog.
  package var shape: ImportShape?
  /// The most errors, and the most unresolved references, that the report names.
  package var mostReported = 1000

  package var isRelaxed: Bool {
    get { durability == .relaxed }
    set { durability = newValue ? .relaxed : .full }
  }

  package init(into entity: String) { self.entity = entity }

  /// The indexes that decide whether a row already exists.
  package func deciding(_ catalog: Catalog) -> [IndexID] {
    guard let entity = catalog.entity(entity) else { return [] }
    let unique = catalog.indexes(of: entity.id).filter(\.isUnique)
    if let uniqueIndex { return unique.filter { $0.name == uniqueIndex }.map(\.id) }
    return unique.filter { !$0.name.hasPrefix("@") }.map(\.id)
  }

  /// Throws errors that would occur for every record.
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

/// The result of an import.
package struct TextImportReport: Sendable {
  package internal(set) var progress = ImportCounts()
  /// The first bad records.
  package internal(set) var faults: [TransferFault] = []
  /// The first references without targets, and the number of all.
  package internal(set) var unresolved: [UnresolvedReference] = []
  package internal(set) var unresolvedCount = 0
  /// Whether the import was cancelled before the end of its input.
  package internal(set) var isCancelled = false
}

/// Ends an import after the current chunk.
///
/// Unchecked because the lock protects all mutable state.
package final class ImportCancellation: @unchecked Sendable {
  private let flag = Atomic<Bool>(false)
  private let lock = Lock()
  /// Queues in which a thread may wait for records that never come.
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
