package import RoostPages

extension RecordWriter {
  /// Adds at most `rows` rows to an index that is built in steps. Returns true if it is complete.
  package func buildStep(_ id: IndexID, most rows: Int) throws -> Bool {
    try savepoint { try tables.buildStep(id, most: rows) }
  }
}

extension RecordStore {
  /// Builds every incomplete index in short transactions, between which others may write. If one
  /// fails, the rows that were added stay, and the next call continues from there.
  package func buildIndexes(rowsAtOnce rows: Int = 5000, _ durability: SyncMode = .relaxed) throws {
    while let id = try read({ $0.catalog.unbuiltIndex }) {
      while try !write(
        durability,
        { writer in
          // Another transaction may have removed the index.
          guard writer.catalog.hasIndex(id) else { return true }
          return try writer.buildStep(id, most: rows)
        })
      {}
    }
  }
}

extension Catalog {
  /// An index that is not complete; nil if all are.
  package var unbuiltIndex: IndexID? {
    indexes.first { $0.builtBelow != nil }?.id ?? textIndexes.first { $0.builtBelow != nil }?.id
  }

  /// Whether there is an index or a full text index with this number.
  fileprivate func hasIndex(_ id: IndexID) -> Bool { indexes.contains { $0.id == id } || textIndex(id) != nil }
}
