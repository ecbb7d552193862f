internal import RoostFile
package import RoostRecords

/// One chunk of an import of objects, or of images of them: one transaction.
///
/// What cannot be stored leaves nothing behind, and either ends the chunk or is left out.
package final class ChunkInsertion {
  let batch: BatchInsertion
  private let leavesOut: Bool
  /// How many objects were given.
  package internal(set) var count = 0
  package internal(set) var inserted = 0
  package internal(set) var updated = 0
  package internal(set) var kept = 0
  /// Those that were left out: which of the objects, and why.
  package private(set) var faults: [(place: Int, error: any Error)] = []
  var encoders: [Int: ImageEncoder] = [:]

  /// How many elements were dealt with before it.
  private let first: Int

  fileprivate init(_ batch: BatchInsertion, leavesOut: Bool, first: Int) {
    self.batch = batch
    batch.judgesAtOnce = true
    self.leavesOut = leavesOut
    self.first = first
  }

  var run: BulkRun { batch.run }
  var bulk: BulkWriter { batch.bulk }

  /// Runs what stores one object; says whether it did.
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

  /// Whether it is about one object, so that the others can be stored all the same.
  package static func isFault(_ error: any Error) -> Bool {
    error is GraphFault || error is RecordFault || error is SaveRefusal
  }

  /// Nothing became of one of the objects, before it came here.
  package func leaveOut(_ error: any Error) throws {
    defer { count += 1 }
    if !leavesOut { throw ChunkFault(place: count, error: error) }
    faults.append((count, error))
  }

  /// Inserts an object that no context has, with what it brings along.
  package func add(_ object: any _ModelObject) throws {
    let isSafe = leavesOut ? try batch.isSimple(object) : true
    batch.book.begin(first + count)
    guard try one(isSafe, { try batch.add(object) }) else { return }
    // What it brought along is not counted, whatever became of that.
    switch batch.book.merged[ObjectIdentifier(object)]?.policy {
    case nil: inserted += 1
    case .always(.keepExisting): kept += 1
    default: updated += 1
    }
  }
}

/// What the chunks of one import know of each other: which objects are in already.
///
/// Between two chunks anybody may do anything: objects have no rows then, and rows may go.
///
/// Unchecked because one chunk at a time has it.
package final class ChunkMemory: @unchecked Sendable {
  fileprivate var book = InsertionBook()
  /// The last commit of a chunk.
  fileprivate var commit: UInt64?
  /// Objects of an earlier run whose rows are known, so that none is looked at twice.
  private var recalled: Set<ObjectIdentifier> = []

  package init() {}

  /// Notes which rows an element of an earlier run became, and what came along with it: each is found by the links that lead to it.
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
      // Whoever inserted it somewhere meanwhile has it stored.
      guard next._$state.origin == nil else { continue }
      if next._$state.flags.contains(.fresh) { next.settle() }
      if recalled.insert(ObjectIdentifier(next)).inserted { book.recall(next, row.row.number) }
    }
    return true
  }
}

extension ChunkInsertion {
  /// What somebody else still has of what was stored, and may lead to later. Each is told once.
  package func takeShared() -> [(element: Int, path: [Int], model: String, row: RowID)] {
    batch.book.takeMarks().map { element, path, object in
      (element, path, type(of: object)._$type.name, RowID(object._$state.row))
    }
  }
}

/// Which object of a chunk could not be stored.
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
  ///   - first: how many elements the import dealt with before it.
  ///   - leavesOut: whether an object that cannot be stored is left out; else it ends the chunk.
  ///   - memory: that of the import. It is of no use behind a chunk that was not stored.
  ///   - body: gives the objects, or images of them.
  ///   - beside: is run behind all objects, in the same transaction.
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

  /// Forgets objects whose rows others deleted since the last chunk: who leads to one of them brings it along again.
  private func forgetDeleted(_ book: InsertionBook, behind commit: UInt64?, _ writer: RecordWriter) throws {
    // Without a chunk before there is what another run knew, if anything, and that was long ago.
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
  /// Whether an object that cannot be stored leaves nothing behind by itself.
  func isSimple(_ object: any _ModelObject) throws -> Bool {
    guard let place = try? place(object), !place.isCounted, !place.hasPartners, !place.hasJudgedNeighbours else {
      return false
    }
    // A row that it is merged into is refused after it was written.
    let mayMix = !place.uniques.isEmpty && (place.map.type.judge != nil || !place.map.type.computed.isEmpty)
    if mayMix { return false }
    return (try? isAlone(object, place)) ?? true
  }

  /// Runs a part of the work that leaves nothing behind if it throws.
  func undoing(_ body: () throws -> Void) throws {
    let before = mark()
    do { try run.writer.savepoint(body) } catch {
      goBack(to: before)
      throw error
    }
  }
}
