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

  fileprivate init(_ batch: BatchInsertion, leavesOut: Bool) {
    self.batch = batch
    self.leavesOut = leavesOut
  }

  var run: BulkRun { batch.run }
  var context: GraphContext { batch.context }

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
    let (merges, keeps) = (run.summary.mergeCount, run.keptCount)
    guard try one(isSafe, { try batch.add(object) }) else { return }
    if run.summary.mergeCount == merges {
      inserted += 1
    } else if run.keptCount > keeps {
      kept += 1
    } else {
      updated += 1
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

extension GraphContext {
  /// Stores one chunk.
  ///
  /// - Parameter beside: is run behind all objects, in the same transaction.
  @discardableResult
  package func insertChunk(
    leavesOut: Bool, _ body: (ChunkInsertion) throws -> Void, beside: (RecordWriter, ChunkInsertion) throws -> Void
  ) throws -> BulkOutcome {
    try bulk { run in
      let batch = BatchInsertion(self, run)
      defer { batch.book.end() }
      let chunk = ChunkInsertion(batch, leavesOut: leavesOut)
      try body(chunk)
      try beside(run.writer, chunk)
      return batch.rows
    }
  }
}

extension BatchInsertion {
  /// Whether an object that cannot be stored leaves nothing behind by itself.
  func isSimple(_ object: any _ModelObject) throws -> Bool {
    guard let place = try? place(object), !place.isCounted else { return false }
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
