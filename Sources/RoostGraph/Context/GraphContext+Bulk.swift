package import RoostRecords

/// Writes many rows without an object for each. Each function is a call and a commit of its own.
extension GraphContext {
  /// Inserts objects without a context. It inserts all of them, or none if it throws.
  ///
  /// Unsaved objects of this context are left to the save, which must follow: a reference may have
  /// inserted them before they were given. The outcome says so.
  ///
  /// - Parameter body: gets a closure that inserts one object after the other.
  package func insertRows(_ body: ((any _ModelObject) throws -> Void) throws -> Void) throws -> BulkOutcome {
    try call(.saving) { try bulk.insert(body) }
  }

  /// Calls `body` with an object for each row and writes the properties that it sets: all of them,
  /// or none if it throws. Returns the rows that changed.
  package func updateRows(_ choice: RowChoice, _ body: (any _ModelObject) throws -> Void) throws -> BulkOutcome {
    try call(.saving) { try bulk.update(choice, body) }
  }

  /// Deletes all rows, or none if a rule forbids it. It returns the rows of the choice; delete
  /// rules may have deleted further rows.
  package func deleteRows(_ choice: RowChoice) throws -> BulkOutcome {
    try call(.saving) { try bulk.delete(choice) }
  }

  /// Stores one chunk of an import.
  ///
  /// - Parameters:
  ///   - first: the number of elements that the import handled before this chunk.
  ///   - leavesOut: whether to leave out an object that cannot be stored; otherwise it ends the
  ///     chunk.
  ///   - memory: the memory of the import. It is invalid after a chunk that was not stored.
  ///   - body: gives the objects or images.
  ///   - beside: runs after all objects, in the same transaction.
  @discardableResult
  package func insertChunk(
    behind first: Int, leavesOut: Bool, _ memory: ChunkMemory, _ body: (ChunkInsertion) throws -> Void,
    beside: (RecordWriter, ChunkInsertion) throws -> Void
  ) throws -> BulkOutcome {
    try call(.saving) { try bulk.insertChunk(behind: first, leavesOut: leavesOut, memory, body, beside: beside) }
  }
}
