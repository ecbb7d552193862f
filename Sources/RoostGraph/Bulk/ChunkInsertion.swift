internal import RoostFile
package import RoostRecords

/// One chunk of an import of objects or of images: one transaction.
///
/// An object that cannot be stored leaves nothing behind. It either ends the chunk or is left out.
package final class ChunkInsertion {
  let batch: BatchInsertion
  private let leavesOut: Bool
  /// The number of objects that were given.
  package internal(set) var count = 0
  package internal(set) var inserted = 0
  package internal(set) var updated = 0
  package internal(set) var kept = 0
  /// The objects that were left out: their index and the error.
  package private(set) var faults: [(place: Int, error: any Error)] = []
  var encoders: [Int: ImageEncoder] = [:]

  /// The number of elements that the import handled before this chunk.
  private let first: Int

  fileprivate init(_ batch: BatchInsertion, leavesOut: Bool, first: Int) {
    self.batch = batch
    batch.judgesAtOnce = true
    self.leavesOut = leavesOut
    self.first = first
  }

  var run: BulkRun { batch.run }
  var bulk: BulkWriter { batch.bulk }

  /// Runs the code that stores one object; returns whether it succeeded.
  func one(_ isSafe: Bool, _ body: () throws -> Void) throws -> Bool {
    defer { count += 1 }
    do {
      if isSafe || !leavesOut { try body() } else { try batch.undoing(body) }
      return true
    } catch {
      guard leavesOut, Self.isFault(error) else { throw ChunkFault(place: count, error: error) }
      faults.append((count, error))
      return false
    }
  }

  /// Whether the error concerns one object, so that the others can still be stored.
  package static func isFault(_ error: any Error) -> Bool {
    error is GraphFault || error is RecordFault || error is SaveRefusal
  }

  /// Leaves out an object that could not be made.
  package func leaveOut(_ error: any Error) throws {
    defer { count += 1 }
    if !leavesOut { throw ChunkFault(place: count, error: error) }
    faults.append((count, error))
  }

  /// Inserts an object without a context, and the objects that it brings along.
  package func add(_ object: any _ModelObject) throws {
    let isSafe = leavesOut ? try batch.isSimple(object) : true
    batch.book.begin(first + count)
    guard try one(isSafe, { try batch.add(object) }) else { return }
    // The objects that it brought along are not counted.
    switch batch.book.merged[ObjectIdentifier(object)]?.policy {
    case nil: inserted += 1
    case .always(.keepExisting): kept += 1
    default: updated += 1
    }
  }
}

/// The state that the chunks of one import share: the objects that are already inserted.
///
/// Between two chunks the program may run any code: objects have no row numbers then, and rows may
/// be deleted.
///
/// Unchecked because one chunk at a time uses it.
package final class ChunkMemory: @unchecked Sendable {
  fileprivate var book = InsertionBook()
  /// The commit of the last chunk.
  fileprivate var commit: UInt64?
  /// Objects of an earlier run whose rows are known, so that each is restored once.
  private var recalled: Set<ObjectIdentifier> = []

  package init() {}

  /// Restores the rows of an element of an earlier run and of the objects that came with it. Each
  /// is found by the links that lead to it.
  ///
  /// - Parameters:
  ///   - object: the element.
  ///   - rows: the path, model and row of each object.
  ///
  /// - Returns: whether all of them are there.
  package func recall(_ object: any _ModelObject, _ rows: [(path: [Int], model: String, row: RowID)]) -> Bool {
    var links: [ObjectIdentifier: [any _ModelObject]] = [:]
    func found(_ next: any _ModelObject) -> [any _ModelObject] {
      if let known = links[ObjectIdentifier(next)] { return known }
      if next._$state.flags.contains(.fresh) { next.settle() }
      var collector = LinkCollector()
      next._$visit(&collector)
      links[ObjectIdentifier(next)] = collector.found
      return collector.found
    }
    for row in rows {
      var next = object
      for link in row.path {
        let others = found(next)
        guard others.indices.contains(link) else { return false }
        next = others[link]
      }
      guard type(of: next)._$type.name == row.model else { return false }
      // If the program inserted it into a context meanwhile, that context stores it.
      guard next._$state.origin == nil else { continue }
      if next._$state.flags.contains(.fresh) { next.settle() }
      if recalled.insert(ObjectIdentifier(next)).inserted { book.recall(next, row.row.number) }
    }
    return true
  }
}

