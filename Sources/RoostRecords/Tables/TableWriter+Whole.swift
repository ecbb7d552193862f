package import RoostFile
internal import RoostTrees

/// Changes a row in a builder of the caller.
extension TableWriter {
  /// Loads a row into a builder of the newest layout. Returns false if the row does not exist.
  /// ``replace(_:with:)`` writes the changed row.
  package func read(_ id: RowID, into builder: inout RowBuilder) throws -> Bool {
    guard try load(id) else { return false }
    builder.load(old.bytes)
    loaded = id
    return true
  }

  /// Calls `body` with a row in the newest layout; nil if the row does not exist. The row stays
  /// loaded until the table is used again, so ``replace(_:with:)`` does not search it.
  package func visit<Result>(_ id: RowID, _ body: (Row) throws -> Result) throws -> Result? {
    guard try loadOld(id) else { return nil }
    loaded = id
    return try body(Row(id, old.start, count: old.count, version: Int(layout.version)))
  }

  /// A value that is stored outside its row.
  package func large(_ field: FieldID, of id: RowID) throws(StoreError) -> [UInt8] {
    try LargeValue.read(id, field, in: large.tree)
  }

  /// Writes the row from the builder if it differs. Returns false if the row does not exist.
  @discardableResult
  package func replace(_ id: RowID, with builder: inout RowBuilder) throws -> Bool {
    // Usually the row is still loaded from the read before.
    if loaded == id { try tables.check(generation) } else if try !load(id) { return false }
    if derived != nil { keepDerived(&builder) }
    let moved = try assemble(&builder, id)
    do { try replace(id, moved) } catch { throw giveBack(moved, to: &builder, error) }
    return true
  }

  /// The row to which a reference of a row refers; nil if the reference is nil or the row does not
  /// exist.
  package func reference(_ slot: Slot, of id: RowID) throws -> RowID? {
    guard try load(id) else { return nil }
    return builder.reference(slot)
  }
}
