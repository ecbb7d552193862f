package import RoostFile
internal import RoostTrees

/// Changing a row in a builder of the caller's own.
extension TableWriter {
  /// Puts a row into the builder, which is of the newest layout; false if there is none of that number. What is changed in
  /// there comes back with ``replace(_:with:)``.
  package func read(_ id: RowID, into builder: inout RowBuilder) throws -> Bool {
    guard try load(id) else { return false }
    builder.load(old.bytes)
    loaded = id
    return true
  }

  /// Calls `body` with a row as one of the newest layout; nil if there is none of that number. Until the table is used again the row
  /// stands where it stands, and ``replace(_:with:)`` need not look for it.
  package func visit<Result>(_ id: RowID, _ body: (Row) throws -> Result) throws -> Result? {
    guard try loadOld(id) else { return nil }
    loaded = id
    return try body(Row(id, old.start, count: old.count, version: Int(layout.version)))
  }

  /// A value that stands outside its row.
  package func large(_ field: FieldID, of id: RowID) throws(StoreError) -> [UInt8] {
    try LargeValue.read(id, field, in: large.tree)
  }

  /// Makes the row what the builder says, where it says something else; false if there is none of that number.
  @discardableResult
  package func replace(_ id: RowID, with builder: inout RowBuilder) throws -> Bool {
    // Mostly nothing happened since it was read.
    if loaded == id { try tables.check(generation) } else if try !load(id) { return false }
    if derived != nil { keepDerived(&builder) }
    let moved = try assemble(&builder, id)
    do { try replace(id, moved) } catch { throw giveBack(moved, to: &builder, error) }
    return true
  }

  /// Where a reference of a row leads; nil for nowhere, or if there is none of that number.
  package func reference(_ slot: Slot, of id: RowID) throws -> RowID? {
    guard try load(id) else { return nil }
    return builder.reference(slot)
  }
}