extension ChunkInsertion {
  /// The stored objects that the program still holds and may reference later. Each is returned
  /// once.
  package func takeShared() -> [(element: Int, path: [Int], model: String, row: RowID)] {
    batch.book.takeMarks().map { element, path, object in
      (element, path, type(of: object)._$type.name, RowID(object._$state.row))
    }
  }
}

/// The object of a chunk that could not be stored.
package struct ChunkFault: Error {
  package var place: Int
  package var error: any Error

  package init(place: Int, error: any Error) {
    self.place = place
    self.error = error
  }
}

extension BulkWriter {
  /// Stores one chunk.
  ///
  /// - Parameters:
  ///   - first: the number of elements that the import handled before this chunk.
  ///   - leavesOut: whether to leave out an object that cannot be stored; otherwise it ends the
  ///     chunk.
  ///   - memory: the memory of the import. It is invalid after a chunk that was not stored.
  ///   - body: gives the objects or images.
  ///   - beside: runs after all objects, in the same transaction.
  func insertChunk(
    behind first: Int, leavesOut: Bool, _ memory: ChunkMemory, _ body: (ChunkInsertion) throws -> Void,
    beside: (RecordWriter, ChunkInsertion) throws -> Void
  ) throws -> BulkOutcome {
    try write { run in
      let batch = BatchInsertion(self, run)
      swap(&batch.book, &memory.book)
      defer {
        batch.book.pause()
        swap(&batch.book, &memory.book)
      }
      try forgetDeleted(batch.book, behind: memory.commit, run.writer)
      let chunk = ChunkInsertion(batch, leavesOut: leavesOut, first: first)
      try body(chunk)
      try beside(run.writer, chunk)
      memory.commit = run.writer.commitNumber
      return batch.rows
    }
  }

  /// Forgets objects whose rows others deleted since the last chunk. A later reference to such an
  /// object inserts it again.
  private func forgetDeleted(_ book: InsertionBook, behind commit: UInt64?, _ writer: RecordWriter) throws {
    // Before the first chunk, the memory may hold rows of another run, which may be gone for long.
    var mayBeGone = commit.map { $0 < writer.commitNumber - 1 } ?? true
    if let commit, mayBeGone,
      case .entries(let entries) = store.feed.news(after: commit, through: writer.commitNumber - 1)
    {
      mayBeGone = !entries.allSatisfy(\.deleted.isEmpty)
    }
    try book.resume { object, row in
      try !mayBeGone || writer.contains(RowID(row), objects.map(of: object).entity.id)
    }
  }
}

extension BatchInsertion {
  /// Whether an object that cannot be stored leaves nothing behind even without a savepoint.
  func isSimple(_ object: any _ModelObject) throws -> Bool {
    guard let place = try? place(object), !place.isCounted, !place.hasPartners, !place.hasJudgedNeighbours else {
      return false
    }
    // A merged row is validated after it was written.
    let mayMix = !place.uniques.isEmpty && (place.map.type.judge != nil || !place.map.type.computed.isEmpty)
    if mayMix { return false }
    return (try? isAlone(object, place)) ?? true
  }

  /// Runs a part of the work, and undoes it if it throws.
  func undoing(_ body: () throws -> Void) throws {
    let before = mark()
    do { try run.writer.savepoint(body) } catch {
      goBack(to: before)
      throw error
    }
  }
}
