package import RoostGraph
package import RoostRecords

/// A store in one of Roost's packages that stores the chunks of an import.
package protocol BulkStore: AskedStore {
  /// Stores a chunk in one transaction: all of it, or nothing if it throws or refuses.
  func store(_ chunk: BulkChunk) throws -> BulkAnswer
  func identifier(_ type: _ModelType, _ key: BulkKey) -> PersistentIdentifier
}

/// The rows of one transaction.
package struct BulkChunk {
  package var rows: [BulkRow] = []
  /// References of earlier rows whose targets came later.
  package var late: [LateLink] = []
  package let conflict: ImportOptions.Conflict
  /// Whether a stored row keeps references and list members that a new row with its unique values
  /// does not have.
  package let joins: Bool
  /// The author in the history.
  package let author: String
}

/// A row of an import: its values, and the targets of its relationships.
package struct BulkRow {
  package var values: ValueImage
  /// The targets, by the index of the relationship in its class.
  package var links: [BulkLink]
  /// The stored row that this row describes, if there is one.
  package var own: BulkTarget?
  /// Why a value is not among `values`. It matters only if the row is new.
  package var refusal: String?
}

package enum BulkLink {
  /// The relationship is unknown.
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
  /// The targets, in the order of the list.
  package var targets: [BulkKey]
}

/// What a store did with a chunk.
package enum BulkAnswer {
  case stored(BulkStored)
  /// Rows that cannot be stored. The store has stored nothing of the chunk.
  case refused([(row: Int, fault: ImportFault)])
}

package struct BulkStored {
  package enum State: Sendable { case inserted, updated, kept }

  /// The result of each row of the chunk.
  package var rows: [(key: BulkKey, state: State)] = []
  /// References to rows that do not exist: the row, the property, and the index in its list.
  package var missing: [(row: Int, property: Int, place: Int)] = []
  /// The indexes of late links that other programs changed meanwhile.
  package var changed: [Int] = []

  package init() {}
}
