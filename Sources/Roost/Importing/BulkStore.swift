package import RoostGraph
package import RoostRecords

/// A store of a package of ours that stores the chunks of an import.
package protocol BulkStore: AskedStore {
  /// Stores a chunk in one transaction: all of it, or nothing if it throws or refuses.
  func store(_ chunk: BulkChunk) throws -> BulkAnswer
  func identifier(_ type: _ModelType, _ key: BulkKey) -> PersistentIdentifier
}

/// Rows that are stored in one transaction.
package struct BulkChunk {
  package var rows: [BulkRow] = []
  /// References of earlier rows whose targets came later.
  package var late: [LateLink] = []
  package let conflict: ImportOptions.Conflict
  /// Whether a stored row keeps the references and the members of lists that a new row with its unique values does not have.
  package let joins: Bool
  /// The author that the history notes.
  package let author: String
}

/// A row of an import: its values, and what its relationships reference.
package struct BulkRow {
  package var values: ValueImage
  /// By place among the class's relationships.
  package var links: [BulkLink]
  /// The row that it describes, if the store has it.
  package var own: BulkTarget?
  /// Why a value is not among `values`. It matters only if the row is new.
  package var refusal: String?
}

package enum BulkLink {
  /// Nothing is known of the relationship.
  case absent
  case one(BulkTarget?)
  case many([BulkTarget])
}

/// What a relationship of an imported row references.
package enum BulkTarget {
  /// Another row of the chunk.
  case row(Int)
  /// A row that an earlier chunk of the import stored.
  case earlier(BulkKey)
  /// A model of the store.
  case stored(PersistentIdentifier)
}

/// The key of an imported row.
package struct BulkKey: Hashable, Sendable {
  package var zone: String
  package var key: UUIDNumber

  package init(zone: String, key: UUIDNumber) { (self.zone, self.key) = (zone, key) }
}

/// A relationship of an earlier row that is set when the import ends.
package struct LateLink {
  package var owner: BulkKey
  package var type: _ModelType
  package var property: Int
  /// In the order of the list.
  package var targets: [BulkKey]
}

/// What a store did with a chunk.
package enum BulkAnswer {
  case stored(BulkStored)
  /// Rows that cannot be stored. Nothing of the chunk was.
  case refused([(row: Int, fault: ImportFault)])
}

package struct BulkStored {
  package enum State: Sendable { case inserted, updated, kept }

  /// By row of the chunk.
  package var rows: [(key: BulkKey, state: State)] = []
  /// References to rows that are not there: which row, which property, and which place in its list.
  package var missing: [(row: Int, property: Int, place: Int)] = []
  /// Late links that other programs changed meanwhile, by their places.
  package var changed: [Int] = []

  package init() {}
}
