package import RoostPages

extension RecordWriter {
  /// Puts at most so many more rows into an index that is built later; true if it is whole now.
  package func buildStep(_ id: IndexID, most rows: Int) throws -> Bool {
    try savepoint { try tables.buildStep(id, most: rows) }
  }
}

extension RecordStore {
  /// Builds every index that is not whole, in short transactions between which others may write. Where one of them fails,
  /// what was done stays, and the next call goes on from there.
  package func buildIndexes(rowsAtOnce rows: Int = 5000, _ durability: SyncMode = .relaxed) throws {
    while let id = try read({ $0.catalog.unbuiltIndex }) {
      while try !write(
        durability,
        { writer in
          // Somebody else may have removed it.
          guard writer.catalog.hasIndex(id) else { return true }
          return try writer.buildStep(id, most: rows)
        })
      {}
    }
  }
}

extension Catalog {
  /// An index that is not whole; nil if all are.
  package var unbuiltIndex: IndexID? {
    indexes.first { $0.builtBelow != nil }?.id ?? textIndexes.first { $0.builtBelow != nil }?.id
  }

  /// Whether there is an index of this number, of entries or of words.
  fileprivate func hasIndex(_ id: IndexID) -> Bool { indexes.contains { $0.id == id } || textIndex(id) != nil }
}
