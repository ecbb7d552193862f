package import RoostRecords

/// Writes of many rows without an object for each: each is a call, and a commit of its own.
extension GraphContext {
  /// Inserts objects that no context has. All of them are inserted, or none if something throws.
  ///
  /// Objects that wait in this context to be saved are left to the save, which must follow: a reference may have inserted them before they
  /// came here. The outcome says so.
  ///
  /// - Parameter body: is given what takes one object after the other.
  package func insertRows(_ body: ((any _ModelObject) throws -> Void) throws -> Void) throws -> BulkOutcome {
    try call(.saving) { try bulk.insert(body) }
  }

  /// Calls `body` with an object for each row, and writes the properties that it sets: all of them, or none if something throws.
  /// Returns the rows that changed.
  package func updateRows(_ choice: RowChoice, _ body: (any _ModelObject) throws -> Void) throws -> BulkOutcome {
    try call(.saving) { try bulk.update(choice, body) }
  }

  /// Deletes at once, or not at all if something forbids it. The rows that are returned are those of the choice; rules may have taken
  /// along others.
  package func deleteRows(_ choice: RowChoice) throws -> BulkOutcome {
    try call(.saving) { try bulk.delete(choice) }
  }

  /// Stores one chunk of an import.
  ///
  /// - Parameters:
  ///   - first: how many elements the import dealt with before it.
  ///   - leavesOut: whether an object that cannot be stored is left out; else it ends the chunk.
  ///   - memory: that of the import. It is of no use after a chunk that was not stored.
  ///   - body: gives the objects, or images of them.
  ///   - beside: is run after all objects, in the same transaction.
  @discardableResult
  package func insertChunk(
    behind first: Int, leavesOut: Bool, _ memory: ChunkMemory, _ body: (ChunkInsertion) throws -> Void,
    beside: (RecordWriter, ChunkInsertion) throws -> Void
  ) throws -> BulkOutcome {
    try call(.saving) { try bulk.insertChunk(behind: first, leavesOut: leavesOut, memory, body, beside: beside) }
  }
}
